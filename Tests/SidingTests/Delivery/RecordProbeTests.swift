// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingOrigin
import SidingSynchronization
import SidingTesting
import TestSupport
import Testing

@testable import Siding

/// An origin with one record and no idempotency keys, on a line that loses requests or answers.
private final class LossyRecord: TransportFactory {
    enum Fate { case answered, lostBefore, lostAfter }

    private struct State {
        var body: JSONDocument?
        var version = 1
        var fates: [Fate]
        var methods: [String] = []
        /// Changes that somebody else makes before the request of this number.
        var changes: [Int: String] = [:]

        /// The record with its revision.
        func revised(_ body: JSONDocument) -> JSONDocument {
            let revision = try? JSONDocument(Array(#"{"_rev":"\#(version)"}"#.utf8))
            return revision.map { JSONMergePatch($0).applied(to: body) } ?? body
        }
    }

    private let state: Mutex<State>

    init(_ body: String?, fates: [Fate]) throws {
        state = Mutex(State(body: try body.map { try JSONDocument(Array($0.utf8)) }, fates: fates))
    }

    var body: String? { state.withLock { $0.body.map { String(decoding: $0.bytes, as: UTF8.self) } } }
    var methods: [String] { state.withLock { $0.methods } }

    func change(to body: String, before request: Int) { state.withLock { $0.changes[request] = body } }

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { [self] asked in answer(asked) }
    }

    private func answer(_ asked: ScriptedTransport.Request) -> ScriptedAnswer {
        state.withLock { state in
            let fate = state.fates.isEmpty ? .answered : state.fates.removeFirst()
            state.methods.append(asked.request.method.rawValue)
            if let change = state.changes[state.methods.count] {
                (state.body, state.version) = (try? JSONDocument(Array(change.utf8)), state.version + 1)
            }
            let lost = ScriptedAnswer.failure(Failure(.connectionLost, phase: .maybeSent))
            if fate == .lostBefore { return lost }
            let answer = carryOut(asked, in: &state)
            return fate == .lostAfter ? lost : answer
        }
    }

    private func carryOut(_ asked: ScriptedTransport.Request, in state: inout State) -> ScriptedAnswer {
        guard let body = state.body else { return .status(.notFound) }
        if asked.request.method == .get { return .text(String(decoding: state.revised(body).bytes, as: UTF8.self)) }
        if let expected = asked.request.headerFields[.ifMatch], expected != "\"\(state.version)\"" {
            return .status(.preconditionFailed)
        }
        state.version += 1
        if asked.request.method == .delete {
            state.body = nil
            return .status(.noContent)
        }
        guard let sent = try? JSONDocument(asked.body) else { return .status(.badRequest) }
        state.body = asked.request.method == .put ? sent : JSONMergePatch(sent).applied(to: body)
        return .status(.noContent)
    }
}

/// An edit that may have arrived: the record itself shows whether it has.
@Suite struct RecordProbeTests {
    private static let before = #"{"id":"a","title":"old","votes":1}"#

    /// Sends an edit of the record until nothing is due for long.
    private func end(
        _ change: WriteEdit.Change, _ body: String?, _ origin: LossyRecord, ifMatch: Bool = false,
        policy: ConflictPolicy = .hold
    ) async throws -> (entry: QueueEntry, bench: EditBench) {
        let bench = try await EditBench()
        let before = Self.before.dropLast() + #","_rev":"1"}"#
        try await bench.pull("[\(before)]")
        let revision = try JSONPath(parsing: "$._rev")
        let entry = try await bench.edit(change, "a", body) { edit in
            (edit.ifMatch, edit.conflict, edit.etagPath) = (ifMatch, policy, revision)
        }
        try await drain(bench, origin)
        return (try await bench.entry(entry.id), bench)
    }

    private func drain(_ bench: EditBench, _ origin: LossyRecord) async throws {
        let sender = try bench.sender(over: origin)
        for _ in 0..<12 {
            _ = try await sender.drain()
            try await bench.store.endWaits(of: nil, because: .retryRequested)
            bench.time.advance(by: .seconds(60))
        }
    }

