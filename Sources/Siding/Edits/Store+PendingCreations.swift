// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

extension Record {
    /// Whether it has a temporary id, as its key or in its body, until the real one is known.
    package var hasTemporaryID: Bool {
        TemporaryID.matches(key) || (pending > 0 && !TemporaryID.found(in: body).isEmpty)
    }
}

extension Store {
    /// The live records of a resource that need not decode yet: those whose creation is not delivered, or was answered while no page
    /// has shown the record, and those with a temporary id, as their key or in their body.
    package func recordsBeforeCreation(of resource: String) async throws(StoreError) -> [Record] {
        try await read(resource) { try $0.recordsBeforeCreation($1) } ?? []
    }

    /// Whether `record` need not decode yet (``recordsBeforeCreation(of:)``), or is another by now, which the next read shows.
    package func isBeforeCreation(_ record: Record) async throws(StoreError) -> Bool {
        if record.hasTemporaryID { return true }
        return try await read(record.resource) { table, snapshot -> Bool? in
            let isCurrent = try snapshot.exists(
                "SELECT 1 FROM \(table.rows) WHERE key = ?1 AND revision = ?2", table.key(record.key), record.revision)
            guard isCurrent else { return true }
            return try ServerCopiesTable.isMissing(record.key, of: table.resource, snapshot)
                || snapshot.exists(
                    "SELECT 1 FROM (\(table.keysOfAnsweredCreations)) WHERE key = ?1", table.key(record.key))
        } ?? true
    }

    /// The live records of a resource whose creation is not delivered.
    func pendingCreations(of resource: String) async throws(StoreError) -> [Record] {
        try await read(resource) { table, snapshot -> [Record]? in
            let creating = try Set(ServerCopiesTable.missingKeys(of: table.resource, snapshot))
            return try table.recordsBeforeCreation(snapshot).filter { creating.contains($0.key) }
        } ?? []
    }
}

extension RecordsTable {
    fileprivate func recordsBeforeCreation(_ snapshot: borrowing Snapshot) throws -> [Record] {
        // Only edits give records temporary ids.
        guard row.isEdited else { return [] }
        // The table has the keys of those that the origin created under an id that it did not name (``UnnamedCreates``).
        let creating = try Set(ServerCopiesTable.missingKeys(of: resource, snapshot))
            .union(snapshot.query(keysOfAnsweredCreations) { $0.text(0) })
        let keys = try creating.union(OutboxEditsTable.keysWithTemporaryIDs(of: resourceName, snapshot)).union(
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
        return records.filter { creating.contains($0.key) || $0.hasTemporaryID }
    }

    /// The keys of the records that the answer to a creation has stored, and that no page has shown since: the answer may have less
    /// than the record.
    fileprivate var keysOfAnsweredCreations: SQL {
        """
        SELECT r.key FROM siding_missing AS m JOIN \(rows) AS r ON r.rowid = m.record
            LEFT JOIN siding_server_copies AS c ON c.resource = m.resource AND c.key = CAST(r.key AS TEXT)
        WHERE m.resource = \(integer: resource) AND COALESCE(c.cause, r.cause) = \(literal: RecordCause.write.rawValue)
        """
    }
}
