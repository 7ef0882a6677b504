// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Logging
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

@testable import Siding
@testable import SidingNetwork

/// A service that goes on with other resources and sources, and what it logs.
@Suite(.timeLimit(.minutes(5))) struct SidingReplacingTests {
    private static func resource(_ name: String, at url: String = "https://example.com") throws -> AnyResource {
        let source = Source(name: "blog", baseURL: try HTTPURL(url), retry: RetryPolicy(retries: 0))
        return AnyResource(name, from: source, at: "/\(name)", key: "id")
    }

    private static func siding(
        _ origin: ScriptedOrigin, _ resources: [AnyResource], clock: ManualClock = ManualClock(),
        logger: Logger = .silent
    ) async throws -> Siding {
        let time = ManualWallClock()
        return try await Siding(
            store: .store(try await Store.temporary(clock: time.clock)), resources: resources, transports: origin,
            environment: RuntimeEnvironment(
                connectivity: TestConnectivity(), clock: clock, wallClock: time.clock, logger: logger))
    }

    /// Runs `siding` beside `body`, without a network that changes.
    private static func running(_ siding: Siding, _ body: () async throws -> Void) async throws {
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        let task = Task { try await siding.run(wakingOn: changes) }
        defer { task.cancel() }
        try await body()
        task.cancel()
        try await task.value
    }

    @Test func `resources under way finish, the run begins none of the former ones, and the new ones are next`()
        async throws
    {
        let gate = Gatepost()
        let (isListing, isNew) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex<[String]>([])
        let origin = ScriptedOrigin { target in
            asked.withLock { $0.append(target) }
            if target == "/new" { isNew.resolve(()) }
            guard target == "/first" else { return }
            isListing.resolve(())
            await gate.pass()
        }
        for name in ["first", "second", "new"] { origin.set("/\(name)", ScriptedOrigin.page("[1]")) }
        let siding = try await Self.siding(origin, [try Self.resource("first"), try Self.resource("second")])
        try await Self.running(siding) {
            await isListing.value()
            try siding.replace(resources: [try Self.resource("new")])
            #expect(siding.resources.map(\.name) == ["new"])
            gate.open()
            // No clock is moved.
            await isNew.value()
            while try await siding.store.runs(limit: 1).first?.endedAt == nil { await Task.yield() }
        }
        #expect(asked.withLock { $0 } == ["/first", "/new"])
        #expect(try await siding.rawRecords(of: Self.resource("first")).count == 1)
        #expect(try await siding.store.runs(limit: 9).map(\.outcome) == [.saved, .saved])
    }

    @Test func `a source that moved gets the writes that wait, at once`() async throws {
        let isSent = Promise<Void>()
        let origin = ScriptedOrigin { target in if target == "/orders" { isSent.resolve(()) } }
        origin.set("/orders", .status(.created))
        origin.set("/posts", ScriptedOrigin.page("[1]"))
        let clock = ManualClock()
        let siding = try await Self.siding(origin, [try Self.resource("posts")], clock: clock)
        try await Self.running(siding) {
            await clock.sleepers(1, waiting: RetryRules.serviceInterval)
            _ = try await siding.store.enqueue(
                WriteRequest(
                    to: "shop", .post, try HTTPURL("https://shop.example.com/orders"), body: Array("{}".utf8),
                    idempotency: Idempotency()))
            let shop = Source(name: "shop", baseURL: try HTTPURL("https://shop.example.com"))
            try siding.replace(resources: [try Self.resource("posts")], sources: [shop])
            await isSent.value()
        }
    }

    @Test func `equal names are refused, and the former declaration stays`() async throws {
        let siding = try await Self.siding(ScriptedOrigin(), [try Self.resource("posts")])
        let (one, other) = (try Self.resource("new"), try Self.resource("newer", at: "https://example.org"))
        for resources in [[one, one], [one, other]] {
            #expect { try siding.replace(resources: resources) } throws: { ($0 as? StoreError)?.kind == .invalidName }
        }
        #expect(siding.resources.map(\.name) == ["posts"])
    }

    @Test func `a service logs what changed, and a failure once until it changes`() throws {
        let recorded = RecordedLog()
        let log = ServiceLog(recorded.logger)
        var saved = SyncReport("posts", .saved)
        saved.result.counters.inserted = 2
        let refused = SyncReport("posts", error: RecordedError(name: "http", message: "403 at 10:00", status: 403))
        let again = SyncReport("posts", error: RecordedError(name: "http", message: "403 at 10:15", status: 403))
        let gone = SyncReport("posts", error: RecordedError(name: "http", message: "410", status: 410))
        let unchanged = SyncReport("posts", .notModified)
        let stopped = SyncReport("posts").failed(Failure(.cancelled, phase: .notSent))
        for report in [saved, unchanged, refused, again, gone, stopped, again, unchanged, unchanged] {
            log.note([report])
        }
        #expect(
            recorded.lines.map(\.description) == [
                "notice synced new=2 resource=posts", "warning the sync failed error=403 at 10:00 resource=posts",
                "warning the sync failed error=410 resource=posts",
                "warning the sync failed error=403 at 10:15 resource=posts", "notice synced resource=posts",
            ])
    }
}
