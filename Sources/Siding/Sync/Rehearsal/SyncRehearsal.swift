public import SidingChain
public import SidingCredentials
public import SidingNetwork

/// A dry run: syncs into a copy of the store, to show which requests, saves and deletions a sync would make. The store itself
/// stays unchanged.
///
/// The engine treats the copy as it would the store, so the next sync has the same result as long as the origin does not
/// change. The requests are real: they count at the origin, and may renew a token. Queued writes are not sent.
public struct SyncRehearsal: Sendable {
    private let original: Store?
    private let copy: Store
    private let transports: any TransportFactory
    private let signIns: SignIns?
    private let environment: Environment
    private let progress: @Sendable (SyncProgress) -> Void

    /// Copies the store as of one moment.
    ///
    /// - Parameters:
    ///   - original: nil if there is no store yet. It may be open read-only if no source has limits, as requests are counted
    ///     there.
    ///   - path: where to make the copy, in a private directory of the caller. The caller removes it.
    /// - Throws: ``StoreError`` if the copy cannot be made, such as for lack of disk space.
    public init(
        of original: Store?, at path: String, transports: any TransportFactory, signIns: SignIns? = nil,
        environment: Environment = Environment(),
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws(StoreError) {
        try await original?.backup(to: path)
        copy = try await Store.open(at: path, durability: .normal, clock: environment.wallClock)
        self.original = original
        self.transports = transports
        self.signIns = signIns
        self.environment = environment
        self.progress = progress
    }

    /// Closes the copy.
    public func close() async { await copy.close() }

    /// Syncs one resource in the copy. Earlier rehearsals stay in the copy, as in a run of several resources.
    public func sync(
        _ resource: AnyResource, options: SyncOptions = SyncOptions()
    ) async throws(StoreError) -> RehearsedSync {
        let before = try await revision(of: resource.name)
        let requests = RequestLog()
        var engine = SyncEngine(
            store: copy, transports: ObservedTransports(base: transports, log: requests), signIns: signIns,
            environment: environment, progress: progress)
        engine.ledger = original ?? copy
        let report = try await engine.sync(resource, options: options)
        let secret = resource.source.authorization.secretQueryNames
        return RehearsedSync(
            report: report, requests: requests.requests(hiding: secret),
            changes: try await changes(of: resource.name, since: before))
    }

    private func revision(of resource: String) async throws(StoreError) -> Int64 {
        try await copy.select(RecordSelection(of: resource, limit: 0)).revision
    }

    /// How records differ between copy and store.
    private func changes(of resource: String, since revision: Int64) async throws(StoreError) -> [RehearsedChange] {
        var changes: [RehearsedChange] = []
        var keys = try await copy.changedKeys(of: resource, since: revision).keys[...]
        while !keys.isEmpty {
            let lookup = RecordLookup(of: resource, keys: Array(keys.prefix(Self.portion)), includesDeleted: true)
            keys = keys.dropFirst(Self.portion)
            let stored = try await original?.records(lookup) ?? []
            let living = Set(stored.filter { $0.deletedAt == nil }.map(\.key))
            for record in try await copy.records(lookup) {
                let was = living.contains(record.key)
                switch (was, record.deletedAt == nil) {
                case (true, true): changes.append(RehearsedChange(key: record.key, kind: .updated))
                case (true, false): changes.append(RehearsedChange(key: record.key, kind: .deleted))
                case (false, true): changes.append(RehearsedChange(key: record.key, kind: .inserted))
                case (false, false): break
                }
            }
        }
        return changes
    }

    private static let portion = 500
}
