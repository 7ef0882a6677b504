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
        try await read(resource) { table, snapshot -> [Record]? in
            // The keys of the table have those that the origin has created under an id that it did not name (``UnnamedCreates``).
            let keys = try Set(OutboxEditsTable.keysWithTemporaryIDs(of: resource, snapshot)).union(
                snapshot.query("SELECT key FROM \(table.rows) WHERE key >= 'tmp-' AND key < 'tmp.'") { $0.text(0) })
            guard !keys.isEmpty else { return nil }
            var find = try snapshot.prepare(
                "SELECT \(RecordsTable.recordColumns) FROM \(table.rows) WHERE key = ? AND deleted_at IS NULL")
            var records: [Record] = []
            for key in keys.sorted() {
                try find.bind(all: [table.key(key)])
                if try find.step() { records.append(try Record(find.row, of: resource)) }
                find.reset()
            }
            return records.filter(\.hasTemporaryID)
        } ?? []
    }
}
