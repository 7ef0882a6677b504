// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingOrigin
import SidingPaging
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// A configuration that Docs/Config.md calls safe, and the origin that goes with it.
enum StormKind: String, CaseIterable, Sendable {
    // Everything, sorted by a member that never changes; what is missing counts as deleted.
    case link, body, token, header, automatic, lastRecord
    // Numbers, whose pages shift; what is missing is verified.
    case numbered, offset
    // Changes only.
    case ascending, bounded, descending

    var isOfChanges: Bool { [.ascending, .bounded, .descending].contains(self) }
    var isNumbered: Bool { self == .numbered || self == .offset }

    func resource(_ name: String, from source: Source) throws -> AnyResource {
        var resource = AnyResource(name, from: source, at: "/posts", key: "id", paging: .automatic)
        resource.records = JSONPath(member: "items")
        switch self {
        case .link, .ascending, .bounded, .descending: resource.paging = .linkHeader
        case .body: resource.paging = .nextURL(JSONPath(member: "next"))
        case .token: resource.paging = .cursor(JSONPath(member: "next_cursor"), parameter: "after")
        case .header: resource.paging = .headerCursor(try #require(HTTPField.Name("X-Next")), parameter: "after")
        case .lastRecord: resource.paging = .lastRecord(JSONPath(member: "id"), parameter: "after")
        case .numbered: resource.paging = .page(.init())
        case .offset: resource.paging = .offset(.init())
        case .automatic: break
        }
        resource.isStable = !isNumbered
        guard isOfChanges else {
            resource.deletions = Deletions(
                byAbsence: true, most: 1, recordPath: isNumbered ? "/posts/{id}" : nil)
            return resource
        }
        resource.cursor = IncrementalCursor(
            at: .record(JSONPath(member: "at")), type: .epoch, lookback: .time(.seconds(60)),
            order: self == .ascending ? .ascending : self == .descending ? .descending : nil)
        if self != .descending { resource.query = ["since": "{cursor}"] }
        if self == .bounded { resource.query["until"] = "{until}" }
        return resource
    }
}

/// An origin whose records come, change, come late and go while they are listed, and whose answers fail, break off and lie.
final class StormOrigin: TransportFactory {
    struct Record: Sendable {
        var id: Int
        var at: Int
        var version = 0
        /// What own writes, and now and then others, set.
        var members: [String: Int] = [:]
        /// The mark of the own write that came last.
        var mark: String?

        var json: String {
            let own = members.sorted { $0.key < $1.key }.map { #","\#($0)":\#($1)"# }.joined()
            return #"{"id":\#(id),"at":\#(at),"v":"\#(version)"\#(own)\#(mark.map { #","ref":"\#($0)""# } ?? "")}"#
        }
    }

    struct State {
        var records: [Record] = []
        var lastID = 0
        var generator: SeededGenerator
        /// How likely a request fails, an answer lies, or something happens before it is answered, in percent.
        var faults = 0
        var lies = 0
        var unrest = 0
        var pageSize = 4
        var arrivals = StormArrivals()
        /// What else goes wrong for a while.
        var troubles: Set<StormTrouble> = [] {
            didSet { if troubles.contains(.lag) { hasLagged = true } }
        }
        private(set) var hasLagged = false
        /// How far the origin's clock is ahead of the station's, in seconds.
        var skew = 0
        /// Whether numbered pages hold fewer records than their size now and then, and no total says how many there are.
        var hasShortPages = false
        /// Next pages of an earlier generation are refused.
        var generation = 0
        /// Each record as it was before its last change, by its id: what a replica that lags still shows.
        var earlier: [Int: Record] = [:]
    }

    let kind: StormKind
    let time: ManualWallClock
    let state: Mutex<State>
    /// What happens between the answer to a listing and its arrival.
    let meanwhile = Mutex<@Sendable () async -> Void>({})

