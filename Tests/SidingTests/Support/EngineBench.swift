// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

/// A sync engine between a scripted origin and a store, with clocks that a test moves.
struct EngineBench {
    let origin: ScriptedOrigin
    let store: Store
    let provider: StoreProvider
    let time: ManualWallClock
    let clock = ManualClock()
    let connectivity = TestConnectivity()
    var resource: AnyResource

    /// - Parameter probes: where the test stops the store.
    init(
        _ origin: ScriptedOrigin = .posts(), probes: StoreProbes = StoreProbes()
    ) async throws {
        self.origin = origin
        provider = try StoreProvider()
        time = ManualWallClock()
        var store = try await provider.open(clock: time.clock)
        store.probes = probes
        self.store = store
        var source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        source.retry = RetryPolicy(retries: 0)
        resource = AnyResource("posts", from: source, at: "/posts", key: "id")
    }

    /// - Parameter transports: what sends the requests; nil for ``origin``.
    func engine(
        over transports: (any TransportFactory)? = nil, progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) -> SyncEngine {
        SyncEngine(
            store: store, transports: transports ?? origin,
            environment: RuntimeEnvironment(
                connectivity: connectivity, jitter: .none, clock: clock, wallClock: time.clock),
            progress: progress)
    }

    func sync(_ options: SyncOptions = SyncOptions()) async throws -> SyncReport {
        try await engine().sync(resource, options: options)
    }

    // MARK: What is stored

    func keys() async throws -> [String] {
        try await store.records(of: "posts", after: nil, limit: 99, deleted: false).map(\.key)
    }

    func state() async throws -> ResourceState {
        try #require(try await store.resourceStates().first { $0.resource == "posts" })
    }

    /// The number of the page at which an open listing goes on.
    func checkpoint() async throws -> Int? { try await state().checkpoint?.number }

    func queue() async throws -> [QueueEntry] { try await store.entries(QueueSelection()) }

    func entry(_ id: String?) async throws -> QueueEntry {
        let id = try #require(id)
        return try #require(try await store.entries(QueueSelection(ids: [id])).first)
    }

    func lastRun() async throws -> Run { try #require(try await store.runs(limit: 1).first) }

    /// Takes the lease as another run would; nil where it is held.
    func lease() async throws -> Lease? {
        guard case .acquired(let lease) = try await store.acquireLease("resource:posts", command: "sync posts") else {
            return nil
        }
        return lease
    }
}
