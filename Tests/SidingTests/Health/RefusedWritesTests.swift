// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingTesting
import Testing

@testable import Siding

/// Writes of a source that are refused one after the other.
@Suite struct RefusedWritesTests {
    private static let readOnly = ScriptedAnswer.text(#"{"message":"the token is read-only"}"#, status: .forbidden)

    /// A bench with `count` writes, each to `/N`.
    private func bench(
        _ count: Int, concurrency: Int = 1, _ answer: (Int) -> ScriptedAnswer
    ) async throws -> WriteBench {
        let bench = try await WriteBench(concurrency: concurrency)
        for number in 1...count {
            bench.origin.set("/\(number)", answer(number))
            try await bench.enqueue("/\(number)", idempotency: nil)
        }
        return bench
    }

    /// How many requests a sender sends now.
    private func sent(_ bench: WriteBench) async throws -> Int {
        _ = try await bench.sender().drain()
        return bench.origin.takeTargets().count
    }

    private func states(_ bench: WriteBench) async throws -> [QueueEntry.State: Int] {
        Dictionary(grouping: try await bench.store.entries(QueueSelection()), by: \.state).mapValues(\.count)
    }

    @Test(arguments: RefusedParentsTests.refusals.indices)
    func `behind five that are refused in the same way the others wait in the queue, and one at a time is tried`(
        _ index: Int
    ) async throws {
        let bench = try await bench(45) { _ in RefusedParentsTests.refusals[index] }
        #expect(try await sent(bench) == 5)
        #expect(try await states(bench) == [.parked: 5, .queued: 40])
        #expect(try await bench.store.gates().map(\.until) == [bench.time.now + .seconds(30)])
        #expect(try await sent(bench) == 0)
        bench.time.advance(by: .seconds(30))
        #expect(try await sent(bench) == 1)
        #expect(try await bench.store.gates().map(\.until) == [bench.time.now + .seconds(60)])
        // Whoever repairs it waits for no more than the gate.
        for number in 1...45 { bench.origin.set("/\(number)", .status(.created)) }
        bench.time.advance(by: .seconds(60))
        #expect(try await sent(bench) == 39)
        #expect(try await states(bench) == [.parked: 6])
        #expect(try await bench.store.gates() == [])
    }

    /// An origin in the middle of a deployment may answer to all that it knows nothing of them; or the records are gone.
    @Test(arguments: [HTTPResponse.Status.notFound, .gone])
    func `behind five that the origin does not find one is tried each half minute, also beside deletions`(
        _ status: HTTPResponse.Status
    ) async throws {
        let bench = try await bench(45) { _ in .status(status) }
        #expect(try await sent(bench) == 5)
        for _ in 1...8 {
            #expect(try await bench.store.gates().map(\.until) == [bench.time.now + .seconds(30)])
            bench.time.advance(by: .seconds(30))
            #expect(try await sent(bench) == 1)
        }
        #expect(try await states(bench) == [.parked: 13, .queued: 32])
        for number in 1...45 { bench.origin.set("/\(number)", .status(.created)) }
        bench.time.advance(by: .seconds(30))
        #expect(try await sent(bench) == 32)
        // A deletion is done then, and shows nothing of the others.
        for (number, method) in [HTTPRequest.Method.post, .post, .delete, .post, .post, .delete, .post].enumerated() {
            bench.origin.set("/new/\(number)", .status(status))
            try await bench.enqueue("/new/\(number)", method, idempotency: nil)
        }
        #expect(try await sent(bench) == 7)
        #expect(try await bench.store.gates().map(\.reason) == [.breaker])
    }

    @Test func `the gate has the origin's message`() async throws {
        let bench = try await bench(6) { _ in Self.readOnly }
        #expect(try await sent(bench) == 5)
        let gate = try #require(try await bench.store.gates().first)
        #expect(gate.reason == .breaker)
        #expect(
            gate.note == "5 writes in a row were refused in the same way: 403 Forbidden: the token is read-only")
    }

    @Test func `a retry has one tried at once`() async throws {
        let bench = try await bench(20) { _ in Self.readOnly }
        #expect(try await sent(bench) == 5)
        for _ in 1...3 {
            try await bench.store.endWaits(of: ["api"], because: .retryRequested)
            #expect(try await sent(bench) == 1)
        }
    }

    @Test func `pages that are answered meanwhile show nothing of the writes`() async throws {
        let bench = try await bench(20) { _ in Self.readOnly }
        #expect(try await sent(bench) == 5)
        try await bench.store.record(.answers, of: "api")
        #expect(try await sent(bench) == 0)
        bench.time.advance(by: .seconds(30))
        try await bench.store.record(.answers, of: "api")
        #expect(try await sent(bench) == 1)
        // Nor do they begin the count anew.
        let other = try await self.bench(20) { _ in Self.readOnly }
        for _ in 1...5 {
            try await other.store.record(.answers, of: "api")
            try await refuse(other)
        }
        #expect(try await other.claim() == nil)
    }

