// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
package import SidingChain
internal import SidingSQLite

extension Store {
    /// The selected entries, oldest first, at most `limit`.
    ///
    /// - Parameter after: only those queued after the entry with this full id, for selections without ids; none if it is
    ///   unknown.
    /// - Throws: ``StoreError/Kind/notFound`` if an id matches no entry, ``StoreError/Kind/ambiguous`` if a prefix matches
    ///   several.
    package func entries(
        _ selection: QueueSelection, after: String? = nil, limit: Int? = nil
    ) async throws(StoreError) -> [QueueEntry] {
        let (entries, dead) = try await read(
            { try OutboxTable.entries(selection, after: after, limit: limit, $0) },
            owners: { $0.compactMap(\.owner) })
        return dead.isEmpty
            ? entries
            : entries.map { entry in
                var entry = entry
                entry.hasDeadSender = entry.owner.map(dead.contains) ?? false
                return entry
            }
    }

    /// The number of selected entries, without reading them.
    package func count(_ selection: QueueSelection) async throws(StoreError) -> Int {
        try await read { try OutboxTable.count(selection, $0) }
    }

    package func sourcesOfWrites() async throws(StoreError) -> [String] {
        try await read { try OutboxTable.sourcesOfWrites($0) }
    }

    /// The request body of a queued page; nil if it has none.
    package func bodyOfFetch(_ entry: String) async throws(StoreError) -> [UInt8]? {
        try await read { snapshot in
            guard try OutboxTable.entry(entry, snapshot)?.kind == .fetch else { return nil }
            return try OutboxRequestsTable.load(entry, snapshot)?.body
        }
    }

    /// The stored content of a write; nil if `entry`, a full id, is not one.
    package func content(of entry: String) async throws(StoreError) -> WriteContent? {
        try await read { try WriteContent.load(entry, $0) }
    }

    /// The history of an entry, oldest event first.
    package func history(of entry: String) async throws(StoreError) -> [QueueEvent] {
        try await read { try OutboxEventsTable.events(of: entry, $0) }
    }

    /// How a write was dropped; nil if it was not, or without a history.
    package func dropCause(of entry: QueueEntry) async throws(StoreError) -> DropCause? {
        guard entry.state == .dropped else { return nil }
        return try await read { try DropCause.load(entry.id, $0) }
    }

    /// The writes that this process has parked since `moment`, for any reason except a hold, and that are still parked, oldest
    /// first.
    package func writesParked(since moment: Timestamp) async throws(StoreError) -> [QueueEntry] {
        let me = try ownerID()
        return try await read { try OutboxTable.writesParked(by: me, since: moment, $0) }
    }

    /// The writes that this process has dropped since `moment`, oldest first: a ``ConflictPolicy`` drops an edit before it
    /// is sent, or as a page comes.
    package func writesDropped(since moment: Timestamp) async throws(StoreError) -> [QueueEntry] {
        let me = try transitions().who
        return try await read { try OutboxTable.writesDropped(by: me, since: moment, $0) }
    }

    func transitions() throws(StoreError) -> QueueTransitions {
        QueueTransitions(owner: try ownerID(), now: clock.now)
    }
}

/// The stored parts of a write that its entry does not show: the request, the answer, and the entries it waits for.
package struct WriteContent: Sendable {
    /// The write's own fields, and the `If-Match` of an open edit as it is known now. The source's fields and credentials are added
    /// when it is sent.
    package var headerFields: HTTPFields
    /// Whether an open edit is to be sent with `If-Match`, and no ETag for it is known.
    package var lacksETag = false
    package var body: [UInt8]?
    package var key: String
    /// The field that carries the key; nil if the key is not sent.
    package var keyField: HTTPField.Name?
    /// Whether the origin honours the key.
    package var isKeyed: Bool
    package var answer: WriteAnswer?
    /// The open entries that must complete first.
    package var parents: [String]
    package var head: String?
    /// What the delivery probe asks for: the declared path below the source's base URL, or the URL of the record, if its edit
    /// is open; nil if there is no probe.
    package var probe: String?
}

extension WriteContent {
    /// Nil if the entry is not a write.
    static func load(_ id: String, _ snapshot: borrowing Snapshot) throws -> WriteContent? {
        guard let entry = try OutboxTable.entry(id, snapshot), let request = try OutboxRequestsTable.load(id, snapshot),
            let key = try IdempotencyKeysTable.load(id, snapshot)
        else { return nil }
        var fields = try request.headerFields()
        let terms = entry.state.isCompleted ? nil : try OutboxEditsTable.load(id, snapshot)?.terms
        if fields[.ifMatch] == nil, let terms, terms.ifMatch {
            fields[.ifMatch] = try ServerCopiesTable.etag(
                of: entry.recordKey, in: entry.resource, at: terms.etagPath, snapshot)
        }
        return WriteContent(
            headerFields: fields, lacksETag: terms?.ifMatch == true && fields[.ifMatch] == nil,
            body: request.outgoingBody(of: id, key: key.key), key: key.key,
            keyField: key.field, isKeyed: key.isHonoured, answer: request.answer,
            parents: try OutboxDependenciesTable.openParents(of: id, snapshot),
            head: try OutboxTable.laneHead(of: entry.lane, snapshot),
            probe: try request.probe?.path(entry: id, key: key.key) ?? recordURL(of: entry, snapshot))
    }

    /// The URL by which the built-in probe asks for the record of an open edit; nil if it has no such probe.
    private static func recordURL(of entry: QueueEntry, _ snapshot: borrowing Snapshot) throws -> String? {
        guard !entry.state.isCompleted, let key = entry.recordKey, let (method, url) = try? entry.target(),
            try OutboxEditsTable.load(entry.id, snapshot)?.terms?.showRecord(key, at: url, method) == true
        else { return nil }
        return Redaction.url(url)
    }
}
