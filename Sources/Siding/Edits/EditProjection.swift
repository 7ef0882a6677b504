internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Projects pending edits: keeps the visible record equal to the server copy with its pending edits applied. Works inside a
/// transaction.
struct EditProjection {
    let resource: Int64
    let name: String
    let now: Timestamp
    /// The resource's revision after this transaction commits.
    let revision: Int64
    let dropped: DroppedMembers

    init(_ row: ResourceRow, now: Timestamp) throws {
        (resource, name, self.now, revision) = (row.id, row.name, now, row.revision + 1)
        dropped = DroppedMembers(MemberRemoval(try row.schema.transforms.dropped))
    }

    static func load(_ name: String, now: Timestamp, _ transaction: borrowing Transaction) throws -> EditProjection? {
        try ResourcesTable.load(named: name, transaction).map { try EditProjection($0, now: now) }
    }

    /// Rebuilds the visible record from the server copy and the remaining edits. After the last edit the server copy is
    /// deleted.
    @discardableResult
    func rebuild(_ key: String, run: RunID? = nil, _ transaction: borrowing Transaction) throws -> RecordChange {
        guard let base = try ServerCopiesTable.load(resource, key, transaction) else { return .unchanged }
        let edits = try PendingEdit.all(of: name, key, transaction)
        var state = base.state
        if edits.isEmpty {
            try ServerCopiesTable.delete(key, of: resource, transaction)
        } else {
            state = try dropped.removed(from: edits.reduce(state) { state, edit in edit.applied(to: state) })
        }
        let change = try ProjectedRecord(projection: self, key: key)
            .write(
                state, pending: edits.count, run: run, cause: edits.isEmpty ? base.cause : .edit, request: base.request,
                transaction)
        if edits.isEmpty, base.etag != nil {
            try RecordsTable.load(resource, transaction).setETag(base.etag, of: key, transaction)
        }
        return change
    }

    /// Stores a new server copy. Edits made for the old one keep that as their base.
    func setBase(of key: String, to copy: ServerCopy, _ transaction: borrowing Transaction) throws {
        if let old = try ServerCopiesTable.load(resource, key, transaction)?.state, old != copy.state {
            try OutboxEditsTable.setBase(
                old.living.map { Array($0.bytes) } ?? [], of: key, in: name, transaction)
        }
        try ServerCopiesTable.save(copy, of: key, in: resource, transaction)
    }

    /// Stores a server copy that resulted from our own write: the remaining edits count as made for it.
    func moveBase(of key: String, to copy: ServerCopy, _ transaction: borrowing Transaction) throws {
        try OutboxEditsTable.clearBases(of: key, in: name, transaction)
        try ServerCopiesTable.save(copy, of: key, in: resource, transaction)
    }
}

extension EditProjection {
    /// Rebuilds the records that the entries edit from the edits that are still pending.
    static func rebuildRecords(of entries: [String], now: Timestamp, _ transaction: borrowing Transaction) throws {
        var projection: EditProjection?
        for record in try OutboxEditsTable.records(of: entries, transaction) {
            if projection?.name != record.resource { projection = try load(record.resource, now: now, transaction) }
            try projection?.rebuild(record.key, transaction)
        }
    }
}

extension QueueTransitions {
    /// Completes writes, and rebuilds their records without their edits.
    func completeWrites(
        _ ids: [String], as state: QueueEntry.State, event: QueueEventKind, detail: String?,
        _ transaction: borrowing Transaction
    ) throws {
        try complete(ids, as: state, event: event, detail: detail, transaction)
        try EditProjection.rebuildRecords(of: ids, now: now, transaction)
    }
}

/// The visible row of a record with pending edits.
struct ProjectedRecord {
    let projection: EditProjection
    let key: String