    /// Has the next write refused, by default in the same way as others.
    private func refuse(_ bench: WriteBench, _ outcome: SourceOutcome = .refused("403 Forbidden")) async throws {
        let write = try #require(try await bench.claim())
        let error = RecordedError(name: "http403", message: "no")
        _ = try await bench.store.recordResult(write, WriteResult(.parked(.rejected, error, nil), outcome))
    }

    @Test func `a page that is answered after the wait opens the gate, and one more refusal closes it for longer`()
        async throws
    {
        let bench = try await bench(20, concurrency: 4) { _ in Self.readOnly }
        for _ in 1...5 { try await refuse(bench) }
        bench.time.advance(by: .seconds(30))
        try await bench.store.record(.answers, of: "api")
        #expect(try await bench.store.gates() == [])
        let next = try #require(try await bench.claim())
        #expect(try await bench.claim() == nil, "one at a time")
        _ = try await bench.store.recordResult(
            next,
            WriteResult(
                .parked(.rejected, RecordedError(name: "http403", message: "no"), nil), .refused("403 Forbidden")))
        #expect(try await bench.store.gates().map(\.until) == [bench.time.now + .seconds(60)])
        // Once no write is left the gate goes with the next page.
        _ = try await bench.store.perform(.drop, on: QueueSelection(states: [.queued, .parked]))
        bench.time.advance(by: .seconds(60))
        try await bench.store.record(.answers, of: "api")
        #expect(try await bench.store.gates() == [])
    }

    @Test func `pages that are answered while refused writes wait end no waits for the network`() async throws {
        let bench = try await bench(20) { _ in Self.readOnly }
        let lost = try #require(try await bench.claim())
        try await bench.fail(lost, .nothing, wait: .seconds(600), waitsForNetwork: true)
        for _ in 1...5 { try await refuse(bench) }
        let due = try await bench.entry(lost.entry.id).nextAttemptAt
        try await bench.store.record(.answers, of: "api")
        #expect(try await bench.entry(lost.entry.id).nextAttemptAt == due)
    }

    @Test func `the end of an outage opens the gate although writes were refused before it`() async throws {
        let bench = try await bench(20, concurrency: 4) { _ in Self.readOnly }
        for _ in 1...5 { try await refuse(bench) }
        bench.time.advance(by: .seconds(30))
        for _ in 1...5 { try await bench.store.record(.failed, of: "api") }
        #expect(try await bench.store.gates().map(\.note) == ["5 tries in a row failed"])
        try await bench.store.record(.answers, of: "api")
        #expect(try await bench.store.gates() == [])
        try await refuse(bench)
        #expect(try await bench.store.gates().map(\.reason) == [.breaker], "the row goes on")
    }

