internal import SidingJSON
internal import SidingSQLite

/// What came of a record that edits lie on: it goes below them, and the record is made anew.
struct RecordPull {
    let overlay: EditProjection
    let run: RunID
    /// Nil where what came is not from the origin, so that no edit can be in conflict with it.
    let transitions: QueueTransitions?
    /// Where it came from; nil for what is saved here.
    var request: Int64?

    func applies(to key: UnsafeRawBufferPointer, _ transaction: borrowing Transaction) throws -> Bool {
        var find = try transaction.prepare("SELECT 1 FROM siding_bases WHERE resource = ?1 AND key = ?2")
        try find.bind(1, overlay.resource)
        try find.bindTextBytes(2, key)
        return try find.step()
    }

    /// - Returns: what changed at the origin, as a page counts it; what shows is told apart by the resource's revision.
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
