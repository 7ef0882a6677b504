internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

extension Store {
    /// Deletes the records that `retention` does not keep, a portion per transaction. They become tombstones, so that change feeds
    /// report them and the run's deletions can be undone; records with pending edits stay.
    ///
    /// - Returns: the number of deleted records.
    func apply(
        _ retention: RecordRetention, to resource: String, under lease: Lease, run: RunID
    ) async throws(StoreError) -> Int {
        let now = clock.now
        var left = try await read { snapshot in
            try ResourcesTable.load(named: resource, snapshot).map {
                try RecordsTable.load($0, snapshot).surplus(over: retention, now: now, snapshot)
            } ?? []
        }[...]
        var count = 0
        while !left.isEmpty, !Task.isCancelled {
            let portion = Array(left.prefix(KeepRules.portion))
            left = left.dropFirst(portion.count)
            count += try await write(under: lease) { _, transaction in
                guard let row = try ResourcesTable.load(named: resource, transaction) else { return 0 }
                // An edit may have been made since the read.
                let ids = try RecordsTable.load(row, transaction).withoutOpenWrites(portion, transaction)
                try TombstonesTable.insert(
                    for: ids, in: row.id, cause: .local, run: run, now: now, revision: row.revision + 1, transaction)
                return ids.count
            }
        }
        if count > 0 { changeSignal.fire() }
        return count
    }
}