    @Test func `a write that is refused for its own content has the next one tried, one at a time`() async throws {
        let bench = try await bench(20) {
            $0 == 6 ? .text(#"{"message":"name is taken"}"#, status: .unprocessableContent) : Self.readOnly
        }
        #expect(try await sent(bench) == 5)
        bench.time.advance(by: .seconds(30))
        #expect(try await sent(bench) == 2, "the one that is taken, and one that is refused as those before")
        #expect(try await bench.store.gates().map(\.until) == [bench.time.now + .seconds(60)])
        let other = try await self.bench(20, concurrency: 4) { _ in Self.readOnly }
        for _ in 1...5 { try await refuse(other) }
        other.time.advance(by: .seconds(30))
        try await refuse(other, .answers)
        #expect(try await other.claim() != nil)
        #expect(try await other.claim() == nil)
    }

    @Test func `a delivery in between restarts the count`() async throws {
        let bench = try await bench(30) { $0 % 5 == 0 ? .status(.created) : Self.readOnly }
        #expect(try await sent(bench) == 30)
        #expect(try await bench.store.gates() == [])
    }

    @Test func `refusals that differ only in the id or the time of their request are the same`() async throws {
        let bench = try await bench(20) {
            .text(
                #"{"type":"x","request_id":"req_011CSHoEeqs5C35K\#($0)","at":"2026-11-30T11:00:\#(10 + $0).5Z"}"#,
                status: .forbidden)
        }
        #expect(try await sent(bench) == 5)
        let note = try #require(try await bench.store.gates().first?.note)
        #expect(note.contains("req_011CSHoEeqs5C35K5"), "the last one is shown as it is: \(note)")
    }

    @Test(arguments: [
        "Field 'customfield_100NN' cannot be set", "body.items.NN.quantity is too large",
        "shipping_address_line_NN is too long", "SKU-2024-00NN-AB is not sold",
        "order 8f14e45f-ceea-467f-a8dd-0000000000NN is closed",
        "Field required: customfield_100NN", "no slot on 2026-12-NN", "no rights for post NN",
    ])
    func `names and numbers of the data make refusals different`(words: String) async throws {
        let bench = try await bench(20) {
            .text(#"{"message":"\#(words.replacing("NN", with: String(10 + $0)))"}"#, status: .badRequest)
        }
        #expect(try await sent(bench) == 20)
    }

    @Test(arguments: [
        "at 2026-11-30 11:00:NN", "request 8f14e45f-ceea-467f-a8dd-0000000000NN", "time 17644224NN",
        "Request ID: 8f14e45f-ceea-467f-a8dd-0000000000NN.", "request_id:8f14e45fceea467fNN",
        "trace a1b2c3d4e5f60718NN",
        "on Mon, 30 Nov 2026 11:00:NN GMT",
    ])
    func `ids and times of requests make none different`(words: String) async throws {
        let bench = try await bench(20) {
            .text(#"{"message":"no rights \#(words.replacing("NN", with: String(10 + $0)))"}"#, status: .forbidden)
        }
        #expect(try await sent(bench) == 5)
    }

    @Test(arguments: [HTTPResponse.Status.conflict, .preconditionFailed, .unprocessableContent])
    func `a refusal about one record does not concern the others`(_ status: HTTPResponse.Status) async throws {
        let bench = try await bench(20) { _ in .text(#"{"message":"name is taken"}"#, status: status) }
        #expect(try await sent(bench) == 20)
        #expect(try await bench.store.gates() == [])
    }

    @Test func `refusals with other messages, and those that a rule decides, are not counted`() async throws {
        let others = try await bench(20) {
            .text(#"{"fields":{"row":\#($0)}}"#, status: .badRequest)
        }
        #expect(try await sent(others) == 20)
        var ruled = try await bench(20) { _ in Self.readOnly }
        ruled.sources[0].failureRules = [
            try FailureRule(when: .answer(FailureRule.Answer(statuses: [403])), do: .park)
        ]
        #expect(try await sent(ruled) == 20)
    }

    @Test func `a refused credential closes the gate for a sign-in after one try, with any status`() async throws {
        var bench = try await bench(45) { _ in Self.readOnly }
        let store = InMemoryCredentialStore(["api": Credential(accessToken: "a", refreshToken: "r")])
        let refresher = TokenRefresherNode { _, _ in TokenGrant(accessToken: "b") }
        bench.sources[0].authorization = .refreshed(
            AccessSafety(
                AccessSettings(account: "api", store: store, refresher: refresher).with(\.statuses, [401, 403])))
        #expect(try await sent(bench) == 2, "one write, with the old token and with the new one")
        #expect(try await bench.store.gates().map(\.reason) == [.signIn])
        #expect(try await states(bench) == [.parked: 1, .queued: 44])
        #expect(try await bench.store.entries(QueueSelection(states: [.parked])).map(\.reason) == [.signIn])
    }

    @Test func `each source counts its own`() async throws {
        let bench = try await WriteBench(sources: ["api", "other"], concurrency: 1)
        bench.origin.set("/bad", Self.readOnly)
        bench.origin.set("/good", .status(.created))
        for _ in 1...10 {
            try await bench.enqueue("/bad", idempotency: nil)
            try await bench.enqueue("/good", to: "other", idempotency: nil)
        }
        #expect(try await sent(bench) == 15)
        #expect(try await bench.store.gates().map(\.source) == ["api"])
    }

    @Test(arguments: 1...8)
    func `side by side at most five are sent, or the number sent before the first answer`(
        concurrency: Int
    ) async throws {
        let bench = try await bench(45, concurrency: concurrency) { _ in Self.readOnly }
        let count = try await sent(bench)
        #expect((5...max(5, concurrency)).contains(count), "\(count)")
    }

    @Test func `refused writes and those under way are five together, until one is accepted`() async throws {
        let bench = try await bench(20, concurrency: 4) { _ in Self.readOnly }
        var underWay: [ClaimedWrite] = []
        func claimAll() async throws -> Int {
            while let write = try await bench.claim() { underWay.append(write) }
            return underWay.count
        }
        for _ in 1...3 { try await refuse(bench) }
        #expect(try await claimAll() == 2)
        try await bench.deliver(underWay.removeLast(), outcome: .accepted)
        #expect(try await claimAll() == 4)
    }

    @Test func `answers that ask for a wait do not count as failures`() async throws {
        let bench = try await WriteBench()
        for _ in 1...20 {
            try await bench.store.record(
                .retryAfter(until: bench.time.now + .seconds(60), note: "429", backoff: Backoff()), of: "api")
            bench.time.advance(by: .seconds(60))
        }
        try await bench.store.record(.failed, of: "api")
        #expect(try await bench.store.gates().allSatisfy { $0.reason != .breaker })
    }
}
