// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// Which records and columns an export contains, all as of one time.
package struct RecordExport: Sendable, Hashable {
    /// A resource, or a view of the elements of a nested array, `issues_labels`.
    package var name: String
    package var selection: Selection
    package var content: RowContent

    /// Which records to export.
    package enum Selection: Sendable, Hashable {
        case living
        /// The tombstones.
        case deleted
        /// The records changed after the end of a run; see ``Store/changes(of:since:)``.
        case changed(since: RunID)
    }

    /// The content of each row. Elements of nested arrays always have columns.
    package enum RowContent: Sendable, Hashable {
        case body
        /// All columns of the view.
        case columns
        /// These columns of the view, in this order; a resource also has `siding_key` if its view does not show it.
        case named([String])
    }

    package init(_ name: String, selection: Selection = .living, content: RowContent = .body) {
        (self.name, self.selection, self.content) = (name, selection, content)
    }
}

/// One row of an export.
package struct ExportedRow: Sendable, Hashable {
    /// Nil for an element of a nested array. The body is empty if columns were requested.
    package var record: Record?
    /// The kind of change, if changes were requested.
    package var change: ChangedRecord.Kind?
    /// One value per column.
    package var values: [ColumnValue]
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
                    try row(try plan.row(statement.row))
                }
                return try ChangeFeed.newestRun(for: plan.owner, snapshot)
            }
        } catch let error as SQLiteError {
            throw StoreError(mapping: error)
        } catch let error as CancellationError {
            throw StoreError(mapping: error)
        }
    }
}

/// The statement that streams an export row by row.
struct ExportStatement {
    let sql: SQL
    let arguments: [SQLiteValue]
    let columns: [ViewColumn]
    /// Nil for elements of nested arrays.
    let resource: String?
    /// The resource whose records or elements these are.
    let owner: ResourceRow

    /// - Throws: ``StoreError/Kind/notFound`` for an unknown name, and the errors of ``ChangeFeed/load(of:named:since:_:)`` and
    ///   ``ViewColumn/choose(_:of:more:view:)``.
    static func make(_ export: RecordExport, _ snapshot: borrowing Snapshot) throws -> ExportStatement {
        if let view = try ResourceView.load(named: export.name, snapshot) {
            return try records(of: view, export, snapshot)
        }
        let children = try ResourceView.all(snapshot).lazy.flatMap(\.children).first { $0.name == export.name }
        guard let children else { throw StoreError(noResource: export.name) }
        return try elements(of: children, export)
    }

    /// The columns of the record itself, and the kind of change.
    private static func own(_ body: SQL, _ kind: SQL) -> SQL {
        "key, \(body) AS body, first_seen_at, changed_at, deleted_at, run, revision, pending, \(kind) AS change"
    }

    static let ownCount = 9

    private static func records(
        of view: ResourceView, _ export: RecordExport, _ snapshot: borrowing Snapshot
    ) throws -> ExportStatement {
        let key = ViewColumn(.key, "key")
        let columns = try ViewColumn.choose(
            export.content, of: view.viewColumns, more: [key], view: export.name)
        var arguments: [SQLiteValue] = []
        let condition: SQL
        var kind: SQL = "NULL"
        switch export.selection {
        case .living: condition = "deleted_at IS NULL"
        case .deleted: condition = "deleted_at IS NOT NULL"
        case .changed(let run):
            (condition, kind) = (ChangeFeed.condition, ChangeFeed.kind)
            let feed = try ChangeFeed.load(of: view.table.row, named: view.name, since: run, snapshot)
            arguments.append(.integer(feed.since))
        }
        let body: SQL = export.content == .body ? "body" : "NULL"
        // A column of the view may have the name of one of the record's own.
        let selected = [own(body, kind)] + columns.enumerated().map { "\($1.exported) AS value_\(integer: $0)" }
        return ExportStatement(
            sql: "SELECT \(selected.joined) FROM \(view.table.rowsByKey) WHERE \(condition) ORDER BY key",
            arguments: arguments, columns: columns, resource: view.name, owner: view.table.row)
    }

    /// The statement for elements of nested arrays. They have no row of their own, so no tombstones or revisions.
    private static func elements(of view: ChildView, _ export: RecordExport) throws -> ExportStatement {
        guard export.selection == .living else {
            throw StoreError(
                .invalidQuery, "'\(view.name)' shows elements of nested arrays, which change only with their record",
                hint: "export the resource itself")
        }
        let wanted: RecordExport.RowContent = export.content == .body ? .columns : export.content
        let columns = try ViewColumn.choose(wanted, of: view.viewColumns, view: view.name)
        return ExportStatement(
            sql: "SELECT \(columns.map(\.exported).joined) \(view.elements()) ORDER BY r.key", arguments: [],
            columns: columns, resource: nil, owner: view.table.row)
    }

    func row(_ row: borrowing Row) throws -> ExportedRow {
        let first = resource == nil ? 0 : Self.ownCount
        var values: [ColumnValue] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() { values.append(column.value(first + index, of: row)) }
        guard let resource else { return ExportedRow(record: nil, change: nil, values: values) }
        return ExportedRow(
            record: try Record(row, of: resource),
            change: try row.optionalText("change").flatMap(ChangedRecord.Kind.init), values: values)
    }
}
