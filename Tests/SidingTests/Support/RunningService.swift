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

/// A running service over a scripted origin; its clocks stand still until a test moves them.
struct RunningService {
    let store: Store
    let siding: Siding
    let clock = ManualClock()
    let connectivity = TestConnectivity()
    let kernel: ScriptedKernel
    /// Kept, so that the kernel has a listener after the service has ended, too.
    private let changes: NetworkChanges
    let log: RecordedLog
    private let task: Task<Void, any Error>
    private let directory: TemporaryDirectory

    init(
        _ origin: ScriptedOrigin, resources: [AnyResource], sources: [Source], time: ManualWallClock,
        isOnline: Bool = true, logging level: Logger.Level = .error, probes: StoreProbes = StoreProbes(),
        prepare: (Siding) async throws -> Void = { _ in }
    ) async throws {
        directory = try TemporaryDirectory()
        log = RecordedLog(level)
        var store = try await Store.open(at: directory.path(of: "store.db"), clock: time.clock)
        store.probes = probes
        self.store = store
        connectivity.set(hasUsableRoute: isOnline)
        let siding = try await Siding(
            store: .store(store), resources: resources, sources: sources, transports: origin,
            environment: RuntimeEnvironment(
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

    /// Lets the pace pass again and again until `condition` holds: a look that is under way as a pace ends may have read what it
    /// looks for before, and the next one comes a pace later.
    func runs(until condition: () async throws -> Bool) async throws {
        while try await !condition() {
            try Task.checkCancellation()
            await passes()
        }
    }

    /// Waits until the next look waits for its time, and lets that come.
    func passes() async {
        await clock.sleepers(1, waiting: RetryRules.serviceInterval)
        clock.advance(by: RetryRules.serviceInterval)
    }
}

extension RunningService {
    /// A source whose requests have a year: the paces that pass while one is under way are no time that it takes.
    static func source(_ name: String = "blog") throws -> Source {
        Source(
            name: name, baseURL: try HTTPURL("https://example.com"),
            transport: TransportSettings().with(\.totalTimeout, .seconds(365 * 86_400)), retry: RetryPolicy(retries: 0))
    }

    static func posts(from source: Source) -> AnyResource {
        var resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        resource.maxAge = .seconds(60)
        return resource
    }

    static func write(_ path: String, to source: String = "blog", isKeyed: Bool = true) throws -> WriteRequest {
        WriteRequest(
            to: source, .post, try HTTPURL("https://example.com\(path)"), body: Array("{}".utf8),
            idempotency: isKeyed ? Idempotency() : nil)
    }

    /// Leaves the first page of `posts` in the queue, as a program does that has no network.
    static func retainFirstPage(of posts: AnyResource, in store: Store) async throws {
        let offline = SyncEngine(
            store: store, transports: OfflineOrigin(), environment: RuntimeEnvironment(connectivity: TestConnectivity())
        )
        let report = try await offline.sync(posts)
        #expect(report.result.outcome == .queued)
    }
}

/// Every request meets a machine without a network.
private struct OfflineOrigin: TransportFactory {
    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ScriptedTransport { _ in .failure(Failure(.noInternetConnection, phase: .notSent)) }
    }
}

extension Mutex<Int> {
    /// Counts one more, and returns the new count.
    func next() -> Int {
        withLock { count in
            count += 1
            return count
        }
    }
}
