// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
package import SidingChain
package import SidingCredentials
internal import SidingNetwork
internal import SidingSynchronization

/// A dry run: syncs into a copy of the store, to show which requests, saves and deletions a sync would make. The store itself
/// stays unchanged.
///
/// The engine treats the copy as it would the store, so the next sync has the same result as long as the origin does not
/// change. The requests are real: they count at the origin, and may renew a token. Queued writes are not sent.
package struct SyncRehearsal: Sendable {
    private let original: Store?
    private let copy: Store
    private let transports: any TransportFactory
    private let signIns: SignIns?
    private let environment: RuntimeEnvironment
    private let progress: @Sendable (SyncProgress) -> Void
    /// Chooses what is fetched; see ``SyncEngine/sharing(_:of:)``.
    private let sharing: (shard: Shard?, resources: [AnyResource])

    /// Copies the store as of one moment.
    ///
    /// - Parameters:
    ///   - original: nil if there is no store yet. It may be open read-only if no source has limits, as requests are counted
    ///     there.
    ///   - shard: the part of `resources` to fetch; nil for everything.
    ///   - path: where to make the copy, in a private directory of the caller. The caller removes it.
    /// - Throws: ``StoreError`` if the copy cannot be made, such as for lack of disk space.
    package init(
        of original: Store?, at path: String, shard: Shard? = nil, of resources: [AnyResource] = [],
        transports: any TransportFactory, signIns: SignIns? = nil,
        environment: RuntimeEnvironment = RuntimeEnvironment(),
        progress: @escaping @Sendable (SyncProgress) -> Void = { _ in }
    ) async throws(StoreError) {
        try await original?.backup(to: path)
        copy = try await Store.open(at: path, durability: .normal, clock: environment.wallClock)
        self.original = original
        self.transports = transports
        self.signIns = signIns
        self.environment = environment
        self.progress = progress
        sharing = (shard, resources)
    }

    /// Closes the copy.
    package func close() async { await copy.close() }

    /// Syncs one resource in the copy. Earlier rehearsals stay in the copy, as in a run of several resources.
    package func sync(
        _ resource: AnyResource, options: SyncOptions = SyncOptions()
    ) async throws(StoreError) -> RehearsedSync {
        let before = try await revision(of: resource.name)
        let requests = RequestLog()
        var engine = SyncEngine(
            store: copy, transports: ObservedTransports(base: transports, log: requests), signIns: signIns,
            environment: environment, progress: progress
        ).sharing(sharing.shard, of: sharing.resources)
        engine.rateLimitStore = original ?? copy
        let report = try await engine.sync(resource, options: options)
        let secret = resource.source.authorization.secretQueryNames
        return RehearsedSync(
            report: report, requests: requests.requests(hiding: secret),
            changes: try await changes(of: resource.name, since: before))
    }

    private func revision(of resource: String) async throws(StoreError) -> Int64 {
        try await copy.select(RecordSelection(resource: resource, limit: 0)).revision
    }

    /// How records differ between copy and store.
    private func changes(of resource: String, since revision: Int64) async throws(StoreError) -> [ChangedRecord] {
        var changes: [ChangedRecord] = []
        var keys = try await copy.changedKeys(of: resource, since: revision).keys[...]
        while !keys.isEmpty {
            let lookup = RecordLookup(resource: resource, keys: Array(keys.prefix(Self.portion)), includesDeleted: true)
            keys = keys.dropFirst(Self.portion)
            let stored = try await original?.records(lookup) ?? []
            let living = Set(stored.filter { $0.deletedAt == nil }.map(\.key))
            for record in try await copy.records(lookup) {
                let kind: ChangedRecord.Kind? =
                    switch (living.contains(record.key), record.deletedAt == nil) {
                    case (true, true): .updated
                    case (true, false): .deleted
                    case (false, true): .inserted
                    case (false, false): nil
                    }
                if let kind { changes.append(ChangedRecord(key: record.key, kind: kind)) }
            }
        }
        return changes
    }

    private static let portion = 500
}

/// The result of rehearsing the sync of one resource.
package struct RehearsedSync: Sendable {
    package var report: SyncReport
    /// All requests for its pages, in order, retries included. Requests for tokens are left out.
    package var requests: [RehearsedRequest]
    /// In the order of the keys.
    package var changes: [ChangedRecord]

    /// The number of records that would change in this way.
    package func count(_ kind: ChangedRecord.Kind) -> Int { changes.count { $0.kind == kind } }
}

/// One request of a rehearsal.
package struct RehearsedRequest: Sendable, Hashable {
    package var method: String
    /// With credentials left out.
    package var url: String
    /// Nil if there was no answer.
    package var status: Int?
}

/// Transports that record every request for a rehearsal.
struct ObservedTransports: TransportFactory {
    let base: any TransportFactory
    let log: RequestLog

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        ObservingTransport(
            base.transport(for: account, settings), before: { log.add($0) }, after: { log.add($1, of: $0) })
    }
}

/// The requests sent so far, in order.
final class RequestLog: Sendable {
    private let noted = Mutex<[(request: HTTPRequest, status: Int?)]>([])

    func add(_ request: HTTPRequest) { noted.withLock { $0.append((request, nil)) } }

    /// Of equal requests the last one that has no status is meant: one that failed never gets any.
    func add(_ outcome: Result<HTTPResponse.Status, Failure>, of request: HTTPRequest) {
        guard case .success(let status) = outcome else { return }
        noted.withLock { noted in
            guard let place = noted.lastIndex(where: { $0.status == nil && $0.request == request }) else { return }
            noted[place].status = status.code
        }
    }

    func requests(hiding secret: Set<String>) -> [RehearsedRequest] {
        noted.withLock { $0 }.map { request, status in
            RehearsedRequest(
                method: request.method.rawValue,
                url: Self.url(of: request).map { Redaction.url($0, also: secret) } ?? "", status: status)
        }
    }

    private static func url(of request: HTTPRequest) -> HTTPURL? {
        try? HTTPURL("\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "/")")
    }
}
