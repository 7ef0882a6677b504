// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What goes out for a write, and what each end of it makes of the entry.
@Suite(.timeLimit(.minutes(5))) struct WriteSenderTests {
    @Test func `a write is sent with its own fields, the source's, and its key`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/issues?x=1", .text(#"{"id":7}"#, status: .created))
        let entry = try await bench.enqueue("/issues?x=1", key: "k-1", body: #"{"a":1}"#)
        #expect(try await bench.sender().drain().map(\.state) == [.done])
        let request = try #require(bench.origin.takeRequests().first)
        #expect(request.method == .post)
        #expect(request.headerFields[Idempotency.standardField] == "k-1")
        #expect(request.headerFields[.accept] == "application/json")
        #expect(try await bench.events(entry.id) == ["accepted", "claimed", "delivered"])
    }

    @Test func `the key is sent with every POST and PATCH`() async throws {
        let bench = try await WriteBench()
        for (method, path) in [(HTTPRequest.Method.post, "/a"), (.patch, "/b"), (.put, "/c"), (.delete, "/d")] {
            bench.origin.set(path, .status(.noContent))
            try await bench.enqueue(path, method, key: String(path.dropFirst()), idempotency: nil)
        }
        _ = try await bench.sender().drain()
        let keys = bench.origin.takeRequests().map { ($0.path ?? "", $0.headerFields[Idempotency.standardField]) }
        let byPath = Dictionary(uniqueKeysWithValues: keys)
        #expect(byPath == ["/a": "a", "/b": "b", "/c": nil, "/d": nil])
    }

    @Test(arguments: [404, 410])
    func `a delete of a missing record is done`(status: Int) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/issues/7", .status(.init(code: status)))
        try await bench.enqueue("/issues/7", .delete)
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }

    @Test(arguments: [
        (400, ParkReason.rejected), (403, .rejected), (404, .rejected), (422, .rejected), (409, .conflict),
        (412, .conflict), (401, .signIn), (501, .rejected),
    ])
    func `a refusal waits for an operator, with the answer kept`(status: Int, reason: ParkReason) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .text(#"{"message":"no"}"#, status: .init(code: status)))
        let entry = try await bench.enqueue("/a", idempotency: nil)
        _ = try await bench.sender().drain()
        let parked = try await bench.entry(entry.id)
        #expect(parked.state == .parked && parked.reason == reason)
        #expect(parked.lastError?.status == status)
        #expect(bench.origin.takeTargets().count == 1)
    }

    @Test(arguments: [500, 502, 504])
    func `a failing origin is tried again where the write may arrive twice, else it waits for an operator`(
        status: Int
    ) async throws {
        let bench = try await WriteBench()
        for path in ["/keyed", "/plain"] { bench.origin.set(path, .status(.init(code: status))) }
        let keyed = try await bench.enqueue("/keyed")
        let plain = try await bench.enqueue("/plain", idempotency: nil)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(keyed.id).state == .queued)
        #expect(try await bench.entry(keyed.id).attempts == 1)
        #expect(try await bench.entry(keyed.id).nextAttemptAt == bench.time.now + .seconds(2))
        #expect(try await bench.entry(plain.id).reason == .uncertain)
    }

    @Test func `an answer that asks for a wait does not count as a failed try, and holds for its source`() async throws
    {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/a", .status(.serviceUnavailable, headerFields: [.retryAfter: "120"]))
        let first = try await bench.enqueue("/a", idempotency: nil)
        try await bench.enqueue("/b")
        _ = try await bench.sender().drain()
        #expect(bench.origin.takeTargets() == ["/a"])
        let entry = try await bench.entry(first.id)
        #expect(entry.attempts == 0 && entry.nextAttemptAt == bench.time.now + .seconds(120))
    }

    @Test func `a lost connection is tried again with a key, and is uncertain without one`() async throws {
        let bench = try await WriteBench()
        for path in ["/keyed", "/plain"] {
            bench.origin.set(path, .failure(Failure(.connectionLost, phase: .maybeSent)))
        }
        let keyed = try await bench.enqueue("/keyed")
        let plain = try await bench.enqueue("/plain", idempotency: nil)
        for _ in 0..<5 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(4000))
        }
        #expect(try await bench.entry(plain.id).reason == .uncertain)
        #expect(try await bench.entry(keyed.id).state == .queued)
        #expect(bench.origin.takeTargets().filter { $0 == "/plain" }.count == 1, "never a second time on its own")
    }

    @Test func `a connection that was refused leaves a write as unsent as it was`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .failure(Failure(.cantConnectToHost(.refused), phase: .notSent)), .status(.created))
        let entry = try await bench.enqueue("/a", idempotency: nil)
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).state == .queued)
        let dead = try await bench.another()
        bench.time.advance(by: .seconds(10))
        #expect(try await bench.claim(dead) != nil)
        await dead.close()
        _ = try await bench.store.reclaim()
        #expect(try await bench.entry(entry.id).state == .queued, "its sending mark was taken back")
    }

    @Test func `without a way out the entry itself waits for nothing: its source's gate does`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        bench.origin.set("/a", .failure(Failure(.noInternetConnection, phase: .notSent)), .status(.created))
        let entry = try await bench.enqueue("/a")
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).attempts == 0)
        #expect(try await bench.entry(entry.id).nextAttemptAt == bench.time.now)
        try await bench.store.endWaits(of: nil, because: .lineReturned)
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }

    @Test func `an answer whose body breaks off still counts as an action of the origin`() async throws {
        let bench = try await WriteBench()
        let head = HTTPResponse(status: .created)
        bench.origin.set("/a", .reply(head, chunks: [[1]], ending: Failure(.truncated, phase: .answered)))
        try await bench.enqueue("/a", idempotency: nil)
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }

    @Test func `an unknown host is tried three times, then it waits for an operator`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .failure(Failure(.hostNotFound, phase: .notSent)))
        let entry = try await bench.enqueue("/a")
        for _ in 0..<5 {
            _ = try await bench.sender().drain()
            bench.time.advance(by: .seconds(4000))
        }
        #expect(try await bench.entry(entry.id).reason == .rejected)
        #expect(bench.origin.takeTargets().count == 3)
    }

    @Test func `a bad write stops its lane only`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/bad", .status(.unprocessableContent))
        bench.origin.set("/good", .status(.created))
        try await bench.enqueue("/good", lane: "l0")
        let bad = try await bench.enqueue("/bad", lane: "l0")
        for index in 0..<9 { try await bench.enqueue("/good", lane: "l\(index)") }
        let tried = try await bench.sender().drain()
        #expect(tried.filter { $0.state == .done }.count == 9)
        #expect(try await bench.store.entries(QueueSelection(states: [.queued])).map(\.lane) == ["l0"])
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [bad.id]))
        #expect(try await bench.sender().drain().map(\.state) == [.done])
    }

    @Test func `a sender that stops completes its claimed entries`() async throws {
        let bench = try await WriteBench(concurrency: 1)
        let clock = ManualClock()
        let origin = ScriptedOrigin(["/a": .status(.created), "/b": .status(.created)]) { _ in
            // Waits until it is told to stop, as a request does.
            try? await clock.sleep(for: .seconds(60))
        }
        let sender = WriteSender(
            store: bench.store, sources: bench.sources, transports: origin,
            environment: RuntimeEnvironment(connectivity: bench.connectivity, wallClock: bench.time.clock))
        let first = try await bench.enqueue("/a")
        let second = try await bench.enqueue("/b")
        let draining = Task { try await sender.drain() }
        await clock.sleepers(1)
        draining.cancel()
        _ = try await draining.value
        let states = try await [bench.entry(first.id).state, bench.entry(second.id).state]
        #expect(!states.contains(.sending), "nothing is left in hand")
        #expect(states[1] == .queued)
    }

    @Test func `another store of the same process id has parked nothing itself`() async throws {
        let bench = try await WriteBench()
        let (since, other) = (bench.time.now, try await bench.another())
        let entry = try await bench.enqueue("/bad")
        try await bench.refuse(try #require(try await bench.claim()))
        #expect(try await bench.store.writesParked(since: since).map(\.id) == [entry.id])
        #expect(try await other.writesParked(since: since) == [])
    }

    @Test func `watching ends when nothing is left, and begins again when the line returns`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .failure(Failure(.noInternetConnection, phase: .notSent)), .status(.created))
        bench.connectivity.set(hasUsableRoute: false)
        let clock = ManualClock()
        let sender = WriteSender(
            store: bench.store, sources: bench.sources, transports: bench.origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: Jitter { 1 }, clock: clock, wallClock: bench.time.clock))
        let entry = try await bench.enqueue("/a")
        let loop = ServiceLoop(sender: sender, pace: RetryRules.watchInterval, changes: nil)
        async let watching: Void = loop.run { _ throws(StoreError) in
            try await bench.store.entries(QueueSelection()).isEmpty
        }
        // The first try meets no way out; watching goes on in steps, and none of them tries again. The deadline of the
        // try sleeps on the same clock, and is not meant.
        while try await bench.store.gates().isEmpty { try Task.checkCancellation() }
        for _ in 0..<3 {
            await clock.sleepers(1, waiting: RetryRules.watchInterval)
            clock.advance(by: RetryRules.watchInterval)
        }
        #expect(bench.origin.takeTargets().count == 1)
        // The line returns while it sleeps: before, it might see that without another sleep to wait for.
        await clock.sleepers(1, waiting: RetryRules.watchInterval)
        bench.connectivity.set(hasUsableRoute: true)
        clock.advance(by: RetryRules.watchInterval)
        try await watching
        #expect(try await bench.entry(entry.id).state == .done)
    }

    @Test func `a cancelled task claims no write`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .status(.created))
        let entry = try await bench.enqueue("/a")
        let sender = bench.sender()
        let sending = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await sender.send(entry.id, passesGates: true)
        }
        sending.cancel()
        #expect(try await sending.value == nil)
        #expect(try await bench.events(entry.id) == ["accepted"])
        #expect(bench.origin.takeTargets() == [])
    }

    @Test(arguments: GateTests.shortWaits)
    func `an origin that asks for too short a wait is tried ever more rarely`(value: String) async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .status(.serviceUnavailable, headerFields: [.retryAfter: value]))
        bench.origin.set("/b", .status(.tooManyRequests, headerFields: [.retryAfter: value]))
        let entry = try await bench.enqueue("/a")
        _ = try await bench.sender().drain()
        #expect(try await bench.entry(entry.id).nextAttemptAt == bench.time.now + .seconds(2))
        #expect(try await bench.entry(entry.id).attempts == 1)
        for _ in 0..<3 { try await bench.enqueue("/b", idempotency: nil) }
        for _ in 0..<40 {
            bench.time.advance(by: .seconds(1))
            _ = try await bench.sender().drain()
        }
        #expect((3...10).contains(bench.origin.takeTargets().count))
        #expect(try await bench.store.entries(QueueSelection(states: [.queued])).count == 4)
    }

    @Test func `a keyed write that may have arrived is edited only on hold`() async throws {
        let bench = try await WriteBench()
        bench.origin.set("/a", .failure(Failure(.connectionLost, phase: .maybeSent)))
        let entry = try await bench.enqueue("/a")
        _ = try await bench.sender().drain()
        let change = WriteChange(body: Array(#"{"b":1}"#.utf8))
        await #expect(throws: StoreError.self) { _ = try await bench.store.replace(entry.id, with: change) }
        #expect(try await bench.entry(entry.id).state == .queued)
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.store.replace(entry.id, with: change).state == .queued)
    }
}