    init(_ kind: StormKind, seed: UInt64, _ time: ManualWallClock) {
        (self.kind, self.time) = (kind, time)
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
        state.withLock { state in
            state.pageSize = Int.random(in: 2...5, using: &state.generator)
            state.skew = [-3_600, -5, 0, 0, 5, 3_600].randomElement(using: &state.generator) ?? 0
            state.hasShortPages = kind.isNumbered && Bool.random(using: &state.generator)
            for _ in 0..<Int.random(in: 8...30, using: &state.generator) { add(&state) }
        }
    }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in
            guard asked.request.method == .get else {
                return state.withLock { trouble(&$0) ?? answer(to: asked, &$0) }
            }
            let reply = state.withLock { trouble(&$0) ?? answer(asked.request, &$0) }
            if asked.request.path?.contains("ref=") != true { await meanwhile.withLock { $0 }() }
            return reply
        }
    }

    // MARK: Changes

    /// The origin's own time.
    func now(_ state: State) -> Int { Int(time.now.secondsSince1970) + state.skew }

    func add(_ state: inout State) {
        state.lastID += 1
        // Some come late, but within the lookback; many share a second.
        let late =
            Int.random(in: 0..<3, using: &state.generator) == 0 ? Int.random(in: 0...40, using: &state.generator) : 0
        state.records.append(Record(id: state.lastID, at: now(state) - late))
    }

    func change() { state.withLock { change(&$0) } }

    func change(_ state: inout State) {
        if Bool.random(using: &state.generator) { time.advance(by: .seconds(1)) }
        switch Int.random(in: 0..<6, using: &state.generator) {
        case 0, 1: add(&state)
        case 2 where !kind.isOfChanges && state.records.count > 6:
            guard let index = state.records.indices.randomElement(using: &state.generator) else { return }
            state.records.remove(at: index)
        default:
            guard let index = state.records.indices.randomElement(using: &state.generator) else { return }
            state.earlier[state.records[index].id] = state.records[index]
            state.records[index].version += 1
            state.records[index].at = now(state)
            if Bool.random(using: &state.generator) {
                state.records[index].members["a"] = -state.records[index].version
            }
        }
    }

    // MARK: Answers

