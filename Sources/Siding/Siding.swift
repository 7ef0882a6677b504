public import ServiceLifecycle
public import SidingChain
internal import SidingCredentials
public import SidingNetwork

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
        /// One SQLite file, created if it is missing.
        case sqlite(path: String)
        /// A store that is open already.
        case store(Store)
    }

    /// The store of all records, entries and runs.
    public let store: Store
    /// The resources that ``run()`` keeps fresh.
    public let resources: [AnyResource]
    private let engine: SyncEngine
    let sender: WriteSender
    private let wallClock: WallClock

    /// How old a resource without its own `maxAge` may become before ``run()`` syncs it.
    public static let defaultMaxAge = Duration.seconds(900)
    /// The longest pause before ``run()`` checks again whether something is due.
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
    ///   - environment: clocks, randomness, network connectivity, and the logger, which gets the errors that keep ``run()``
    ///     from its work.
    /// - Throws: ``StoreError`` that says what is wrong with the file; ``StoreError/Kind/invalidName`` if two resources, or two
    ///   different sources, have the same name.
    public init(
        store location: Location, resources: [any SyncedResource], sources: [Source] = [],
        transports: any TransportFactory, credentials: String? = nil,
        environment: Environment = Environment()
    ) async throws(StoreError) {
        let sources = sources + resources.map(\.untyped.source)
        try Source.checkNames(of: sources)
        try Self.checkNames(of: resources)
        var directory = credentials
        switch location {
        case .sqlite(let path):
            store = try await Store.open(at: path, clock: environment.wallClock)
            directory = credentials ?? "\(path).credentials"
        case .store(let open): store = open
        }
        let signIns = directory.map {
            SignIns(directory: $0, transports: transports, environment: environment)
        }
        self.resources = resources.map(\.untyped)
        wallClock = environment.wallClock
        engine = SyncEngine(
            store: store, transports: transports, signIns: signIns, environment: environment)
        sender = WriteSender(
            store: store, sources: sources, transports: transports, signIns: signIns, environment: environment)
    }

    private static func checkNames(of resources: [any SyncedResource]) throws(StoreError) {
        var names: Set<String> = []
        for resource in resources where !names.insert(resource.name).inserted {
            throw StoreError(
                .invalidName, "two resources are named '\(resource.name)'",
                hint: "each resource needs a name of its own")
        }
    }

    /// Brings one resource up to date, continuing where the last sync stopped.
    ///
    /// - Returns: the outcome. A page kept in the queue for later is an outcome, not an error.
    /// - Throws: ``SyncError`` if the resource failed or another run holds it, ``StoreError`` if the store fails.
    @discardableResult
    public func sync(_ resource: any SyncedResource, options: SyncOptions = SyncOptions()) async throws -> SyncOutcome {
        try await engine.sync(resource.untyped, options: options).outcome()
    }

    /// The stored records of a resource in key order, all of them unless there is a `limit`; works offline.
    public func records(
        of resource: AnyResource, after key: String? = nil, limit: Int? = nil
    ) async throws(StoreError) -> [Record] {
        try await store.records(of: resource.name, after: key, limit: limit ?? .max, deleted: false)
    }

    /// Keeps the resources fresh until the service is asked to stop: sends due writes, and syncs each resource that is older
    /// than its `maxAge` or has a queued page that is due.
    ///
    /// It checks every ten seconds, when a queued request becomes due, and when the network changes. When asked to stop, it
    /// starts nothing new; a write in flight that may not be sent twice has up to 15 s for its answer.
    ///
    /// - Throws: ``StoreError`` that cannot heal by itself: the file is damaged, or not the one that was opened. Others, such
    ///   as a full disk, are logged once until they change, and the work is tried again.
    public func run() async throws { try await run(wakingOn: NetworkChanges()) }

    func run(wakingOn changes: NetworkChanges) async throws {
        let failures = FailedSyncs(usualAge: Self.defaultMaxAge)
        let loop = ServiceLoop(
            sender: sender, pace: Self.pace, changes: changes, outlastsFailures: true,
            sync: { () throws(StoreError) in
                let due = await failures.worthTrying(try await dueResources(), now: wallClock.now)
                guard !due.isEmpty else { return }
                failures.note(try await engine.run(due, command: "service"), now: wallClock.now)
            })
        try await cancelWhenGracefulShutdown { try await loop.run() }
    }

    /// The resources that would be synced now.
    func dueResources() async throws(StoreError) -> [AnyResource] {
        let now = wallClock.now
        let states = try await store.resourceStates(countsRecords: false)
        let entries = try await store.entries(QueueSelection(kinds: [.fetch]))
        return resources.filter { resource in
            isDue(
                resource, states.first { $0.resource == resource.name },
                retained: entries.filter { $0.resource == resource.name }, now)
        }
    }

    private func isDue(
        _ resource: AnyResource, _ state: ResourceState?, retained: [QueueEntry], _ now: Timestamp
    ) -> Bool {
        if retained.contains(where: { $0.isDue(at: now) }) { return true }
        // A waiting parent does not delay the other parents, except if the whole fan-out pass waits.
        let waits = retained.contains { entry in
            entry.state == .queued
                ? resource.forEach == nil || state?.pass?.isOpen == true
                : resource.forEach == nil && entry.waitsForPerson
        }
        if waits { return false }
        // A fan-out pass that ended without some of its parents is not started again at once, because that would list all the
        // others too. A time in the future was recorded before the clock was set back.
        let ended = [state?.completedAt, state?.pass?.endedAt].compactMap(\.self).filter { $0 <= now }
        // A parked page is as old as its last attempt, and a wrong clock may not put that off for long either.
        let tried = retained.filter { $0.state == .parked }.map(\.nextAttemptAt).filter {
            $0 <= now + RetryAfter.longest
        }
        guard let state, let last = (ended + tried).max() else { return true }
        let check = FreshnessCheck(resource: resource, options: SyncOptions(maxAge: .zero), now: now)
        guard check.skipReason(state.resourceFreshness) == nil else { return false }
        return now - last >= resource.maxAge ?? Self.defaultMaxAge
    }
}

extension Siding {
    /// The versions of a record, newest first; nil if there never was such a record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    public func history(
        of resource: any SyncedResource, key: String, limit: Int? = nil
    ) async throws(StoreError) -> RecordHistory? {
        try await store.history(of: resource.untyped.name, key: key, limit: limit)
    }

    /// Where the present body of a record came from; nil if there is no such record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    public func provenance(
        of resource: any SyncedResource, key: String
    ) async throws(StoreError) -> RecordProvenance? {
        try await store.provenance(of: resource.untyped.name, key: key)
    }
}

extension Siding {
    /// Examines the stored records of a resource: their fields, types and counts.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    public func schema(
        of resource: any SyncedResource, sample: Int = ResourceSchema.defaultSample
    ) async throws(StoreError) -> ResourceSchema {
        try await store.schema(of: resource.untyped.name, sample: sample, since: nil)
    }
}

/// Quarantined records, for programs.
extension Siding {
    /// The quarantined records, oldest first, without their bytes.
    public func quarantined(
        _ selection: QuarantineSelection = QuarantineSelection()
    ) async throws(StoreError) -> [QuarantinedRecord] {
        try await store.quarantined(selection)
    }

    /// Retries quarantined records with the resources' present declarations and saves those that are good; skips resources in use
    /// by a sync (``QuarantineChange/heldBy``).
    @discardableResult
    public func retryQuarantined(
        _ selection: QuarantineSelection = QuarantineSelection()
    ) async throws(StoreError) -> [QuarantineChange] {
        try await store.retryQuarantined(selection, as: resources)
    }
}
