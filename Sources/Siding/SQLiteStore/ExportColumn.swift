internal import SidingJSON
internal import SidingSQLite

/// A column of a view as it is exported. What has no declared type is read as JSON text, which loses nothing.
struct ExportColumn {
    let name: String
    let sql: SQL
    var isJSON = false

    func value(_ column: Int, of row: borrowing Row) -> ExportedValue {
        isJSON && !row.isNull(column) ? .json(row.blob(column)) : .cell(QueryCell(row.value(column)))
    }
}

extension ExportColumn {
    /// Of a member, or a declared column, at the place that `expression` means.
    init(_ name: String, _ expression: ColumnExpression, _ type: ColumnType = .any) {
        let isJSON = type == .any
        self.init(name: name, sql: isJSON ? expression.text : expression.sql(type), isJSON: isJSON)
    }

    init(_ name: String, text: SQL) {
        self.init(name: name, sql: text)
    }

    /// Those of `columns` that are wanted, in the wanted order.
    ///
    /// - Throws: ``StoreError/Kind/invalidQuery`` for a name that is not there, or is there twice.
    static func choose(
        _ wanted: RecordExport.Content, of columns: [ExportColumn], more: [ExportColumn] = [], view: String
    ) throws(StoreError) -> [ExportColumn] {
        let names: [String]
        switch wanted {
        case .body: return []
        case .columns: return columns
        case .named(let chosen): names = chosen
        }
        var chosen: [ExportColumn] = []
        for name in names {
            guard let column = (columns + more).first(where: { $0.name == name }) else {
                let all = columns.map(\.name).joined(separator: ", ")
                throw StoreError(
                    .invalidQuery, "'\(view)' has no column '\(PlainText.oneLine(name, limit: 100))'",
                    hint: "it has: \(PlainText.oneLine(all, limit: 1_000))")
            }
            guard !chosen.contains(where: { $0.name == name }) else {
                throw StoreError(.invalidQuery, "the column '\(PlainText.oneLine(name, limit: 100))' is named twice")
            }
            chosen.append(column)
        }
        return chosen
    }
}

extension ResourceView {
    /// The columns that the view shows, in its order.
    var exportColumns: [ExportColumn] {
        let names: [String]
        var shown: [ExportColumn]
        if shape.columns.isEmpty {
            names = columns.map(\.name)
            shown = columns.map { ExportColumn($0.name, .member(JSONPath(member: $0.member))) }
            if shown.isEmpty { shown = [ExportColumn("key", text: "key")] }
            if !shape.children.isEmpty { shown.append(ExportColumn(OwnColumn.key.name(beside: names), text: "key")) }
        } else {
            names = []
            shown = shape.columns.map { ExportColumn($0.name, .member($0.path), $0.type) }
            shown.append(ExportColumn(OwnColumn.key.rawValue, text: "key"))
        }
        if isEdited { shown.append(ExportColumn(OwnColumn.pending.name(beside: names), text: "pending")) }
        return shown
    }
}

extension ChildView {
    /// The columns that the view shows, in its order.
    var exportColumns: [ExportColumn] {
        var shown: [ExportColumn]
        if children.columns.isEmpty {
            shown = columns.map { column in
                guard column.member == Self.scalar else {
                    return ExportColumn(column.name, .element(JSONPath(member: column.member)))
                }
                let scalar: SQL = "CASE WHEN e.type NOT IN ('object', 'array') THEN r.body -> e.fullkey END"
                return ExportColumn(name: column.name, sql: scalar, isJSON: true)
            }
        } else {
            shown = children.columns.map { ExportColumn($0.name, .element($0.path), $0.type) }
        }
        if let key = children.key {
            shown.append(ExportColumn(OwnColumn.key.rawValue, .element(key), .text))
        }
        shown.append(ExportColumn(OwnColumn.parent.rawValue, text: "r.key"))
        shown.append(ExportColumn(OwnColumn.position.rawValue, text: "e.key"))
        return shown
    }
}
