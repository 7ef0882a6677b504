// SPDX-License-Identifier: Apache-2.0
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
        var left = try await (read(resource) { try $0.surplus(over: retention, now: now, $1) } ?? [])[...]
        var count = 0
        while !left.isEmpty, !Task.isCancelled {
            let portion = Array(left.prefix(KeepRules.portion))
            left = left.dropFirst(portion.count)
            let deleted = try await write(under: lease) { _, transaction -> Int? in
                guard let table = try RecordsTable.load(named: resource, transaction) else { return nil }
                // An edit may have been made since the read.
                let ids = try table.withoutOpenWrites(portion, transaction)
                try TombstonesTable.insert(
                    for: ids, in: table, cause: .local, run: run, now: now, revision: table.row.revision + 1,
                    transaction)
                return ids.count
            }
            count += deleted ?? 0
        }
        if count > 0 { changeSignal.fire() }
        return count
    }
}
