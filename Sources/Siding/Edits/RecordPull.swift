internal import SidingJSON
internal import SidingSQLite

/// Applies an incoming change to a record with pending edits: stores it as the server copy and projects the edits again.
struct RecordPull {
    let overlay: EditProjection
    let run: RunID
    /// Nil if the change is not from the origin, so that no edit can conflict with it.
    let transitions: QueueTransitions?
    /// The request that brought the change; nil for one made locally.
    var request: Int64?

    func applies(to key: UnsafeRawBufferPointer, _ transaction: borrowing Transaction) throws -> Bool {
        var find = try transaction.prepare("SELECT 1 FROM siding_server_copies WHERE resource = ?1 AND key = ?2")
        try find.bind(1, overlay.resource)
        try find.bindTextBytes(2, key)
        return try find.step()
    }

    /// Stores `body` as the server copy of the record.
    ///
    /// - Returns: the change at the origin, as a page counts it. Whether the visible record changed follows from the
    ///   resource's revision.
    func take(
        _ body: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer, isDeleted: Bool = false,
        _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        let key = String(decoding: key, as: UTF8.self)
        let base = try ServerCopy.load(overlay.resource, key, transaction)
        let before = base?.state ?? .nothing
        var after = RecordState(body: try EditRows.document(Array(body)))
        if isDeleted { after.deletedAt = before.deletedAt ?? overlay.now }
        guard before != after else { return .unchanged }
        try overlay.setBase(of: key, after, request: request, transaction)
        if let transitions {
            try ConflictWatch(overlay: overlay, transitions: transitions).check(key, transaction)
        }
        try overlay.show(key, run: run, transaction)
        if isDeleted { return before.deletedAt == nil ? .deleted : .updated }
        if before.body == nil { return .inserted }
        return before.deletedAt == nil ? .updated : .revived
    }
}
