internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

extension Store {
    /// The versions of a record, newest first, including the present one; nil if there never was such a record.
    ///
    /// A resource without history has only the present version.
    /// - Parameter limit: the maximum number of versions; nil for all.
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    package func history(
        of resource: String, key: String, limit: Int?
    ) async throws(StoreError) -> RecordHistory? {
        try await read { snapshot in
            let row = try Self.resource(resource, snapshot)
            let versions = try VersionRows(resource: row.id, key: key).load(limit: limit, snapshot)
            return versions.isEmpty ? nil : RecordHistory(since: row.historySince, versions: versions)
        }
    }

    /// Where the present body of a record came from, and when it was confirmed; nil if there is no such record.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    package func provenance(
        of resource: String, key: String
    ) async throws(StoreError) -> RecordProvenance? {
        try await read { snapshot in
            let id = try Self.resource(resource, snapshot).id
            return try ProvenanceReader(resource: id, name: resource, key: key).load(snapshot)
        }
    }
}

/// The versions of one record, from `siding_history` and the record's own row.
struct VersionRows {
    let resource: Int64
    let key: String

    private struct StoredVersion {
        var body: [UInt8]
        var isDeleted: Bool
        var pending: Int
        var from: Int64
        var to: Int64?
        /// The run that saved the origin's bytes; pending edits and their answers do not change it.
        var run: RunID
        var isWrite: Bool
    }

    func load(limit: Int?, _ database: borrowing some Queryable & ~Copyable) throws -> [RecordVersion] {
        let wanted = limit.map { max($0, 0) } ?? .max
        // One more than requested: the change of the last one depends on its predecessor.
        let rows = try rows(wanted == .max ? -1 : wanted + 1, database)
        let firstSeen = try RecordsTable.load(resource, database).find(key, database)?.firstSeenAt.microseconds
        return try rows.indices.prefix(wanted).map { index in
            let row = rows[index]
            // If the history was off in between, the predecessor is unknown.
            let before = rows.indices.contains(index + 1) && rows[index + 1].to == row.from ? rows[index + 1] : nil
            let isFirst = before == nil && row.from <= firstSeen ?? row.from
            return RecordVersion(
                body: row.body, from: Timestamp(microseconds: row.from), to: row.to.map(Timestamp.init),
                run: Self.run(row, before),
                change: Self.change(row, before, isFirst: isFirst), pending: row.pending,
                differences: try before.map { try Self.differences($0, row) })
        }
    }

    private func rows(_ limit: Int, _ database: borrowing some Queryable & ~Copyable) throws -> [StoredVersion] {
        let table = try RecordsTable.load(resource, database)
        return try database.query(
            """
            SELECT * FROM (
                SELECT body, deleted_at IS NOT NULL AS is_deleted, pending, MAX(changed_at, COALESCE(deleted_at, 0)) AS start,
                    NULL AS finish, run, cause = 'write' AS is_write, NULL AS id
                FROM \(table.rows) WHERE key = ?2
                UNION ALL
                SELECT body, deleted_at IS NOT NULL, pending, valid_from, valid_to, run, cause = 'write', id FROM siding_history
                WHERE resource = ?1 AND key = ?2)
            ORDER BY finish IS NOT NULL, finish DESC, id DESC LIMIT ?3
            """, resource, table.key(key), limit
        ) { row in
            StoredVersion(
                body: try row.blob("body"), isDeleted: try row.isTrue("is_deleted"),
                pending: Int(try row.int("pending")), from: try row.int("start"), to: try row.optionalInt("finish"),
                run: try row.int("run"), isWrite: try row.isTrue("is_write"))
        }
    }

    private static func change(_ row: StoredVersion, _ before: StoredVersion?, isFirst: Bool) -> RecordVersion.Change {
        if row.isDeleted { return .deleted }
        guard let before else { return isFirst ? .inserted : .updated }
        return before.isDeleted ? .revived : .updated
    }

    /// The run that made the version; 0 if one of the user's writes did.
    private static func run(_ row: StoredVersion, _ before: StoredVersion?) -> RunID {
        let isOwn = row.isWrite || (row.run == before?.run && row.pending + (before?.pending ?? 0) > 0)
        return isOwn ? Run.none : row.run
    }

    private static func differences(_ old: StoredVersion, _ new: StoredVersion) throws -> [MemberDifference] {
        guard old.body != new.body else { return [] }
        return MemberDifference.between(try Store.document(old.body), try Store.document(new.body))
    }
}
