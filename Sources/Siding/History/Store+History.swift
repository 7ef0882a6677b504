// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

extension Store {
    /// The versions of a record, newest first, including the present one; nil if there never was such a record.
    ///
    /// A resource without history has only the present version.
    /// - Parameter limit: the maximum number of versions; nil for all.
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored for the resource.
    package func history(of resource: String, key: String, limit: Int?) async throws(StoreError) -> RecordHistory? {
        try await read { snapshot in
            let table = try Self.records(of: resource, snapshot)
            let versions = try RecordVersion.load(of: key, in: table, limit: limit, snapshot)
            return versions.isEmpty ? nil : RecordHistory(since: table.row.historySince, versions: versions)
        }
    }
}

extension RecordVersion {
    /// The newest versions of a record, with what changed in each.
    fileprivate static func load(
        of key: String, in table: RecordsTable, limit: Int?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [RecordVersion] {
        let wanted = limit.map { max($0, 0) } ?? .max
        // One more than requested: the change of the last one depends on its predecessor.
        let rows = try HistoryTable.versions(
            of: key, in: table, limit: wanted == .max ? -1 : wanted + 1, database)
        let firstSeen = try table.find(key, database)?.firstSeenAt.microseconds
        return try rows.indices.prefix(wanted).map { index in
            let row = rows[index]
            // If the history was off in between, the predecessor is unknown.
            let before = rows.indices.contains(index + 1) && rows[index + 1].to == row.from ? rows[index + 1] : nil
            return RecordVersion(
                body: row.body, from: Timestamp(microseconds: row.from), to: row.to.map(Timestamp.init),
                run: row.shownRun(after: before),
                change: row.change(from: before, isFirst: before == nil && row.from <= firstSeen ?? row.from),
                pending: row.pending, differences: try before.map { try row.differences(from: $0) })
        }
    }
}

extension StoredVersion {
    fileprivate func change(from before: StoredVersion?, isFirst: Bool) -> RecordVersion.Change {
        if isDeleted { return .deleted }
        guard let before else { return isFirst ? .inserted : .updated }
        return before.isDeleted ? .revived : .updated
    }

    /// The run that made the version; 0 if one of the user's writes did.
    fileprivate func shownRun(after before: StoredVersion?) -> RunID {
        let isOwn = isWrite || (run == before?.run && pending + (before?.pending ?? 0) > 0)
        return isOwn ? Run.none : run
    }

    fileprivate func differences(from old: StoredVersion) throws -> [MemberDifference] {
        guard old.body != body else { return [] }
        return MemberDifference.between(try Store.document(old.body), try Store.document(body))
    }
}
