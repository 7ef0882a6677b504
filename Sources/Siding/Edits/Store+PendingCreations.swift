// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

extension Record {
    /// Whether it has a temporary id, as its key or in its body, until the real one is known.
    package var hasTemporaryID: Bool {
        TemporaryID.matches(key) || (pending > 0 && !TemporaryID.found(in: body).isEmpty)
    }
}

extension Store {
    /// The live records of a resource that have a temporary id, as their key or in their body.
    package func recordsWithTemporaryIDs(of resource: String) async throws(StoreError) -> [Record] {
        try await read(resource) { try $0.recordsWithTemporaryIDs($1) } ?? []
    }

    /// The live records of a resource whose creation is not delivered.
    func pendingCreations(of resource: String) async throws(StoreError) -> [Record] {
        try await read(resource) { table, snapshot -> [Record]? in
            let creating = try OutboxEditsTable.keysOfPendingCreations(of: resource, snapshot)
            return try table.recordsWithTemporaryIDs(snapshot).filter { creating.contains($0.key) }
        } ?? []
    }
}

extension RecordsTable {
    /// The live records that have a temporary id, as their key or in their body.
    fileprivate func recordsWithTemporaryIDs(_ snapshot: borrowing Snapshot) throws -> [Record] {
        // Only edits give records temporary ids.
        guard row.isEdited else { return [] }
        // The table has the keys of those that the origin created under an id that it did not name (``UnnamedCreates``).
        let keys = try Set(OutboxEditsTable.keysWithTemporaryIDs(of: resourceName, snapshot)).union(
            snapshot.query("SELECT key FROM \(rows) WHERE \(TemporaryID.range(of: "key"))") { $0.text(0) })
        guard !keys.isEmpty else { return [] }
        var find = try snapshot.prepare(
            "SELECT \(Self.recordColumns) FROM \(rows) WHERE key = ? AND deleted_at IS NULL")
        var records: [Record] = []
        for key in keys.sorted() {
            try find.bind(all: [self.key(key)])
            if try find.step() { records.append(try Record(find.row, of: resourceName)) }
            find.reset()
        }
        return records.filter(\.hasTemporaryID)
    }
}
