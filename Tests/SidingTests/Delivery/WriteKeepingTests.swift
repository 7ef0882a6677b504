// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// What is known of a write's way to its origin is not forgotten, whoever touches the entry meanwhile.
@Suite struct WriteKeepingTests {
    /// A store, a clock, and a source that may honour keys for an hour.
    private struct Bench {
        let directory: TemporaryDirectory
        let time = ManualWallClock()
        let store: Store

        init() async throws {
            directory = try TemporaryDirectory()
            store = try await Store.open(
                at: directory.path(of: "test.db"), clock: time.clock, jitter: Jitter { 1 })
        }

        func another() async throws -> Store {
            try await Store.open(at: store.path, clock: time.clock, jitter: Jitter { 1 })
        }

        func enqueue(isKeyed: Bool) async throws -> QueueEntry {
            try await store.enqueue(
                WriteRequest(
                    to: "api", .post, HTTPURL("https://api.test/a"), body: Array("{}".utf8),
                    idempotency: isKeyed ? Idempotency(lifetime: .seconds(3600)) : nil))
        }

        func claim(_ store: Store? = nil) async throws -> ClaimedWrite? {
            try await (store ?? self.store).claim(ClaimRequest(sources: ["api": 4]))
        }

        /// Sends what is due through a transport that fails like this, try after try.
        func send(_ failures: [Failure], retries: Int = 0) async throws {
            let source = Source(
                name: "api", baseURL: try HTTPURL("https://api.test"),
                retry: RetryPolicy(retries: retries, backoff: Backoff(base: .zero, cap: .zero)))
            let sender = WriteSender(
                store: store, sources: [source], transports: Failing(failures),
                environment: RuntimeEnvironment(
                    connectivity: TestConnectivity(), jitter: Jitter { 1 }, wallClock: time.clock))
            _ = try await sender.drain()
        }

        func entry(_ id: String) async throws -> QueueEntry {
            try #require(try await store.entries(QueueSelection(ids: [id])).first)
        }
    }

    /// Fails in this order, the last for ever.
    private struct Failing: TransportFactory {
        private let script: ScriptedTransport

        init(_ failures: [Failure]) {
            let count = Mutex(0)
            script = ScriptedTransport { _ in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return .failure(failures[min(number, failures.count) - 1])
            }
        }

        func transport(for account: String, _ settings: TransportSettings) -> any Transport { script }
    }

    @Test(arguments: [QueueAction.hold, .retry])
    func `a write that a dead sender may have sent is not sent again after an operator action`(
        action: QueueAction
    ) async throws {
        let bench = try await Bench()
        let entry = try await bench.enqueue(isKeyed: false)
        let dead = try await bench.another()
        try await dead.markSent(try #require(try await bench.claim(dead)))
        await dead.close()
        let change = try await bench.store.perform(action, on: QueueSelection(ids: [entry.id]))
        #expect(change.first?.refusal?.contains("may have") == true)
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        #expect(try await bench.claim() == nil)
    }

    @Test func `a write that a dead sender had not sent yet is held when an operator says so`() async throws {
        let bench = try await Bench()
        let entry = try await bench.enqueue(isKeyed: false)
        let dead = try await bench.another()
        _ = try #require(try await bench.claim(dead))
        await dead.close()
        let change = try await bench.store.perform(.hold, on: QueueSelection(ids: [entry.id]))
        #expect(change.first?.refusal == nil)
        #expect(try await bench.entry(entry.id).reason == .held)
        #expect(
            try await bench.store.history(of: entry.id).map(\.event.rawValue) == [
                "accepted", "claimed", "crashed", "held",
            ])
    }

    @Test func `why a write is parked is not hidden by putting it on hold`() async throws {
        let bench = try await Bench()
        let entry = try await bench.enqueue(isKeyed: false)
        try await bench.send([Failure(.connectionLost, phase: .maybeSent)])
        #expect(try await bench.entry(entry.id).reason == .uncertain)
        let change = try await bench.store.perform(.hold, on: QueueSelection(ids: [entry.id]))
        #expect(change.first?.refusal == "it is parked already (uncertain)")
        #expect(try await bench.entry(entry.id).reason == .uncertain)
    }

    @Test func `the lifetime of a key runs while its write is on hold`() async throws {
        let bench = try await Bench()
        let entry = try await bench.enqueue(isKeyed: true)
        try await bench.send([Failure(.connectionLost, phase: .maybeSent)])
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [entry.id]))
        bench.time.advance(by: .seconds(4000))
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(entry.id).reason == .keyExpired)
        // Now the person knows, and says it all the same.
        _ = try await bench.store.perform(.release, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.claim() != nil)
    }

    @Test(arguments: [true, false])
    func `a needed sign-in leaves open whether an earlier try arrived`(hasArrived: Bool) async throws {
        let bench = try await Bench()
        let entry = try await bench.enqueue(isKeyed: true)
        let refusal = Failure(.http(HTTPFailure(status: 401)), phase: .answered)
        try await bench.send((hasArrived ? [Failure(.connectionLost, phase: .maybeSent)] : []) + [refusal])
        #expect(try await bench.entry(entry.id).reason == .signIn)
        bench.time.advance(by: .seconds(4000))
        try await bench.store.endWaits(of: nil, because: .retryRequested)
        #expect((try await bench.claim() == nil) == hasArrived)
        #expect(try await bench.entry(entry.id).reason == (hasArrived ? .keyExpired : nil))
    }

    @Test func `the lifetime of a key begins with a try that was cut short, where it may have arrived`() async throws {
        let bench = try await Bench()
        let entry = try await bench.enqueue(isKeyed: true)
        try await bench.send([Failure(.cancelled, phase: .maybeSent), Failure(.connectionLost, phase: .notSent)])
        bench.time.advance(by: .seconds(4000))
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(entry.id).reason == .keyExpired)
    }

    @Test func `a second try that was not sent leaves open whether the first one arrived`() async throws {
        let bench = try await Bench()
        let entry = try await bench.enqueue(isKeyed: true)
        try await bench.send(
            [Failure(.connectionLost, phase: .maybeSent), Failure(.cantConnectToHost(.refused), phase: .notSent)],
            retries: 1)
        bench.time.advance(by: .seconds(4000))
        #expect(try await bench.claim() == nil)
        #expect(try await bench.entry(entry.id).reason == .keyExpired)
    }

    @Test func `a probe whose sender died does not lengthen the wait that an origin asked for`() async throws {
        let bench = try await Bench()
        _ = try await bench.enqueue(isKeyed: true)
        let first = try #require(try await bench.claim())
        let error = RecordedError(name: "http503", message: "later", phase: Failure.Phase.answered.rawValue)
        let until = bench.time.now + .seconds(5)
        let transition = WriteResult.Transition.retry(error, isCounted: false, waitsForNetwork: false) { _ in
            .seconds(5)
        }
        _ = try await bench.store.recordResult(first, WriteResult(transition, .retryAfter(until: until, note: "later")))
        bench.time.advance(by: .seconds(5))
        let dead = try await bench.another()
        #expect(try await bench.claim(dead) != nil)
        #expect(try await bench.claim() == nil, "one at a time finds out")
        await dead.close()
        _ = try await bench.store.reclaim()
        #expect(try await bench.claim() != nil)
    }
}