    /// Writes `state` to the row. Without a record no row is created, and an existing row becomes a tombstone, so that change
    /// feeds report it. Its body is `null`, as there is no server copy to keep.
    ///
    /// - Parameters:
    ///   - run: the run that brought the change; nil keeps the row's own.
    ///   - request: the request that the server copy came from.
    func write(
        _ state: RecordState, pending: Int, run: RunID?, cause: RecordCause, request: Int64?,
        _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        let table = try RecordsTable.load(projection.resource, transaction)
        var record = RecordsTable.Projection(
            body: Array((state.body ?? .null).bytes), deletedAt: state.deletedAt?.microseconds, pending: pending,
            run: run,
            cause: cause, request: request, now: projection.now, revision: projection.revision)
        guard let stored = try table.find(key, transaction) else {
            guard state.body != nil else { return .unchanged }
            let row = try table.insert(record, under: key, transaction)
            try MissingTable.exempt(row, of: projection.resource, transaction)
            if let index = try TextIndex.load(of: projection.resource, transaction) {
                var text = try TextStatements(index, transaction)
                try text.add(row)
            }
            try ResourcesTable.raise(revision: projection.revision, of: projection.resource, transaction)
            return state.deletedAt == nil ? .inserted : .unchanged
        }
        let deletedAt = state.body == nil ? stored.deletedAt ?? projection.now : state.deletedAt
        record.deletedAt = deletedAt?.microseconds
        guard record.body != stored.body || deletedAt != stored.deletedAt || pending != stored.pending else {
            return .unchanged
        }
        var text = try TextIndex.load(of: projection.resource, transaction).map { try TextStatements($0, transaction) }
        try text?.remove(stored.row)
        try table.update(stored.row, to: record, transaction)
        try text?.add(stored.row)
        try ResourcesTable.raise(revision: projection.revision, of: projection.resource, transaction)
        let isRevived = deletedAt == nil && stored.deletedAt != nil
        if deletedAt != nil {
            try MissingTable.remove(stored.row, of: projection.resource, transaction)
        } else if isRevived {
            try MissingTable.exempt(stored.row, of: projection.resource, transaction)
        }
        if isRevived { return .revived }
        return record.body == stored.body && deletedAt == stored.deletedAt ? .unchanged : .updated
    }
}

/// Applies incoming changes to records with pending edits: stores each as the server copy and projects the edits again.
struct IncomingChanges {
    let projection: EditProjection
    let run: RunID
    /// Nil if the changes are not from the origin, so that no edit can conflict with them.
    let transitions: QueueTransitions?
    /// The request that brought the changes; nil for those made locally.
    var request: Int64?
    /// See ``Page/requestedAfter``.
    var requestedAfter: Int64?

    /// Nil if no record of the resource has pending edits.
    static func load(
        _ row: ResourceRow, run: RunID, now: Timestamp, transitions: QueueTransitions?, request: Int64? = nil,
        requestedAfter: Int64? = nil, _ transaction: borrowing Transaction
    ) throws -> IncomingChanges? {
        guard try ServerCopiesTable.hasAny(of: row.id, transaction) else { return nil }
        return IncomingChanges(
            projection: try EditProjection(row, now: now), run: run, transitions: transitions, request: request,
            requestedAfter: requestedAfter)
    }

    func applies(to key: UnsafeRawBufferPointer, _ transaction: borrowing Transaction) throws -> Bool {
        try ServerCopiesTable.has(key, of: projection.resource, transaction)
    }

    /// Whether a write of the record is under way or in doubt, so that its result may be older than what a page shows now.
    func hasPendingEdit(_ key: UnsafeRawBufferPointer, _ transaction: borrowing Transaction) throws -> Bool {
        try OutboxTable.pendingEdits(of: projection.name, String(decoding: key, as: UTF8.self), transaction)
            .contains { $0.state == .sending || $0.mayHaveArrived }
    }

    /// Stores `body` as the server copy of the record.
    ///
    /// - Returns: the change at the origin, as a page counts it. Whether the visible record changed follows from the
    ///   resource's revision.
    func save(
        _ body: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, cause: RecordCause, isDeleted: Bool,
        _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        let key = String(decoding: key, as: UTF8.self)
        let base = try ServerCopiesTable.load(projection.resource, key, transaction)
        let before = base?.state ?? .nothing
        var after = RecordState(body: try Store.document(Array(body)))
        if isDeleted { after.deletedAt = before.deletedAt ?? projection.now }
        guard before != after || base?.etag == ServerCopy.noETag else { return .unchanged }
        if base?.cause == .write, let requestedAfter, base?.request ?? 0 > requestedAfter { return .stale }
        try projection.setBase(
            of: key, to: ServerCopy(state: after, cause: cause, request: request), transaction)
        if let transitions {
            try ConflictWatch(projection: projection, transitions: transitions).check(key, transaction)
        }
        try projection.rebuild(key, run: run, transaction)
        if isDeleted { return before.deletedAt == nil ? .deleted : .updated }
        if before.body == nil { return .inserted }
        return before.deletedAt == nil ? .updated : .revived
    }
}
