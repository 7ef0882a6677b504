// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

/// A column of a view whose values a column of a result has unchanged.
public struct ColumnOrigin: Sendable, Hashable {
    /// The name of the view.
    public let view: String
    /// The index of its column, from 0.
    public let column: Int

    /// The parameters are the properties of the same names.
    public init(view: String, column: Int) {
        (self.view, self.column) = (view, column)
    }
}

extension Inspection {
    /// Finds the columns of views that a statement selects as they are, also through subqueries; nil for expressions.
    ///
    /// SQLite knows this of tables only (sqlite.org/c3ref/column_decltype.html). So the statement is compiled, and never run, over
    /// TEMP tables in place of the views, whose columns have their origin as their type.
    /// - Parameters:
    ///   - sql: the statement.
    ///   - views: the columns of each view, by its name.
    /// - Returns: one per column of the result; none where the statement cannot be compiled.
    public func origins(of sql: SQL, in views: [String: [String]]) async -> [ColumnOrigin?] {
        guard let file = try? DatabaseFile(at: path, createDirectory: false) else { return [] }
        return await OriginFinder().find(
            sql, in: views.map { (name: $0.key, columns: $0.value) }, of: file, configuration)
    }
}

/// Compiles statements on a thread of its own.
private actor OriginFinder {
    private nonisolated let executor = SerialWorker(label: "siding.origins")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func find(
        _ sql: SQL, in views: [(name: String, columns: [String])], of file: DatabaseFile,
        _ configuration: DatabaseConfiguration
    ) -> [ColumnOrigin?] {
        guard let connection = try? Connection.openReader(file, configuration) else { return [] }
        defer { connection.close() }
        DecimalCollation.install(on: connection)
        let authorizer = InspectionAuthorizer(nil)
        do {
            try Self.createTables(views, on: connection)
            authorizer.install(on: connection)
            defer { withExtendedLifetime(authorizer) {} }
            let statement = try connection.prepare(sql.text)
            defer { sqlite3_finalize(statement) }
            return (0..<sqlite3_column_count(statement)).map { column in
                sqlite3_column_decltype(statement, column).flatMap { Self.origin(String(cString: $0), in: views) }
            }
        } catch {
            // The inspection itself reports what is wrong with the statement.
            return []
        }
    }

    private static func createTables(
        _ views: [(name: String, columns: [String])], on connection: Connection
    ) throws(SQLiteError) {
        let operation = "find the columns of a statement"
        for pragma in ["temp_store = MEMORY", "query_only = OFF"] {
            try connection.run("PRAGMA \(pragma)", operation: operation)
        }
        for (index, view) in views.enumerated() {
            let columns = view.columns.enumerated().map { "\(SQL.quoted($1)) siding_\(index)_\($0)" }
            try connection.run(
                "CREATE TEMP TABLE \(SQL.quoted(view.name)) (\(columns.joined(separator: ", ")))",
                operation: operation)
        }
        try connection.run("PRAGMA query_only = ON", operation: operation)
    }

    /// Reads a type of ``createTables(_:on:)``; nil for types of other tables.
    private static func origin(_ type: String, in views: [(name: String, columns: [String])]) -> ColumnOrigin? {
        let parts = type.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "siding", let view = Int(parts[1]), let column = Int(parts[2]),
            views.indices.contains(view), views[view].columns.indices.contains(column)
        else { return nil }
        return ColumnOrigin(view: views[view].name, column: column)
    }
}

extension SQL {
    fileprivate static func quoted(_ name: String) -> String {
        let name: SQL = "\(identifier: name)"
        return name.text
    }
}
