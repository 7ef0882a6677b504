// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Stores which parent's listing showed a record last.
///
/// Views show it as a column. So a record seen in another listing counts as changed, although its body is the same; the history
/// keeps no version for it.
struct RecordScopes {
    /// The records, as the saver of the page left their table.
    let table: RecordsTable
    let scope: String

    /// - Parameter refused: the indexes of records that were not saved.
    func save(
        _ slices: [RecordSlice], except refused: Set<Int>, in page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws {
        let keys = slices.enumerated().compactMap { index, slice -> RecordKey? in
            guard !refused.contains(index), case .key(let key) = slice.outcome else { return nil }
            return key
        }
        let revision = table.row.revision + 1
        let hasChanged = try table.setScope(scope, of: keys, in: page, revision: revision, transaction)
        if hasChanged { try ResourcesTable.raise(revision: revision, of: table.resource, transaction) }
    }

    /// Reassigns records of `table` whose last parent is gone to a parent with a page that shows them: a 304 confirms that
    /// page without showing the records again.
    static func moveOn(
        _ table: RecordsTable, over parents: RecordsTable, _ transaction: borrowing Transaction
    ) throws {
        let left = Set(
            try transaction.query(
                """
                SELECT r.rowid FROM \(table.rows) r WHERE r.scope IS NOT NULL AND r.deleted_at IS NULL
                    AND NOT EXISTS (
                        SELECT 1 FROM \(parents.rows) p
                        WHERE p.key = r.scope AND p.deleted_at IS NULL)
                """
            ) { $0.int(0) })
        _ = try move(left, in: table, transaction)
    }

    /// Reassigns these records to parents with a page that shows them.
    ///
    /// - Returns: those that no page shows.
    static func move(
        _ records: Set<Int64>, in table: RecordsTable, _ transaction: borrowing Transaction
    ) throws -> Set<Int64> {
        var left = records
        guard !left.isEmpty else { return left }
        var found: [(scope: String, id: Int64)] = []
        try PagesTable.forEachMembers(of: table.resource, transaction) { scope, members in
            guard !scope.isEmpty else { return }
            for id in members.ids where left.remove(id) != nil { found.append((scope, id)) }
        }
        guard !found.isEmpty else { return left }
        let revision = table.row.revision + 1
        for (scope, id) in found { try table.setScope(scope, of: id, revision: revision, transaction) }
        try ResourcesTable.raise(revision: revision, of: table.resource, transaction)
        return left
    }
}
