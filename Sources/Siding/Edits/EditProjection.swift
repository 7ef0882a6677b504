// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Projects pending edits: keeps the visible record equal to the server copy with its pending edits applied. Works inside a
/// transaction.
struct EditProjection {
    /// The records, with the type of the keys and the layout that this transaction gave them.
    var table: RecordsTable
    let now: Timestamp
    let dropped: DroppedMembers

    var resource: Int64 { table.resource }
    var name: String { table.resourceName }
    /// The resource's revision after this transaction commits.
    private var revision: Int64 { table.row.revision + 1 }

    init(_ table: RecordsTable, now: Timestamp) throws {
        (self.table, self.now) = (table, now)
        dropped = DroppedMembers(MemberRemoval(try table.row.schema.transforms.dropped))
    }

    static func load(_ name: String, now: Timestamp, _ transaction: borrowing Transaction) throws -> EditProjection? {
        try RecordsTable.load(named: name, transaction).map { try EditProjection($0, now: now) }
    }

    /// Rebuilds the visible record from the server copy and the remaining edits. After the last edit the server copy is
    /// deleted.
    @discardableResult
    mutating func rebuild(
        _ key: String, run: RunID? = nil, _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        guard let base = try ServerCopiesTable.load(resource, key, transaction) else { return .unchanged }
        let edits = try PendingEdit.all(of: name, key, transaction)
        var state = base.state
        if edits.isEmpty {
            try ServerCopiesTable.delete(key, of: resource, transaction)
        } else {
            state = try dropped.removed(from: edits.reduce(state) { state, edit in edit.applied(to: state) })
        }
        let change = try write(
            state, under: key, pending: edits.count, run: run, cause: edits.isEmpty ? base.cause : .edit,
            request: base.request, transaction)
        if edits.isEmpty, base.etag != nil { try table.setETag(base.etag, of: key, transaction) }
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

// MARK: The visible row

extension EditProjection {
    /// Writes `state` to the record's row. Without a record no row is created, and an existing row becomes a tombstone, so
    /// that change feeds report it. Its body is `null`, as there is no server copy to keep.
    ///
    /// - Parameters:
    ///   - run: the run that brought the change; nil keeps the row's own.
    ///   - request: the request that the server copy came from.
    mutating func write(
        _ state: RecordState, under key: String, pending: Int, run: RunID?, cause: RecordCause, request: Int64?,
        _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        var record = RecordsTable.Projection(
            body: Array((state.body ?? .null).bytes), deletedAt: state.deletedAt?.microseconds, pending: pending,
            run: run, cause: cause, request: request, now: now, revision: revision)
        guard let stored = try table.find(key, transaction) else {
            guard state.body != nil else { return .unchanged }
            // The next record needs the table as this one makes it.
            var text = key
            table = try text.withUTF8 { try table.made(for: UnsafeRawBufferPointer($0), kind: nil, transaction) }
            let row = try table.insert(record, under: key, transaction)
            try MissingTable.exempt(row, of: resource, transaction)
            if let index = try TextIndex.load(of: resource, transaction) {
                var text = try TextStatements(index, transaction)
                try text.add(row)
            }
            try ResourcesTable.raise(revision: revision, of: resource, transaction)
            return state.deletedAt == nil ? .inserted : .unchanged
        }
        let deletedAt = state.body == nil ? stored.deletedAt ?? now : state.deletedAt
        record.deletedAt = deletedAt?.microseconds
        guard record.body != stored.body || deletedAt != stored.deletedAt || pending != stored.pending else {
            return .unchanged
        }
        var text = try TextIndex.load(of: resource, transaction).map { try TextStatements($0, transaction) }
        try text?.remove(stored.row)
        try table.update(stored.row, to: record, transaction)
        try text?.add(stored.row)
        try ResourcesTable.raise(revision: revision, of: resource, transaction)
        let isRevived = deletedAt == nil && stored.deletedAt != nil
        if deletedAt != nil {
            try MissingTable.remove(stored.row, of: resource, transaction)
        } else if isRevived {
            try MissingTable.exempt(stored.row, of: resource, transaction)
        }
        if isRevived { return .revived }
        return record.body == stored.body && deletedAt == stored.deletedAt ? .unchanged : .updated
    }
}
