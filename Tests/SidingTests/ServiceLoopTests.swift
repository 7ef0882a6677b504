import Foundation
import HTTPTypes
import Logging
import SidingChain
import SidingCredentials
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// What ``Siding/run()`` does side by side, what wakes it, and what ends it.
@Suite(.timeLimit(.minutes(5))) struct ServiceLoopTests {
    /// A running service over a scripted origin; its clocks stand still until a test moves them.
    private struct Running {
        let store: Store
        let siding: Siding
        let clock = ManualClock()
        let connectivity = TestConnectivity()
        let kernel: ScriptedKernel
        /// Kept, so that the kernel has a listener after the service has ended, too.
        private let changes: NetworkChanges
        let log = RecordedLog(.error)
        private let task: Task<Void, any Error>
        private let directory: TemporaryDirectory

        init(
            _ origin: ScriptedOrigin, resources: [AnyResource], sources: [Source], time: ManualWallClock,
            isOnline: Bool = true, probes: StoreProbes = StoreProbes(),
            prepare: (Siding) async throws -> Void = { _ in }
        ) async throws {
            directory = try TemporaryDirectory()
            var store = try await Store.open(at: directory.path(of: "store.db"), clock: time.clock)
            store.probes = probes
            self.store = store
            connectivity.set(hasUsableRoute: isOnline)
            let siding = try await Siding(
                store: .store(store), resources: resources, sources: sources, transports: origin,
                environment: Environment(
                    connectivity: connectivity, jitter: .none, clock: clock, wallClock: time.clock,
                    logger: log.logger))
            self.siding = siding
            try await prepare(siding)
            let kernel = try ScriptedKernel()
            self.kernel = kernel
            let changes = NetworkChanges(socket: kernel.socket)
            self.changes = changes
            task = Task { try await siding.run(wakingOn: changes) }
        }

        /// Cancels it, as a graceful shutdown does.
        func stop() { task.cancel() }

        func ended() async throws { try await task.value }

        /// Changes the network, and returns when the service can know it.
        func announce(_ change: NetworkChange) async { await kernel.tell(change, changes) }

        /// How many posts are stored.
        func records() async throws -> Int {
            try await store.records(of: "posts", after: nil, limit: 9, deleted: false).count
        }

        /// Lets the pace pass again and again until `condition` holds.
        func runs(until condition: () async throws -> Bool) async throws {
            while try await !condition() {
                try Task.checkCancellation()
                await passes()
            }
        }

        /// Waits until the next look waits for its time, and lets that come.
        func passes() async {
            await clock.sleepers(1, waiting: Siding.pace)
            clock.advance(by: Siding.pace)
        }
    }

    /// A source whose requests have a year: the paces that pass while one is under way are no time that it takes.
    private static func source(_ name: String = "blog") throws -> Source {
        Source(
            name: name, baseURL: try HTTPURL("https://example.com"),
            transport: TransportSettings(totalTimeout: .seconds(365 * 86_400)), retry: RetryPolicy(retries: 0))
    }

    private static func posts(from source: Source) -> AnyResource {
        var resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        resource.maxAge = .seconds(60)
        return resource
    }

    private static func write(_ path: String, isKeyed: Bool = true) throws -> WriteRequest {
        WriteRequest(
            to: "blog", .post, try HTTPURL("https://example.com\(path)"), body: Array("{}".utf8),
            idempotency: isKeyed ? Idempotency() : nil)
    }

    @Test func `writes go out while a listing is under way`() async throws {
        let gate = Gatepost()
        let (isListing, isSent) = (Promise<Void>(), Promise<Void>())
        let origin = ScriptedOrigin.posts { target in
            if target == "/orders" { isSent.resolve(()) }
            guard target == "/posts?page=2" else { return }
            isListing.resolve(())
            await gate.pass()
        }
        origin.set("/orders", .status(.created))
        let source = try Self.source()
        let running = try await Running(
            origin, resources: [Self.posts(from: source)], sources: [source], time: ManualWallClock())
        await isListing.value()
        _ = try await running.store.enqueue(Self.write("/orders"))
        await running.passes()
        // The listing waits for its second page all the while.
        await isSent.value()
        gate.open()
        try await running.runs { try await running.records() == 5 }
        running.stop()
        try await running.ended()
    }

    @Test func `the return of the network ends the wait for a page at once`() async throws {
        let isBack = Promise<Void>()
        let asked = Mutex(0)
        let origin = ScriptedOrigin.posts { target in
            asked.withLock { $0 += 1 }
            if target == "/posts?page=3" { isBack.resolve(()) }
        }
        let source = try Self.source()
        let running = try await Running(
            origin, resources: [Self.posts(from: source)], sources: [source], time: ManualWallClock(), isOnline: false
        ) { siding in
            let offline = SyncEngine(
                store: siding.store, transports: OfflineOrigin(),
                environment: Environment(connectivity: TestConnectivity()))
            let report = try await offline.sync(Self.posts(from: source))
            #expect(report.result.outcome == .queued)
        }
        await running.passes()
        await running.clock.sleepers(1, waiting: Siding.pace)
        #expect(asked.withLock { $0 } == 0)
        running.connectivity.set(hasUsableRoute: true)
        running.kernel.tell(.routes)
        // No clock was moved.
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test func `a page that waits for a sign-in is asked for once the credentials have changed, and not before`()
        async throws
    {
        let token = Mutex("old")
        let asked = Mutex(0)
        var source = try Self.source()
        source.authorization = .bearer(Secret("test") { token.withLock { $0 } })
        let origin = ScriptedOrigin.posts { target in
            if target == "/posts?page=2" { asked.withLock { $0 += 1 } }
        }
        let lost = ScriptedAnswer.failure(Failure(.noInternetConnection, phase: .notSent))
        origin.set("/posts?page=2", lost, .status(.unauthorized))
        let posts = Self.posts(from: source)
        let running = try await Running(origin, resources: [posts], sources: [], time: ManualWallClock()) { siding in
            _ = try await siding.sync(posts)
            await #expect(throws: SyncError.self) { try await siding.sync(posts) }
        }
        // A program that was started anew does not know what was tried before, and tries all credentials once or twice.
        try await running.runs { asked.withLock { $0 } >= 3 }
        for _ in 0..<20 { await running.passes() }
        try await running.runs { try await running.store.entries(QueueSelection()).map(\.reason) == [.signIn] }
        #expect(asked.withLock { $0 } <= 4)
        origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        token.withLock { $0 = "new" }
        try await running.runs { try await running.store.entries(QueueSelection()).isEmpty }
        running.stop()
        try await running.ended()
    }

    @Test func `a first page that was refused is asked for again with other credentials, or once its time has come`()
        async throws
    {
        let token = Mutex("old")
        let asked = Mutex<[Timestamp]>([])
        let time = ManualWallClock()
        var source = try Self.source()
        source.authorization = .bearer(Secret("test") { token.withLock { $0 } })
        let origin = ScriptedOrigin { _ in asked.withLock { $0.append(time.now) } }
        origin.set("/posts", .status(.unauthorized))
        let running = try await Running(origin, resources: [Self.posts(from: source)], sources: [], time: time)
        try await running.runs {
            guard asked.withLock({ $0.count }) >= 3 else {
                time.advance(by: .seconds(20))
                return false
            }
            // Its refusal is recorded.
            return try await running.store.runs(limit: 1).first?.endedAt != nil
        }
        let moments = asked.withLock { $0 }
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= .seconds(60) }, "\(moments)")
        token.withLock { $0 = "new" }
        // No clock is moved from here on.
        try await running.runs { asked.withLock { $0.count } > 3 }
        running.stop()
        try await running.ended()
    }

    @Test
    func `a page that is refused with the old credentials after the new ones were seen is asked for with the new ones`()
        async throws
    {
        let token = Mutex("old")
        let gate = Gatepost()
        let asked = Mutex(0)
        var source = try Self.source()
        source.authorization = .bearer(Secret("test") { token.withLock { $0 } })
        let origin = ScriptedOrigin { _ in
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            if count == 1 { await gate.pass() }
        }
        origin.set("/posts", .status(.unauthorized), ScriptedOrigin.page("[1]"))
        let posts = Self.posts(from: source)
        let time = ManualWallClock()
        let running = try await Running(origin, resources: [posts], sources: [], time: time) { siding in
            let offline = SyncEngine(
                store: siding.store, transports: OfflineOrigin(),
                environment: Environment(connectivity: TestConnectivity()))
            _ = try await offline.sync(posts)
            time.advance(by: .seconds(60))
            try await siding.store.record(.signIn(note: "401"), of: "blog")
        }
        try await running.runs { asked.withLock { $0 > 0 } }
        token.withLock { $0 = "new" }
        // Two looks, which find the new token while the page is under way.
        for _ in 1...2 { await running.passes() }
        await running.clock.sleepers(1, waiting: Siding.pace)
        gate.open()
        // The clock of the store stands still: its schedule does not make it due.
        try await running.runs { asked.withLock { $0 > 1 } }
        running.stop()
        try await running.ended()
    }

    @Test(arguments: [["/orders"], ["/posts"], ["/orders", "/posts"]])
    func `a token that is renewed and refused again and again is not renewed at each look`(paths: [String]) async throws
    {
        let renewals = Mutex(0)
        let store = InMemoryCredentialStore()
        try await store.save(Credential(accessToken: "first", refreshToken: "r"), of: "blog")
        let refresher = TokenRefresherNode { _, _ in
            let number = renewals.withLock { renewals in
                renewals += 1
                return renewals
            }
            return TokenGrant(accessToken: "token-\(number)", refreshToken: "r")
        }
        var source = try Self.source()
        source.authorization = .refreshed(AccessSafety(account: "blog", store: store, refresher: refresher))
        let origin = ScriptedOrigin { _ in }
        for path in paths { origin.set(path, .status(.unauthorized)) }
        let posts = paths.contains("/posts") ? [Self.posts(from: source)] : []
        let running = try await Running(
            origin, resources: posts, sources: [source], time: ManualWallClock()
        ) { siding in
            if paths.contains("/orders") { _ = try await siding.store.enqueue(Self.write("/orders")) }
        }
        try await running.runs { renewals.withLock { $0 } > 0 }
        for _ in 1...50 { await running.passes() }
        running.stop()
        try await running.ended()
        #expect(renewals.withLock { $0 } <= 3 * paths.count)
    }

    @Test func `a secret that is another one at each reading does not make a failed sync due at each look`()
        async throws
    {
        let asked = Mutex(0)
        let readings = Mutex(0)
        var source = try Self.source()
        source.authorization = .bearer(
            Secret("test") {
                readings.withLock { readings in
                    readings += 1
                    return "token-\(readings)"
                }
            })
        let origin = ScriptedOrigin { _ in asked.withLock { $0 += 1 } }
        origin.set("/posts", .status(.notFound))
        let running = try await Running(
            origin, resources: [Self.posts(from: source)], sources: [], time: ManualWallClock())
        try await running.runs { asked.withLock { $0 } == 3 }
        for _ in 1...50 { await running.passes() }
        #expect(asked.withLock { $0 } == 3)
        running.stop()
        try await running.ended()
    }

    @Test func `a parked page is asked for as soon as a person releases it, though its sync failed`() async throws {
        let asked = Mutex(0)
        let source = try Self.source()
        let origin = ScriptedOrigin { _ in asked.withLock { $0 += 1 } }
        origin.set("/posts", .status(.forbidden), ScriptedOrigin.page("[1]"))
        let (posts, time) = (Self.posts(from: source), ManualWallClock())
        let running = try await Running(origin, resources: [posts], sources: [], time: time) { siding in
            let offline = SyncEngine(
                store: siding.store, transports: OfflineOrigin(),
                environment: Environment(connectivity: TestConnectivity()))
            _ = try await offline.sync(posts)
            time.advance(by: .seconds(60))
        }
        let parked = QueueSelection(states: [.parked], kinds: [.fetch])
        try await running.runs { try await !running.store.entries(parked).isEmpty }
        for _ in 1...3 { await running.passes() }
        #expect(asked.withLock { $0 } == 1)
        let page = try #require(try await running.store.entries(parked).first)
        _ = try await running.siding.release(page)
        // The clock of the store stands still: its schedule does not make it due.
        try await running.runs { asked.withLock { $0 } == 2 }
        running.stop()
        try await running.ended()
    }

    @Test func `a write that fails after the network has changed is sent again at once`() async throws {
        let gate = Gatepost()
        let (arrived, isBack) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex(0)
        let origin = ScriptedOrigin { _ in
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            guard count == 1 else {
                isBack.resolve(())
                return
            }
            arrived.resolve(())
            await gate.pass()
        }
        origin.set("/orders", .failure(Failure(.noInternetConnection, phase: .notSent)), .status(.created))
        let source = try Self.source()
        let running = try await Running(origin, resources: [], sources: [source], time: ManualWallClock()) { siding in
            _ = try await siding.store.enqueue(Self.write("/orders"))
        }
        await arrived.value()
        await running.announce(.routes)
        // The loop has heard of it: the other part has looked again, and the next pause is one of its own.
        await running.passes()
        await running.clock.sleepers(1, waiting: Siding.pace)
        gate.open()
        // The clock of the store stands still: the wait for the network would not end by itself.
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test(arguments: ["/orders", "/posts"])
    func `what is to be tried again goes out when it is due, not with the next look`(path: String) async throws {
        let asked = Mutex(0)
        let isBack = Promise<Void>()
        let origin = ScriptedOrigin { target in
            guard target == path else { return }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            if count == 2 { isBack.resolve(()) }
        }
        origin.set(
            path, .status(.serviceUnavailable, headerFields: [.retryAfter: "2"]),
            path == "/orders" ? .status(.created) : ScriptedOrigin.page("[1]"))
        let (source, time) = (try Self.source(), ManualWallClock())
        let posts = path == "/posts" ? [Self.posts(from: source)] : []
        let running = try await Running(origin, resources: posts, sources: [source], time: time) { siding in
            if path == "/orders" { _ = try await siding.store.enqueue(Self.write("/orders")) }
        }
        await running.clock.sleepers(1, waiting: .seconds(2))
        time.advance(by: .seconds(2))
        running.clock.advance(by: .seconds(2))
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test func `a page that becomes due while another listing is under way is asked for as soon as that has ended`()
        async throws
    {
        let gate = Gatepost()
        let (isListing, isBack) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex(0)
        let origin = ScriptedOrigin { target in
            if target == "/comments" {
                isListing.resolve(())
                await gate.pass()
            } else {
                let count = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                if count == 2 { isBack.resolve(()) }
            }
        }
        origin.set(
            "/posts", .status(.serviceUnavailable, headerFields: [.retryAfter: "2"]), ScriptedOrigin.page("[1]"))
        origin.set("/comments", ScriptedOrigin.page("[1]"))
        let (source, other) = (try Self.source(), try Self.source("other"))
        let time = ManualWallClock()
        let comments = AnyResource("comments", from: other, at: "/comments", key: "id")
        let running = try await Running(
            origin, resources: [Self.posts(from: source), comments], sources: [], time: time)
        await isListing.value()
        while try await running.store.entries(QueueSelection(kinds: [.fetch])).isEmpty { try Task.checkCancellation() }
        time.advance(by: .seconds(5))
        gate.open()
        // Nobody moves the clock of the pauses.
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test(arguments: [true, false])
    func `what an earlier service kept for lack of a network goes out at the start, if there is one`(
        isOnline: Bool
    ) async throws {
        let isSent = Promise<Void>()
        let origin = ScriptedOrigin { _ in isSent.resolve(()) }
        origin.set("/orders", .status(.created))
        let source = try Self.source()
        let running = try await Running(
            origin, resources: [], sources: [source], time: ManualWallClock(), isOnline: isOnline
        ) { siding in
            _ = try await siding.store.enqueue(Self.write("/orders"))
            try await siding.store.record(.offline(note: "no route"), of: "blog")
        }
        // No clock is moved.
        if isOnline { await isSent.value() } else { await running.clock.sleepers(1, waiting: Siding.pace) }
        #expect(origin.waiting == (isOnline ? 1 : 0))
        running.stop()
        try await running.ended()
    }

    // MARK: Failures of the store

    @Test func `a failure that may heal is logged once and shown until it is over, and the work goes on`() async throws
    {
        let isFull = Mutex(true)
        let tries = Mutex(0)
        let probes = StoreProbes(willCommit: { _ throws(StoreError) in
            tries.withLock { $0 += 1 }
            if isFull.withLock({ $0 }) { throw StoreError(.full, "the disk is full") }
        })
        let source = try Self.source()
        let running = try await Running(
            .posts(), resources: [Self.posts(from: source)], sources: [], time: ManualWallClock(), probes: probes)
        try await running.runs { tries.withLock { $0 } >= 3 }
        #expect(running.log.lines.compactMap { $0.metadata["kind"] } == ["full"])
        #expect(await running.siding.health.storeFailure?.kind == .full)
        isFull.withLock { $0 = false }
        try await running.runs {
            let isShown = await running.siding.health.storeFailure != nil
            return try await running.records() == 5 && !isShown
        }
        running.stop()
        try await running.ended()
        #expect(running.log.lines.compactMap { $0.metadata["kind"] } == ["full"])
    }

    @Test func `a file that was removed or replaced ends the service`() async throws {
        let source = try Self.source()
        let running = try await Running(
            .posts(), resources: [Self.posts(from: source)], sources: [], time: ManualWallClock())
        try await running.runs { (try? await running.records()) == 5 }
        try FileManager.default.removeItem(atPath: running.store.path)
        // The next look comes at once, if there has been none since.
        running.kernel.tell(.routes)
        let error = await #expect(throws: StoreError.self) { try await running.ended() }
        #expect(error?.kind == .foreign)
    }

    @Test func `a failure that cannot heal ends the service`() async throws {
        let probes = StoreProbes(willCommit: { _ throws(StoreError) in throw StoreError(.corrupt, "malformed") })
        let source = try Self.source()
        let running = try await Running(
            .posts(), resources: [Self.posts(from: source)], sources: [], time: ManualWallClock(), probes: probes)
        await #expect { try await running.ended() } throws: { ($0 as? StoreError)?.kind == .corrupt }
    }

    // MARK: Stopping

    @Test(arguments: [true, false])
    func `a write that may not be sent twice has some time for its answer when the service is stopped`(
        isAnswered: Bool
    ) async throws {
        let gate = Gatepost()
        let arrived = Promise<Void>()
        let origin = ScriptedOrigin { _ in
            arrived.resolve(())
            await gate.pass()
        }
        origin.set("/orders", .status(.created))
        let source = try Self.source()
        let running = try await Running(origin, resources: [], sources: [source], time: ManualWallClock()) { siding in
            _ = try await siding.store.enqueue(Self.write("/orders", isKeyed: false))
        }
        await arrived.value()
        running.stop()
        await running.clock.sleepers(1, waiting: WriteSender.grace)
        if isAnswered { gate.open() } else { running.clock.advance(by: WriteSender.grace) }
        try await running.ended()
        let all = QueueSelection(states: QueueEntry.State.allCases)
        let entry = try #require(try await running.store.entries(all).first)
        #expect(entry.state == (isAnswered ? .done : .parked))
        #expect(entry.reason == (isAnswered ? nil : .uncertain))
    }
}

/// Every request meets a machine without a network.
private struct OfflineOrigin: TransportFactory {
    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { _ in .failure(Failure(.noInternetConnection, phase: .notSent)) }
    }
}
