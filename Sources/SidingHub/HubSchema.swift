// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingPostgreSQL

/// Makes what is missing in the hub, and checks what is there.
struct HubSchema: Sendable {
    let connection: PostgreSQLConnection

    /// Makes the schema and the table of positions, if they are missing. Asks before: many roles may not create what exists.
    func prepare(_ positions: HubPositions) async throws {
        let found = try await connection.query(
            """
            SELECT to_regclass($1) IS NOT NULL, current_setting('server_encoding'),
                EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $2)
            """, [.text(positions.name), .text(positions.schema)])
        guard found[0, 1] == "UTF8" else {
            throw HubError(
                .refused, "the database has the encoding \(found[0, 1] ?? "unknown"), which lacks characters of JSON",
                hint: "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 makes one that has all")
        }
        guard found[0, 0] != "t" else { return }
        // CREATE SCHEMA needs a right of the database, with IF NOT EXISTS too.
        try await make(found[0, 2] == "t" ? Array(positions.creation.dropFirst()) : positions.creation)
    }

    /// Other stations may make the same at the same moment: even `IF NOT EXISTS` fails then (PostgreSQL has no lock on names that
    /// are not there yet).
    ///
    /// In one transaction, which waits for a lock no longer than others: a statement that waits holds up all who use the table.
    private func make(_ statements: [String], attempts: Int = 8) async throws {
        do {
            try await connection.transaction { transaction in
                for statement in statements { try transaction.query(statement) }
            }
        } catch let error as PostgreSQLError where attempts > 1 {
            // Each of them means that another station has made something.
            guard ["23505", "42P06", "42P07", "42701", "XX000"].contains(error.sqlState) else { throw error }
            try await make(statements, attempts: attempts - 1)
        }
    }

    /// Makes the table of a resource, or the columns that it lacks. Those for which it has no room are noted in `table`.
    ///
    /// - Throws: ``HubError`` of kind `refused` if the table has another key or a column of another type.
    func prepare(_ table: inout HubTable) async throws {
        try table.check()
        if try await !exists(table.name) {
            try await make(table.creation)
        }
        if try await !exists(table.viewName) { try await make([table.viewCreation]) }
        let types = try await types(of: table.name)
        for column in HubTable.own where !Self.fits(types[column.name], column.type) {
            throw Self.misfit(table, column, types[column.name])
        }
        try await checkKey(of: table)
        for column in table.declared {
            if let type = types[column.name] {
                guard Self.fits(type, column.type) else { throw Self.misfit(table, column, type) }
            } else if try await !add(column, to: table) {
                table.unmade.insert(column.name)
            }
        }
    }

    /// - Returns: false if the table has all the columns that it can have (SQLSTATE 54011, too_many_columns). Columns that were
    ///   dropped count.
    private func add(_ column: (name: String, type: String), to table: HubTable) async throws -> Bool {
        do {
            try await make(table.addition(of: column))
            return true
        } catch let error as PostgreSQLError where error.sqlState == "54011" {
            return false
        }
    }

    /// In CockroachDB every `json` is a `jsonb`.
    private static func fits(_ found: String?, _ wanted: String) -> Bool {
        found == wanted || wanted == "json" && found == "jsonb"
    }

    private static func misfit(
        _ table: HubTable, _ column: (name: String, type: String), _ found: String?
    ) -> HubError {
        let name = "\(SQLName(column.name))"
        return HubError(
            .refused,
            "the hub's table \(table.name) has \(found.map { "the column \(name) of type \($0)" } ?? "no column \(name)"); "
                + "it should be \(column.type)",
            hint: found == nil
                ? "publish to another schema ('schema:' of the target), or rename that table"
                : "change it there: DROP VIEW \(table.viewName); ALTER TABLE \(table.name) ALTER COLUMN \(name) TYPE \(column.type) USING …"
        )
    }

    func exists(_ name: String) async throws(PostgreSQLError) -> Bool {
        let found = try await connection.query("SELECT to_regclass($1) IS NOT NULL", [.text(name)])
        return found[0, 0] == "t"
    }

    /// The types of a table's columns, by their names; empty without the table.
    func types(of name: String) async throws(PostgreSQLError) -> [String: String] {
        let found = try await connection.query(
            """
            SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
            WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
            """, [.text(name)])
        let pairs = found.rows.compactMap { row in row[0].flatMap { name in row[1].map { (name, $0) } } }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Without its key an upsert would fail for ever, and a retry would add rows twice.
    private func checkKey(of table: HubTable) async throws {
        let found = try await connection.query(
            """
            SELECT a.attname FROM pg_index i CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (attnum, place)
                JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
            WHERE i.indrelid = to_regclass($1) AND i.indisprimary ORDER BY k.place
            """, [.text(table.name)])
        guard found.rows.map({ $0[0] }) != HubTable.primaryKey else { return }
        throw HubError(
            .refused,
            "the hub's table \(table.name) lacks the primary key (\(HubTable.primaryKey.joined(separator: ", ")))",
            hint: "rename that table, or publish to another schema ('schema:' of the target)")
    }
}