    private static let edits: [(WriteEdit.Change, String?, String?)] = [
        (.merge, #"{"title":"new"}"#, #"{"id":"a","title":"new","votes":1}"#),
        (.merge, #"{"title":null}"#, #"{"id":"a","votes":1}"#),
        (.replace, #"{"id":"a","title":"new"}"#, #"{"id":"a","title":"new"}"#),
        (.delete, nil, nil),
    ]

    @Test(arguments: 0..<Proof.choose(short: 25, middle: 50, long: 100))
    func `edits over a line that loses answers need no operator, with any loss`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for (change, body, wanted) in Self.edits {
            let fates = (0..<8).map { _ in
                [LossyRecord.Fate.answered, .lostBefore, .lostAfter].randomElement(using: &generator)
            }
            let origin = try LossyRecord(Self.before, fates: fates.compactMap(\.self))
            let (entry, bench) = try await end(change, body, origin)
            #expect(entry.state == .done, "\(change), \(fates)")
            #expect(origin.body == wanted)
            try await bench.expectSound()
        }
    }

    @Test func `an entry shows the GET that verifies its arrival`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old"}]"#)
        let edits = [
            try await bench.edit(.merge, "a", #"{"title":"new"}"#), try await bench.edit(.replace, "a", #"{"id":"a"}"#),
            try await bench.edit(.delete, "a"),
        ]
        for edit in edits {
            #expect(try await bench.store.content(of: edit.id)?.probe == "https://api.example.org/posts/a")
        }
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#)
        let command = try await bench.send(.patch, "/posts/a")
        for other in [create, command] { #expect(try await bench.store.content(of: other.id)?.probe == nil) }
        try await bench.deliver(edits[0])
        #expect(try await bench.store.content(of: edits[0].id)?.probe == nil)
    }

    @Test func `a PATCH that arrived is not sent twice`() async throws {
        let origin = try LossyRecord(Self.before, fates: [.lostAfter])
        let (entry, bench) = try await end(.merge, #"{"title":"new"}"#, origin)
        #expect(entry.state == .done)
        #expect(origin.methods == ["PATCH", "GET"])
        #expect(try await bench.events(entry).suffix(2) == ["claimed", "found"])
        let request = try #require(try await bench.store.provenance(of: "posts", key: "a")?.request)
        #expect(request.method == "GET" && request.url == "https://api.example.org/posts/a")
        #expect(request.entry == entry.id)
    }

    @Test func `an edit that the record does not show is sent again after the settle delay`() async throws {
        let origin = try LossyRecord(Self.before, fates: [.lostBefore])
        let (entry, _) = try await end(.merge, #"{"title":"new"}"#, origin)
        #expect(entry.state == .done)
        #expect(origin.methods.first == "PATCH" && origin.methods.last == "PATCH")
        #expect(origin.methods.dropFirst().dropLast().allSatisfy { $0 == "GET" })
    }

    @Test(arguments: [
        ("/posts/a", "a", true), ("/posts/a?notify=1", "a", true), ("/posts/a%2Fb", "a/b", true),
        ("/posts/a/archive", "a", false), ("/posts", "a", false), ("/posts/b", "a", false),
    ])
    func `the URL has to be that of the record`(path: String, key: String, fits: Bool) throws {
        let terms = EditTerms(WriteEdit(.merge, of: try EditBench.posts(), key: key), isNamed: false)
        #expect(terms.showRecord(key, at: try EditBench.url(path), .patch) == fits)
    }

    @Test func `an own version that a page shows is not a conflict with a PUT whose answer was lost`() async throws {
        let origin = try LossyRecord(Self.before, fates: [.lostAfter])
        let bench = try await EditBench()
        try await bench.pull("[\(Self.before)]")
        let entry = try await bench.edit(.replace, "a", #"{"id":"a","title":"new"}"#) { $0.conflict = .theirs }
        _ = try await bench.sender(over: origin).drain()
        #expect(try await bench.entry(entry.id).state == .queued)
        try await bench.pull(#"[{"id":"a","title":"new","updated_at":"now"}]"#)
        #expect(try await bench.entry(entry.id).state == .queued, "no policy decides")
        try await drain(bench, origin)
        #expect(try await bench.entry(entry.id).state == .done)
        #expect(origin.methods == ["PUT", "GET"])
    }

    enum Shown { case there, notThere, unclear }

    @Test(
        arguments: [
            // The record before: {"id":"a","title":"old","votes":1}
            (.merge, #"{"title":"new"}"#, #"{"id":"a","title":"new","votes":1}"#, .there),
            (.merge, #"{"title":"new"}"#, #"{"votes":9,"more":[],"title":"new","id":"a"}"#, .there),
            (.merge, #"{"title":"new"}"#, #"{"id":"a","title":"old","votes":9}"#, .notThere),
            (.merge, #"{"title":"new"}"#, #"{"id":"a","title":"theirs","votes":1}"#, .unclear),
            (.merge, #"{"title":"new"}"#, #"{"id":"a","votes":1}"#, .unclear),
            (.merge, #"{"title":null}"#, #"{"id":"a","votes":1}"#, .there),
            (.merge, #"{"title":null}"#, #"{"id":"a","title":"old"}"#, .notThere),
            (.merge, #"{"title":"new","votes":2}"#, #"{"id":"a","title":"new","votes":1}"#, .unclear),
            (.merge, #"{"title":"old"}"#, #"{"id":"a","title":"old","votes":1}"#, .there),
            // The mirror had it already, and somebody else has changed it since.
            (.merge, #"{"title":"old"}"#, #"{"id":"a","title":"theirs","votes":1}"#, .unclear),
            // A member that no record shows, such as a comment to be added.
            (.merge, #"{"comment":"x"}"#, #"{"id":"a","title":"old","votes":1}"#, .unclear),
            (.merge, #"{"title":"new","comment":"x"}"#, #"{"id":"a","title":"old","votes":1}"#, .unclear),
            (.replace, #"{"id":"a","title":"new"}"#, #"{"id":"a","title":"new","updated_at":"now"}"#, .there),
            (.replace, #"{"id":"a","title":"new"}"#, #"{"id":"a","title":"old","votes":1}"#, .notThere),
            (.replace, #"{"id":"a","title":"new"}"#, #"{"id":"a","title":"new","votes":1}"#, .unclear),
            (.delete, "", #"{"id":"a","title":"old","votes":1}"#, .notThere),
        ] as [(WriteEdit.Change, String, String, Shown)])
    func `an edit is there, or missing, or another writer may have changed the record`(
        change: WriteEdit.Change, body: String, record: String, shown: Shown
    ) async throws {
        let document = try JSONDocument(Array(record.utf8))
        let answer: Shown =
            switch try await probe(change, body).answer(document) {
            case .there: .there
            case .notThere: .notThere
            case .unclear: .unclear
            }
        #expect(answer == shown)
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `no policy drops an edit that may have arrived before another writer changed the record`(
        policy: ConflictPolicy
    ) async throws {
        let origin = try LossyRecord(Self.before, fates: [.lostAfter])
        origin.change(to: #"{"id":"a","title":"theirs","votes":1}"#, before: 2)
        let (entry, bench) = try await end(.merge, #"{"title":"mine"}"#, origin, policy: policy)
        #expect(entry.state == .parked && entry.reason == .uncertain)
        #expect(try await bench.shown("a")?.contains("mine") == true)
    }

    private func probe(_ change: WriteEdit.Change, _ body: String) async throws -> RecordProbe {
        let edit = WriteEdit(change, of: try EditBench.posts(), key: "a")
        return RecordProbe(
            terms: EditTerms(edit, isNamed: false), key: "a", body: Array(body.utf8),
            before: try JSONDocument(Array(Self.before.utf8)))
    }

    @Test(arguments: [
        "[]", "null", #"{"id":"b"}"#, #"{"error":"no"}"#, #"[{"id":"b"}]"#,
    ])
    func `an answer without the record is inconclusive`(answer: String) async throws {
        let document = try JSONDocument(Array(answer.utf8))
        guard case .unclear = try await probe(.merge, #"{"title":"new"}"#).answer(document) else {
            Issue.record("\(answer) shows no record")
            return
        }
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch, .put, .delete])
    func `a create has no such probe`(method: HTTPRequest.Method) throws {
        let terms = EditTerms(WriteEdit(.create, of: try EditBench.posts()), isNamed: false)
        #expect(!terms.showRecord("a", at: try EditBench.url("/posts/a"), method))
    }
}

// MARK: - Conflicts

extension RecordProbeTests {
    @Test(arguments: [WriteEdit.Change.merge, .replace])
    func `an own write that arrived is not a conflict with itself`(change: WriteEdit.Change) async throws {
        // The answer to the first is lost, so that the second meets the version that the first one made.
        let origin = try LossyRecord(Self.before, fates: [.lostAfter])
        let body = change == .merge ? #"{"title":"new"}"# : #"{"id":"a","title":"new"}"#
        let (entry, _) = try await end(change, body, origin, ifMatch: true)
        #expect(entry.state == .done)
        #expect(origin.body?.contains("new") == true)
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `after a conflict the record is fetched, so that theirs is the origin's`(policy: ConflictPolicy) async throws {
        let origin = try LossyRecord(Self.before, fates: [])
        origin.change(to: #"{"id":"a","title":"theirs","votes":9}"#, before: 1)
        let (entry, bench) = try await end(.merge, #"{"title":"mine"}"#, origin, ifMatch: true, policy: policy)
        #expect(origin.methods.prefix(2) == ["PATCH", "GET"])
        switch policy {
        case .hold, .merge:
            #expect(entry.state == .parked && entry.reason == .conflict)
            #expect(try await bench.bases() == [["a", #"{"id":"a","title":"theirs","votes":9,"_rev":"2"}"#]])
        case .theirs:
            #expect(entry.state == .dropped)
            #expect(try await bench.shown("a") == #"{"id":"a","title":"theirs","votes":9,"_rev":"2"}"#)
        case .mine:
            #expect(entry.state == .done)
            #expect(origin.body == #"{"id":"a","title":"mine","votes":9}"#)
        }
    }

    @Test(arguments: ConflictPolicy.allCases, [WriteEdit.Change.merge, .replace, .delete])
    func `a refused ETag of an unchanged record is not a conflict`(
        policy: ConflictPolicy, change: WriteEdit.Change
    ) async throws {
        let body: String? =
            switch change {
            case .merge: #"{"title":"mine"}"#
            case .replace: #"{"id":"a","title":"mine","votes":1}"#
            case .create, .delete: nil
            }
        let origin = try LossyRecord(Self.before, fates: [])
        origin.change(to: Self.before, before: 1)
        let (entry, _) = try await end(change, body, origin, ifMatch: true, policy: policy)
        #expect(entry.state == .done, "\(entry.lastError?.message ?? "")")
        #expect(origin.methods.count { $0 != "GET" } == 2)
        #expect(origin.body?.contains("mine") == (change == .delete ? nil : true))
        // The ETag is another one at each look.
        let restless = try LossyRecord(Self.before, fates: [])
        for request in 1...9 { restless.change(to: Self.before, before: request) }
        let (parked, bench) = try await end(change, body, restless, ifMatch: true, policy: policy)
        #expect(parked.state == .parked && parked.reason == .conflict)
        #expect(parked.lastError?.message.hasSuffix("the record there is unchanged, only its ETag differs") == true)
        #expect(restless.methods.count { $0 != "GET" } == 2, "\(restless.methods)")
        #expect(restless.body == Self.before)
        #expect(try await bench.pending("a") == 1)
        #expect(try await bench.store.resolve(parked.id, as: .mine).state == .queued)
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `a change by another writer behind such a refusal is a conflict`(policy: ConflictPolicy) async throws {
        let origin = try LossyRecord(Self.before, fates: [])
        origin.change(to: Self.before, before: 1)
        origin.change(to: #"{"id":"a","title":"theirs","votes":1}"#, before: 3)
        let (entry, _) = try await end(.merge, #"{"title":"mine"}"#, origin, ifMatch: true, policy: policy)
        switch policy {
        case .hold, .merge: #expect(entry.state == .parked && entry.reason == .conflict)
        case .theirs: #expect(entry.state == .dropped)
        case .mine: #expect(entry.state == .done)
        }
    }

    @Test func `a merge of members that only one side changed is sent under the fetched ETag`() async throws {
        let origin = try LossyRecord(Self.before, fates: [])
        origin.change(to: #"{"id":"a","title":"old","votes":9}"#, before: 1)
        let (entry, _) = try await end(.merge, #"{"title":"mine"}"#, origin, ifMatch: true, policy: .merge)
        #expect(entry.state == .done)
        #expect(origin.body == #"{"id":"a","title":"mine","votes":9}"#)
    }
}
