// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

extension Store {
    /// Checks the file: SQLite's own integrity check, and the invariants that the schema cannot express.
    ///
    /// - Returns: one line per fault; empty if there is none.
    package func check() async throws(StoreError) -> [String] {
        let damage: [String]
        do {
            damage = try await DatabaseReader.open(at: path).check(quick: false)
        } catch { throw StoreError(mapping: error) }
        return try await damage
            + read { snapshot in
                let tables = try RecordsTable.all(snapshot)
                return try (Self.invariants + tables.flatMap(Self.invariants)).flatMap { invariant in
                    try snapshot.query(invariant.violations) { row in "\(invariant.name): \(row.text(0))" }
                }
                    + OutboxTable.entriesInCycles(snapshot).prefix(10).map {
                        "a queue entry that is never sent, since entries wait for each other: \($0)"
                    }
            }
    }

    /// Invariants across rows; each query selects rows that break one.
    private static let invariants: [(name: String, violations: SQL)] = [
        ("a queue entry without its request, its key or its edit", OutboxTable.incompleteEntries),
        ("a lane without exactly one head", OutboxTable.lanesWithoutOneHead),
        ("an edit that is pending though its entry is completed, or the reverse", OutboxEditsTable.wronglyPendingEdits),
        ("an edit of a record whose base is lost", OutboxEditsTable.editsWithoutServerCopy),
        ("a server copy without an edit", OutboxEditsTable.serverCopiesWithoutEdit),
        (
            "a complete listing whose resource was never completed",
            """
            SELECT r.name FROM siding_listings l JOIN siding_resources r ON r.id = l.resource
            WHERE l.state = 'complete' AND l.scope = '' AND r.listed ->> 'completed_at' IS NULL LIMIT 10
            """
        ),
    ]

    /// The same of the records of one resource.
    private static func invariants(of table: RecordsTable) -> [(name: String, violations: SQL)] {
        let wrong = table.columns.filter(\.isFilled)
            .map { column -> SQL in "\(identifier: column.name) IS NOT \(column.value(of: "body"))" }
        return [
            ("a record that is not JSON", "SELECT key FROM \(table.rows) WHERE NOT json_valid(body) LIMIT 10"),
            (
                "a record whose stored columns are not what its body has",
                "SELECT key FROM \(table.rows) WHERE json_valid(body) AND (\(wrong.anyOf)) LIMIT 10"
            ),
            (
                "a record whose count of pending edits is wrong",
                """
                SELECT r.key FROM \(table.rows) r
                WHERE r.pending > 0 AND r.pending <> (SELECT COUNT(*) FROM siding_outbox_entries q
                    WHERE q.resource = \(literal: table.resourceName) AND q.record_key = CAST(r.key AS TEXT)
                        AND q.pending = 1)
                LIMIT 10
                """
            ),
            (
                "a version in the history that ends after its successor began",
                """
                SELECT h.key FROM siding_history h JOIN \(table.rows) r ON r.key = h.key
                WHERE h.resource = \(integer: table.resource) AND h.valid_to > MAX(r.changed_at, COALESCE(r.deleted_at, 0))
                LIMIT 10
                """
            ),
        ]
    }
}

extension [SQL] {
    /// True where one of them is; not deeper than the columns allow.
    fileprivate var anyOf: SQL {
        guard !isEmpty else { return "0" }
        return "1 IN (\(map { condition -> SQL in "(\(condition))" }.joined))"
    }
}
