// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

extension Record {
    /// Whether it has a temporary id, as its key or in its body, until the origin has created the record with that id.
    package var hasTemporaryID: Bool {
        pending > 0 && (TemporaryID.matches(key) || !TemporaryID.found(in: body).isEmpty)
    }
}

extension Store {
    /// The live records of a resource that have a temporary id, as their key or in their body.
    package func recordsWithTemporaryIDs(of resource: String) async throws(StoreError) -> [Record] {
        try await read(resource) { table, snapshot -> [Record]? in
            let keys = try OutboxEditsTable.keysWithTemporaryIDs(of: resource, snapshot)
            guard !keys.isEmpty else { return nil }
            var find = try snapshot.prepare(
                "SELECT \(RecordsTable.recordColumns) FROM \(table.rows) WHERE key = ? AND deleted_at IS NULL")
            var records: [Record] = []
            for key in keys {
                try find.bind(all: [table.key(key)])
                if try find.step() { records.append(try Record(find.row, of: resource)) }
                find.reset()
            }
            return records.filter(\.hasTemporaryID)
        } ?? []
    }
}
