internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The visible row of a record with pending edits.
struct ProjectedRecord {
    let overlay: EditProjection
    let key: String

    /// Writes `state` to the row. Without a record no row is created, and an existing row becomes a tombstone, so that change
    /// feeds report it. Its body is `null`, as there is no server copy to keep.
    ///
    /// - Parameters:
    ///   - run: the run that brought the change; nil keeps the row's own.
    ///   - request: the request that the server copy came from.
    func write(
        _ state: RecordState, pending: Int, run: RunID?, request: Int64?, _ transaction: borrowing Transaction
    ) throws -> RecordChange {
        let table = try RecordsTable.load(overlay.resource, transaction)
        guard let stored = try table.find(key, transaction) else {
            guard let body = state.body else { return .unchanged }
            let record = projection(body.bytes, state.deletedAt?.microseconds, pending, run, request)
            let row = try table.insert(record, under: key, transaction)
            try MissingTable.exempt(row, of: overlay.resource, transaction)
            if let index = try TextIndex.load(of: overlay.resource, transaction) {
                var text = try TextStatements(index, transaction)
                try text.add(row)
            }
            try Revisions.set(overlay.revision, of: overlay.resource, transaction)
            return state.deletedAt == nil ? .inserted : .unchanged
        }
        let body = Array((state.body ?? .null).bytes)
        let deletedAt = state.body == nil ? stored.deletedAt ?? overlay.now : state.deletedAt
        guard body != stored.body || deletedAt != stored.deletedAt || pending != stored.pending else {
            return .unchanged
        }
        var text = try TextIndex.load(of: overlay.resource, transaction).map { try TextStatements($0, transaction) }
        try text?.remove(stored.row)
        let record = projection(body, deletedAt?.microseconds, pending, run, request)
        try table.update(stored.row, to: record, transaction)
        try text?.add(stored.row)
        try Revisions.set(overlay.revision, of: overlay.resource, transaction)
        let isRevived = deletedAt == nil && stored.deletedAt != nil
        if deletedAt != nil {
            try MissingTable.remove(stored.row, of: overlay.resource, transaction)
        } else if isRevived {
            try MissingTable.exempt(stored.row, of: overlay.resource, transaction)
        }
        if isRevived { return .revived }
        return body == stored.body && deletedAt == stored.deletedAt ? .unchanged : .updated
    }

    private func projection(
        _ body: some Sequence<UInt8>, _ deletedAt: Int64?, _ pending: Int, _ run: RunID?, _ request: Int64?
    ) -> RecordsTable.Projection {
        RecordsTable.Projection(
            body: Array(body), deletedAt: deletedAt, pending: pending, run: run, request: request, now: overlay.now,
            revision: overlay.revision)
    }
}
