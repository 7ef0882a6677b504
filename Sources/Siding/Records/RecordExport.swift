internal import SidingSQLite

/// Which records and columns an export contains, all as of one time.
package struct RecordExport: Sendable, Hashable {
    /// A resource, or a view of the elements of a nested array, `issues_labels`.
    package var name: String
    package var scope: Scope
    package var content: Content

    /// Which records to export.
    package enum Scope: Sendable, Hashable {
        case living
        /// The tombstones.
        case deleted
        /// The records changed after the end of a run; see ``Store/changes(of:since:)``.
        case changed(since: RunID)
    }

    /// The content of each row. Elements of nested arrays always have columns.
    package enum Content: Sendable, Hashable {
        case body
        /// All columns of the view.
        case columns
        /// These columns of the view, in this order; a resource also has `siding_key` if its view does not show it.
        case named([String])
    }

    package init(_ name: String, scope: Scope = .living, content: Content = .body) {
        (self.name, self.scope, self.content) = (name, scope, content)
    }
}

/// One row of an export.
package struct ExportedRow: Sendable, Hashable {
    /// Nil for an element of a nested array. The body is empty if columns were requested.
    package var record: Record?
    /// The kind of change, if changes were requested.
    package var change: ChangedRecord.Kind?
    /// One value per column.
    package var values: [ExportedValue]
}

/// The value of a column.
package enum ExportedValue: Sendable, Hashable {
    /// A column declared with a type: the value as the view shows it.
    case cell(QueryCell)
    /// Any other column: the JSON text, so that numbers keep their digits and Booleans their type.
    case json([UInt8])
}

extension Store {
    /// Streams a resource row by row, sorted by key, all as of one time.
    ///
    /// It uses its own connection and transaction: memory does not grow with the number of records, and writers are not blocked.
    /// Until it ends the WAL cannot be emptied.
    /// - Parameters:
    ///   - columns: called once with the column names; empty for bodies.
    ///   - row: called with each row.
    /// - Returns: the run from which later changes can be read: the newest one that has ended; 0 if there is none.
    /// - Throws: ``StoreError``, `cancelled` if the task is cancelled; or the errors of the closures.
    package func export(
        _ export: RecordExport, columns: @escaping @Sendable ([String]) throws -> Void = { _ in },
        row: @escaping @Sendable (ExportedRow) throws -> Void
    ) async throws -> RunID {
        do {
            let reader = try await DatabaseReader.open(at: path)
            return try await reader.read { snapshot in
                let plan = try ExportStatement.make(export, snapshot)
                var statement = try snapshot.prepare(plan.sql)
                try statement.bind(all: plan.arguments)
                try columns(plan.columns.map(\.name))
                while try statement.step() {
                    try Task.checkCancellation()
                    try row(plan.row(statement.row))
                }
                return try ChangeFeed.newestRun(for: plan.resourceID, snapshot)
            }
        } catch let error as SQLiteError {
            throw StoreError(mapping: error)
        } catch let error as CancellationError {
            throw StoreError(mapping: error)
        }
    }
}
