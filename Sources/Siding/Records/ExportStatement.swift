internal import SidingSQLite

/// The statement that streams an export row by row.
struct ExportStatement {
    let sql: SQL
    let arguments: [SQLiteValue]
    let columns: [ViewColumn]
    /// Nil for elements of nested arrays.
    let resource: String?
    let resourceID: Int64

    /// - Throws: ``StoreError/Kind/notFound`` for an unknown name, and the errors of ``ChangeFeed/load(of:named:since:_:)`` and
    ///   ``ViewColumn/choose(_:of:more:view:)``.
    static func make(_ export: RecordExport, _ snapshot: borrowing Snapshot) throws -> ExportStatement {
        if let view = try ResourceView.load(named: export.name, snapshot) {
            return try records(of: view, export, snapshot)
        }
        let children = try ResourceView.all(snapshot).lazy.flatMap(\.children).first { $0.name == export.name }
        guard let children else {
            _ = try Store.resourceID(export.name, snapshot)
            throw StoreError(.notFound, "nothing is stored under this name")
        }
        return try elements(of: children, export)
    }

    /// The columns of the record itself, in the order of ``Store/record(_:_:)``, and the kind of change.
    private static func own(_ body: SQL, _ kind: SQL) -> SQL {
        "key, \(body), first_seen_at, changed_at, deleted_at, run, revision, pending, \(kind)"
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
        switch export.scope {
        case .living: condition = "deleted_at IS NULL"
        case .deleted: condition = "deleted_at IS NOT NULL"
        case .changed(let run):
            (condition, kind) = (ChangeFeed.condition, ChangeFeed.kind)
            let feed = try ChangeFeed.load(of: view.resource, named: view.name, since: run, snapshot)
            arguments.append(.integer(feed.since))
        }
        let body: SQL = export.content == .body ? "body" : "NULL"
        let selected = [own(body, kind)] + columns.map(\.exported)
        return ExportStatement(
            sql: "SELECT \(selected.joined) FROM \(view.table.rowsByKey) WHERE \(condition) ORDER BY key",
            arguments: arguments,
            columns: columns, resource: view.name, resourceID: view.resource)
    }

    /// The statement for elements of nested arrays. They have no row of their own, so no tombstones or revisions.
    private static func elements(of view: ChildView, _ export: RecordExport) throws -> ExportStatement {
        guard export.scope == .living else {
            throw StoreError(
                .invalidQuery, "'\(view.name)' shows what lies inside of records, which change as a whole",
                hint: "export the resource itself")
        }
        let wanted: RecordExport.Content = export.content == .body ? .columns : export.content
        let columns = try ViewColumn.choose(wanted, of: view.viewColumns, view: view.name)
        return ExportStatement(
            sql: "SELECT \(columns.map(\.exported).joined) \(view.elements()) ORDER BY r.key", arguments: [],
            columns: columns,
            resource: nil, resourceID: view.table.resource)
    }

    func row(_ row: borrowing Row) -> ExportedRow {
        let first = resource == nil ? 0 : Self.ownCount
        var values: [ExportedValue] = []
        values.reserveCapacity(columns.count)
        for (index, column) in columns.enumerated() { values.append(column.value(first + index, of: row)) }
        guard let resource else { return ExportedRow(record: nil, change: nil, values: values) }
        return ExportedRow(
            record: Store.record(row, resource),
            change: row.optionalText(Self.ownCount - 1).flatMap(ChangedRecord.Kind.init), values: values)
    }
}
