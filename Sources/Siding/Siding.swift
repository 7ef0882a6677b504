public import Logging
public import ServiceLifecycle
public import SidingChain

/// Siding inside a program: one store, some resources, and a service that keeps them fresh.
///
/// ```swift
/// let siding = try await Siding(store: .sqlite(path: "tracker.db"), resources: [issues], transports: HTTPTransports())
/// let outcome = try await siding.sync(issues)
/// try await ServiceGroup(services: [siding], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
public struct Siding: Service {
    /// Where the store is.
    public enum Location: Sendable {
        /// One SQLite file; made where it is missing.
        case sqlite(path: String)
        /// A store that is open already.
        case store(Store)
    }

    /// Where everything is kept.
    public let store: Store
    /// What ``run()`` keeps fresh.
    public let resources: [AnyResource]
    private let engine: SyncEngine
    let sender: WriteSender
    private let wallClock: WallClock

    /// How old a resource without a `maxAge` of its own may grow before ``run()`` syncs it.
    public static let defaultMaxAge = Duration.seconds(900)
    /// How often ``run()`` looks whether something is due.
    static let pace = Duration.seconds(10)

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - location: where the store is.
    ///   - resources: what ``run()`` keeps fresh, typed and untyped ones together.
    ///   - sources: origins that are written to beside those of the resources.
    ///   - transports: makes a transport per source, such as `HTTPTransports` of `SidingHTTP`.
    ///   - credentials: the directory for the tokens of sources whose authorization is a ``SignIn``; left out, beside the
    ///     SQLite file, `tracker.db.credentials`. With a store that is open already it is to be given.
    /// - Throws: ``StoreError`` that says what is wrong with the file.
    public init(
        store location: Location, resources: [any SyncedResource], sources: [Source] = [],
        transports: any TransportFactory, credentials: String? = nil,
        connectivity: any Connectivity = LinuxConnectivity(), wallClock: WallClock = .system,
        logger: Logger = .silent
    ) async throws(StoreError) {
        var directory = credentials
        switch location {
        case .sqlite(let path):
            store = try await Store.open(at: path, clock: wallClock)
            directory = credentials ?? "\(path).credentials"
        case .store(let open): store = open
        }
        let signIns = directory.map {
            SignIns(directory: $0, transports: transports, connectivity: connectivity, wallClock: wallClock)
        }
        self.resources = resources.map(\.untyped)
        self.wallClock = wallClock
        engine = SyncEngine(
            store: store, transports: transports, signIns: signIns, connectivity: connectivity, wallClock: wallClock,
            logger: logger)
        let sources = sources + self.resources.map(\.source)
        sender = WriteSender(
            store: store, sources: sources, transports: transports, signIns: signIns, connectivity: connectivity,
            wallClock: wallClock, logger: logger)
    }

    /// Brings one resource up to date, going on where the last sync stopped.
    ///
    /// - Returns: what came of it. Kept for later is an outcome, not an error.
    /// - Throws: ``SyncError`` where the resource failed or another run holds it, ``StoreError`` where the store fails.
    @discardableResult
    public func sync(_ resource: any SyncedResource, options: SyncOptions = SyncOptions()) async throws -> SyncOutcome {
        try await engine.sync(resource.untyped, options: options).outcome()
    }

    /// The stored records of a resource in key order; works with the line down.
    public func records(
        of resource: AnyResource, after key: String? = nil, limit: Int = 1000
    ) async throws(StoreError) -> [Record] {
        try await store.records(of: resource.name, after: key, limit: limit, deleted: false)
    }

    /// Keeps the resources fresh until the service is asked to stop: sends the writes that are due, syncs each resource that
    /// is older than its `maxAge`, and each that has a retained page whose time has come.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    try await drain()
                    let due = try await dueResources()
                    if !due.isEmpty { _ = try await engine.run(due, command: "service") }
                } catch {
                    // A store that is busy or full now may not be so in a while; the run record has told it.
                }
                try? await Task.sleep(for: Self.pace)
            }
        }
    }

    /// The resources that a look right now would sync.
    func dueResources() async throws(StoreError) -> [AnyResource] {
        let now = wallClock.now
        let states = try await store.resourceStates()
        let entries = try await store.entries(QueueSelection(kinds: [.fetch]))
        return resources.filter { resource in
            let waiting = entries.filter { $0.kind == .fetch && $0.resource == resource.name }
            if waiting.contains(where: { $0.state == .queued && $0.nextAttemptAt <= now }) { return true }
            let state = states.first { $0.resource == resource.name }
            // One parent that waits keeps no other waiting, but where the whole round does.
            let isRoundOpen = state?.round?.isOpen == true && waiting.contains { $0.state == .queued }
            if !waiting.isEmpty, resource.forEach == nil || isRoundOpen { return false }
            // A round that ended without some of its parents is not begun anew at once: it asks about all the others, too.
            let ended = [state?.completedAt, state?.round?.endedAt].compactMap(\.self).max()
            guard let state, let ended else { return true }
            let asking = AskingAgain(resource: resource, options: SyncOptions(maxAge: .zero), now: now)
            guard asking.isPointless(state.standing) == nil else { return false }
            return now - ended >= resource.maxAge ?? Self.defaultMaxAge
        }
    }
}
