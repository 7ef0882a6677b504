// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Applies incoming changes to records with pending edits: stores each as the server copy and projects the edits again.
struct IncomingChanges {
    let projection: EditProjection
    let run: RunID
    /// Nil if the changes are not from the origin, so that no edit can conflict with them.
    let transitions: QueueTransitions?
    /// The request that brought the changes; nil for those made locally.
    var request: Int64?
    /// Nil if no page brings the changes.
    var page: OvertakenPage?

    /// Nil if no record of the resource has pending edits.
    ///
    /// - Parameter table: with a layout for the keys of all changes.
    static func load(
        of table: RecordsTable, run: RunID, now: Timestamp, transitions: QueueTransitions?, request: Int64? = nil,
        page: OvertakenPage? = nil, _ transaction: borrowing Transaction
    ) throws -> IncomingChanges? {
        guard try ServerCopiesTable.hasAny(of: table.resource, transaction) else { return nil }
        return IncomingChanges(
            projection: try EditProjection(table, now: now), run: run, transitions: transitions, request: request,
            page: page)
    }

    func applies(to key: UnsafeRawBufferPointer, _ transaction: borrowing Transaction) throws -> Bool {
        try ServerCopiesTable.has(key, of: projection.resource, transaction)
    }

    /// Whether a write of the record is under way or in doubt, so that its result may be older than what a page shows now.
    func hasPendingEdit(_ key: UnsafeRawBufferPointer, _ transaction: borrowing Transaction) throws -> Bool {
        try OutboxTable.pendingEdits(of: projection.name, String(decoding: key, as: UTF8.self), transaction)
            .contains { $0.state == .sending || $0.hasUnansweredTry }
    }

    /// Stores `body` as the server copy of the record.
    ///
    /// - Returns: the change at the origin, as a page counts it. Whether the visible record changed follows from the
    ///   resource's revision.
    func save(
        _ body: UnsafeRawBufferPointer, under bytes: UnsafeRawBufferPointer, cause: RecordCause, isDeleted: Bool,
        expecting expectation: RecordChanges.Expectation = .anything, _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        let key = String(decoding: bytes, as: UTF8.self)
        // The table has the layout for the key, so that projecting the record makes no other.
        var projection = projection
        let base = try ServerCopiesTable.load(projection.resource, key, transaction)
        let before = base?.state ?? .nothing
        let isExpected = before.living.map { $0.bytes.withUnsafeBytes(expectation.holds) } ?? expectation.holds(nil)
        guard isExpected else { return .unexpected }
        var after = RecordState(body: try Store.document(Array(body)))
        if isDeleted { after.deletedAt = before.deletedAt ?? projection.now }
        guard before != after || base?.etag == ServerCopy.noETag else { return .unchanged }
        if let base,
            try page?.shows(isDeleted ? nil : body, under: bytes, before: base.request, base.cause, transaction) == true
        {
            return .stale
        }
        try projection.setBase(
            of: key, to: ServerCopy(state: after, cause: cause, request: request), transaction)
        if let transitions { try ConflictWatch(transitions: transitions).check(key, &projection, transaction) }
        try projection.rebuild(key, run: run, transaction)
        if isDeleted { return before.deletedAt == nil ? .deleted : .updated }
        if before.body == nil { return .inserted }
        return before.deletedAt == nil ? .updated : .revived
    }
}
