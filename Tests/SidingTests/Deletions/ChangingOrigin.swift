// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting

/// An origin whose records come, change, move and go, also between two pages of one listing, and that fails now and then.
final class ChangingOrigin: TransportFactory {
    struct State {
        /// In the order of the listing: the key, and what its body says.
        var records: [(id: Int, version: Int)] = []
        var lastID = 0
        /// Grows with each change that is not only one of bodies.
        var moves = 0
        /// What `moves` was when the first page was last asked for.
        var movesAtFirstPage = 0
        var removed: [Int] = []
        var generator: SeededGenerator
        /// How likely a request fails, or something happens before it is answered, in percent.
        var faults = 0
        var unrest = 0
        var failed: [String] = []
        /// Records on a page: three or four.
        var pageSize = 4
    }

    /// Whether pages are told by the last key on them, in the order of keys, so that they do not shift.
    let isStable: Bool
    let state: Mutex<State>

    init(seed: UInt64, isStable: Bool) {
        self.isStable = isStable
        var first = State(generator: SeededGenerator(seed: seed))
        first.pageSize = Int.random(in: 3...4, using: &first.generator)
        first.fill(Int.random(in: 20...60, using: &first.generator))
        state = Mutex(first)
    }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in state.withLock { $0.answer(asked.request, isStable: isStable) } }
    }
}

extension ChangingOrigin.State {
    fileprivate mutating func fill(_ count: Int) {
        records = (1...count).map { (id: $0, version: 0) }
        lastID = count
    }

    /// Many go at once: any share of them, now and then all.
    mutating func removeMany() {
        let left = Int.random(in: 0...records.count, using: &generator)
        let gone = Set(records.map(\.id).shuffled(using: &generator).dropFirst(left))
        records.removeAll { gone.contains($0.id) }
        removed += gone.sorted()
        moves += 1
    }

    /// Something happens to the records.
    ///
    /// - Parameter restores: whether a key that was gone may come back.
    mutating func change(isStable: Bool, restores: Bool) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<3:
            lastID += 1
            insert(lastID, isStable: isStable)
        case 3..<6:
            guard let index = records.indices.randomElement(using: &generator) else { return }
            removed.append(records.remove(at: index).id)
            moves += 1
        case 6..<8:
            guard let index = records.indices.randomElement(using: &generator) else { return }
            records[index].version += 1
        case 8:
            guard !isStable, records.count > 1 else { return }
            records.shuffle(using: &generator)
            moves += 1
        default:
            guard restores, let index = removed.indices.randomElement(using: &generator) else { return }
            insert(removed.remove(at: index), isStable: isStable)
        }
    }

    private mutating func insert(_ id: Int, isStable: Bool) {
        moves += 1
        let place =
            isStable
            ? records.firstIndex { $0.id > id } ?? records.count
            : Int.random(in: 0...records.count, using: &generator)
        records.insert((id, 0), at: place)
    }

    mutating func answer(_ request: HTTPRequest, isStable: Bool) -> ScriptedAnswer {
        let target = request.path ?? ""
        let place = target.firstIndex(of: "=").flatMap { Int(target[target.index(after: $0)...]) } ?? 0
        if place == 0 { movesAtFirstPage = moves }
        while Int.random(in: 0..<100, using: &generator) < unrest { change(isStable: isStable, restores: false) }
        if place == 0 { movesAtFirstPage = moves }
        if Int.random(in: 0..<100, using: &generator) < faults, let fault = fault() {
            failed.append(target)
            return fault
        }
        let start = isStable ? records.firstIndex { $0.id > place } ?? records.count : place * pageSize
        let shown = records.dropFirst(start).prefix(pageSize)
        let hasMore = start + shown.count < records.count
        let body = "[" + shown.map { #"{"id":\#($0.id),"v":\#($0.version)}"# }.joined(separator: ",") + "]"
        let next = isStable ? shown.last?.id ?? 0 : place + 1
        let tag = "\"\(body.hashValue)-\(hasMore)\""
        var fields: HTTPFields = [.contentType: "application/json", .eTag: tag]
        if hasMore, let link = HTTPField.Name("Link") { fields[link] = "</posts?after=\(next)>; rel=\"next\"" }
        if request.headerFields[.ifNoneMatch] == tag { return .status(.notModified, headerFields: fields) }
        return .text(body, headerFields: fields)
    }

    /// What goes wrong; nothing that is an honest answer.
    private mutating func fault() -> ScriptedAnswer? {
        let fields: HTTPFields = [.contentType: "application/json"]
        return [
            ScriptedAnswer.failure(Failure(.connectionLost, phase: .maybeSent)),
            .failure(Failure(.timeout(.response), phase: .maybeSent)), .status(.internalServerError),
            .status(.notFound), .status(.gone), .status(.forbidden), .status(.noContent), .status(.resetContent),
            .text("null", headerFields: fields),
            .reply(
                HTTPResponse(status: .partialContent, headerFields: fields), chunks: [Array("[]".utf8)]),
            .text("<html>"), .text(#"{"a":1}"#),
            .reply(
                HTTPResponse(status: .ok, headerFields: fields), chunks: [Array("[".utf8)],
                ending: Failure(.truncated, phase: .answered)),
            .text(#"[{"id":1,"id":2}]"#, headerFields: fields),
        ].randomElement(using: &generator)
    }
}