    func answer(_ request: HTTPRequest, _ state: inout State) -> ScriptedAnswer {
        while Int.random(in: 0..<100, using: &state.generator) < state.unrest { change(&state) }
        let target = request.path ?? ""
        let isFaulty = Int.random(in: 0..<100, using: &state.generator) < state.faults
        if let id = target.wholeMatch(of: /\/posts\/(\d+)/).flatMap({ Int($0.output.1) }) {
            if isFaulty { return .status(.internalServerError) }
            return state.records.first { $0.id == id }.map { .text($0.json) } ?? .status(.notFound)
        }
        if isFaulty, let fault = fault(&state) { return fault }
        if let mark = target.split(separator: "ref=").last, target.contains("ref=") {
            let found = state.records.filter { $0.mark.map { $0 == mark } ?? false }
            return .text(#"{"items":[\#(found.map(\.json).joined(separator: ","))]}"#)
        }
        var values: [String: Int] = [:]
        for pair in target.drop(while: { $0 != "?" }).dropFirst().split(separator: "&") {
            let parts = pair.split(separator: "=")
            if parts.count == 2 { values[String(parts[0])] = Int(parts[1]) }
        }
        return page(values, request, &state)
    }

    private func listed(_ values: [String: Int], _ state: inout State) -> [Record] {
        let (since, until) = (values["since"] ?? .min, values["until"] ?? .max)
        let records = lagging(&state).filter { $0.at >= since && $0.at <= until }
        switch kind {
        case .ascending: return records.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
        case .descending: return records.sorted { ($0.at, $0.id) > ($1.at, $1.id) }
        default: return records.sorted { $0.id < $1.id }
        }
    }

    /// Whether `record` is on a page behind the one whose last record the values name.
    private func isBehind(_ record: Record, _ values: [String: Int]) -> Bool {
        guard let after = values["after"] else { return true }
        switch kind {
        case .ascending: return (record.at, record.id) > (values["after_at"] ?? 0, after)
        case .descending: return (record.at, record.id) < (values["after_at"] ?? 0, after)
        default: return record.id > after
        }
    }

    /// The records of the page that is asked for, and of all pages behind it.
    private func left(of all: [Record], _ values: [String: Int], _ state: State) -> (shown: [Record], hasMore: Bool) {
        var (first, size) = (values["offset"] ?? 0, state.pageSize)
        switch kind {
        case .numbered:
            let page = values["page"] ?? 1
            first = (1..<max(page, 1)).reduce(0) { $0 + self.size(of: $1, state) }
            size = self.size(of: page, state)
        case .offset: size = self.size(of: first, state)
        default:
            let left = all.filter { isBehind($0, values) }
            return (Array(left.prefix(size)), left.count > size)
        }
        let left = all.dropFirst(first)
        return (Array(left.prefix(size)), left.count > size)
    }

    /// How many records a numbered page holds.
    private func size(of page: Int, _ state: State) -> Int {
        state.hasShortPages && page % 3 == 2 ? state.pageSize - 1 : state.pageSize
    }

    private func page(_ values: [String: Int], _ request: HTTPRequest, _ state: inout State) -> ScriptedAnswer {
        if let generation = values["gen"], generation != state.generation { return deadToken(&state) }
        let all = listed(values, &state)
        let (shown, hasMore) = left(of: all, values, state)
        var fields: HTTPFields = date(state)
        fields[.contentType] = "application/json"
        let members = nextPage(after: shown.last, hasMore: hasMore, of: all.count, values, &fields, &state)
        if state.troubles.contains(.partial), Int.random(in: 0..<3, using: &state.generator) == 0 {
            return partial(shown, beside: members, fields, &state)
        }
        let body = json(shown, members)
        let tag = "\"\(body.hashValue)-\(hasMore)\""
        if kind != .descending { fields[.eTag] = tag }
        if request.headerFields[.ifNoneMatch] == tag { return .status(.notModified, headerFields: fields) }
        return .text(body, headerFields: fields)
    }

    /// The members of the page that name the next one, which are wrong now and then.
    private func nextPage(
        after last: Record?, hasMore: Bool, of count: Int, _ values: [String: Int], _ fields: inout HTTPFields,
        _ state: inout State
    ) -> [String] {
        let isLie = hasMore && Int.random(in: 0..<100, using: &state.generator) < state.lies
        var members: [String] = []
        if let last, hasMore {
            let kept = ["since", "until"].compactMap { name in values[name].map { "&\(name)=\($0)" } }.joined()
            let next = "/posts?after=\(last.id)&after_at=\(last.at)&gen=\(state.generation)\(kept)"
            let broken = ["true", "7.5", #""no page""#, #"{"page":2}"#].randomElement(using: &state.generator) ?? ""
            switch kind {
            case .link, .ascending, .bounded, .descending:
                if let link = HTTPField.Name("Link") {
                    fields[link] = isLie ? "<\(next); rel=\"next\"" : "<\(next)>; rel=next"
                }
            case .body:
                // A URL with a space is refused as a fault of the page.
                members.append(
                    #""next":\#(isLie ? ["null", broken].randomElement(using: &state.generator) ?? "" : "\"\(next)\"")"#
                )
            case .token: members.append(#""next_cursor":\#(isLie ? "true" : "\(last.id)")"#)
            case .automatic: members.append(#""links":{"next":\#(isLie ? broken : "{\"href\":\"\(next)\"}")}"#)
            case .header:
                if let name = HTTPField.Name("X-Next"), !isLie { fields[name] = "\(last.id)" }
            case .lastRecord, .numbered, .offset: break
            }
        }
        switch kind {
        case .body, .header: members.append(#""total":\#(count)"#)
        case .numbered, .offset: if !state.hasShortPages { members.append(#""total":\#(count)"#) }
        case .automatic: members.append(#""has_more":\#(hasMore)"#)
        default: break
        }
        return members
    }

    private func fault(_ state: inout State) -> ScriptedAnswer? {
        let fields: HTTPFields = [.contentType: "application/json"]
        return [
            ScriptedAnswer.failure(Failure(.connectionLost, phase: .maybeSent)),
            .failure(Failure(.timeout(.response), phase: .maybeSent)), .status(.internalServerError),
            .status(.serviceUnavailable), .status(.notFound), .text("<html>"), .text(#"{"a":1}"#),
            .reply(
                HTTPResponse(status: .ok, headerFields: fields), chunks: [Array(#"{"items":["#.utf8)],
                ending: Failure(.truncated, phase: .answered)),
        ].randomElement(using: &state.generator)
    }
}
