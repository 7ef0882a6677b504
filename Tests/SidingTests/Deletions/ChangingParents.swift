// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting

/// An origin with a few parents, whose records come, go and move from one to another, also between two requests.
final class ChangingParents: TransportFactory {
    struct State {
        /// The records of each parent that is there.
        var records: [Int: [Int]] = [:]
        /// What the bodies of the parents say; not every change of a parent's records raises it.
        var versions: [Int: Int] = [:]
        var lastID = 0
        /// Grows with each change of what is where.
        var moves = 0
        var generator: SeededGenerator
        /// How likely a request fails, or something happens before it is answered, in percent.
        var faults = 0
        var unrest = 0

        var all: Set<Int> { Set(records.values.joined()) }
    }

    static let parents = 4
    private static let pageSize = 3
    let state: Mutex<State>

    init(seed: UInt64) {
        var first = State(generator: SeededGenerator(seed: seed))
        for parent in 1...Int.random(in: 2...Self.parents, using: &first.generator) { first.records[parent] = [] }
        for _ in 0..<Int.random(in: 8...30, using: &first.generator) { first.insert() }
        state = Mutex(first)
    }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in state.withLock { $0.answer(asked.request, by: Self.pageSize) } }
    }
}

extension ChangingParents.State {
    mutating func insert() {
        guard let parent = parent() else { return }
        lastID += 1
        records[parent, default: []].append(lastID)
        note(parent)
    }

    private mutating func parent() -> Int? { records.keys.sorted().randomElement(using: &generator) }

    private mutating func note(_ parent: Int) {
        moves += 1
        if Bool.random(using: &generator) { versions[parent, default: 0] += 1 }
    }

    mutating func change() {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3: insert()
        case 3..<5: _ = take()
        case 5..<10:
            guard let id = take(), let parent = parent() else { return }
            records[parent, default: []].insert(id, at: 0)
            note(parent)
        case 10:
            // A parent goes, and its records with it, or one comes back.
            let parent = Int.random(in: 1...ChangingParents.parents, using: &generator)
            if records.count > 1, records.removeValue(forKey: parent) != nil {
                moves += 1
            } else if records[parent] == nil {
                records[parent] = []
                note(parent)
            }
        default:
            guard let parent = parent() else { return }
            records[parent] = []
            note(parent)
        }
    }

    private mutating func take() -> Int? {
        guard let parent = parent(), let count = records[parent]?.count, count > 0 else { return nil }
        let id = records[parent]?.remove(at: Int.random(in: 0..<count, using: &generator))
        note(parent)
        return id
    }

    /// All parents are there again.
    mutating func restore() {
        for parent in 1...ChangingParents.parents where records[parent] == nil { records[parent] = [] }
        (faults, unrest) = (0, 0)
    }

    mutating func answer(_ request: HTTPRequest, by size: Int) -> ScriptedAnswer {
        while Int.random(in: 0..<100, using: &generator) < unrest { change() }
        let isFailing = Int.random(in: 0..<100, using: &generator) < faults
        let parts = (request.path ?? "").split(whereSeparator: { "/?=".contains($0) })
        guard parts.count > 1, let parent = Int(parts[1]) else {
            let fault = isFailing ? Int.random(in: 0..<3, using: &generator) : nil
            if fault == 0 { return .status(.internalServerError) }
            if fault == 1 { return .status(.noContent) }
            // One that cannot be told from others.
            let hidden = fault == 2 ? self.parent() : nil
            let bodies = records.keys.sorted().map {
                #"{"\#($0 == hidden ? "no" : "id")":\#($0),"v":\#(versions[$0] ?? 0)}"#
            }
            return .text("[\(bodies.joined(separator: ","))]", headerFields: [.contentType: "application/json"])
        }
        if isFailing, let fault = fault() { return fault }
        guard let all = records[parent] else { return .status(.notFound) }
        let page = parts.count > 3 ? Int(parts[4]) ?? 0 : 0
        return answer(request, all.dropFirst(page * size), size, next: "/posts/\(parent)/tasks?page=\(page + 1)")
    }

    private func answer(
        _ request: HTTPRequest, _ rest: ArraySlice<Int>, _ size: Int, next: String
    ) -> ScriptedAnswer {
        let body = "[" + rest.prefix(size).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
        let tag = "\"\(body.hashValue)-\(rest.count > size)\""
        var fields: HTTPFields = [.contentType: "application/json", .eTag: tag]
        if rest.count > size, let link = HTTPField.Name("Link") { fields[link] = "<\(next)>; rel=\"next\"" }
        if request.headerFields[.ifNoneMatch] == tag { return .status(.notModified, headerFields: fields) }
        return .text(body, headerFields: fields)
    }

    private mutating func fault() -> ScriptedAnswer? {
        [
            ScriptedAnswer.failure(Failure(.timeout(.response), phase: .maybeSent)), .status(.internalServerError),
            .status(.forbidden), .status(.noContent), .text("<html>"),
            .text(#"[{"id":1},{"no":2}]"#, headerFields: [.contentType: "application/json"]),
        ].randomElement(using: &generator)
    }
}
