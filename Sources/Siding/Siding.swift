// SPDX-License-Identifier: Apache-2.0
public import ServiceLifecycle
public import SidingChain
public import SidingNetwork
internal import SidingSynchronization

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
    /// The resources that ``run()`` keeps fresh; with a ``Shard`` without those that others fetch.
    public var resources: [AnyResource] { declarations.value.resources }
    let declarations: CurrentDeclarations
    let builder: DeclarationsBuilder
    var sender: WriteSender { declarations.value.sender }
    let activity: Activity
    let wallClock: WallClock
    /// What wakes ``run()``; nil for the kernel alone, from the moment at which it begins.
    let networkChanges: NetworkChanges?

    /// How old a resource without its own `maxAge` may become before ``run()`` syncs it.
    public static let defaultMaxAge = IntervalSchedule.usual.interval

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - location: where the store is.
    ///   - resources: what ``run()`` keeps fresh, typed and untyped ones together.
    ///   - sources: origins that are written to beside those of the resources.
    ///   - transports: makes a transport per source, such as `HTTPTransports` of `SidingHTTP`.
    ///   - credentials: the directory for the tokens of sources whose authorization is a `SignIn`; left out, beside the
    ///     SQLite file, `tracker.db.credentials`. With a store that is open already it is to be given.
    ///   - environment: clocks, randomness, network connectivity, and the logger, which gets the errors that keep ``run()``
    ///     from its work.
    ///   - networkChanges: wakes ``run()``. Left out, the kernel's reports do; a program whose connectivity is its own gives a
    ///     value, and announces changes with `NetworkChanges.announce(_:)`.
    ///   - shard: the part of the resources that this program fetches, where several share them; left out, all of them.
    /// - Throws: ``StoreError`` that says what is wrong with the file; ``StoreError/Kind/invalidName`` if two resources, or two
    ///   different sources, have the same name.
    public init(
        store location: Location, resources: [any SyncedResource], sources: [Source] = [],
        transports: any TransportFactory, credentials: String? = nil,
        environment: RuntimeEnvironment = RuntimeEnvironment(), networkChanges: NetworkChanges? = nil,
        shard: Shard? = nil
    ) async throws(StoreError) {
        try Declarations.checkNames(of: resources, sources)
        var directory = credentials
        switch location {
        case .sqlite(let path):
            store = try await Store.open(at: path, clock: environment.wallClock)
            directory = credentials ?? "\(path).credentials"
        case .store(let open): store = open
        }
        (wallClock, self.networkChanges) = (environment.wallClock, networkChanges)
        activity = Activity(clock: environment.clock, syncs: .onFile(at: store.path))
        builder = DeclarationsBuilder(
            store: store, transports: transports, credentials: directory, environment: environment, activity: activity,
            shard: shard)
        declarations = CurrentDeclarations(builder.declarations(resources, sources))
    }

    /// Brings one resource up to date, continuing where the last sync stopped.
    ///
    /// If this ``Siding`` or a copy of it syncs the resource already, by a call or by ``run()``, the call joins that sync and
    /// has its outcome. With other options it waits for the end of that sync, and then begins. Cancelling a call ends no other
    /// one. That of another ``Siding`` on the same file in this process is waited for, too; that of another process as long as
    /// ``SyncOptions/lockWait`` says.
    ///
    /// - Returns: the outcome. A page kept in the queue for later is an outcome, not an error.
    /// - Throws: ``SyncError`` if the resource or the store failed, the task was cancelled, or another process syncs the
    ///   resource.
    @discardableResult
    public func sync(
        _ resource: any SyncedResource, options: SyncOptions = SyncOptions()
    ) async throws(SyncError) -> SyncOutcome {
        let resource = resource.untyped
        let report: SyncReport
        do throws(StoreError) {
            report = try await activity.perform { () throws(StoreError) in
                let declarations = declarations.value
                return try await activity.syncs.sync(
                    resource, options, by: declarations.sender.replaced, at: wallClock.now
                ) { () throws(StoreError) in
                    let report = try await declarations.engine.sync(resource, options: options)
                    await announce([report])
                    return report
                }
            }
        } catch { throw SyncError(resource.name, error) }
        return try report.outcome()
    }

    /// The stored record under a key, as JSON; nil if there is none, or only a tombstone, or if the resource was never synced.
    /// Works offline. `record(of:key:)` of `SidingModels` gives a model.
    public func rawRecord(of resource: some SyncedResource, key: String) async throws(StoreError) -> Record? {
        try await store.records(RecordLookup(resource: resource.name, keys: [key])).first
    }

    /// The stored records of a resource in key order, as JSON, all of them unless there is a `limit`; works offline.
    /// `records(of:)` of `SidingModels` gives models.
    ///
    /// - Parameters:
    ///   - resource: need not be one that this ``Siding`` syncs.
    ///   - key: only records after this key.
    ///   - limit: the most that are returned; nil for all.
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    public func rawRecords(
        of resource: some SyncedResource, after key: String? = nil, limit: Int? = nil
    ) async throws(StoreError) -> [Record] {
        try await store.records(of: resource.name, after: key, limit: limit ?? .max, deleted: false)
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
