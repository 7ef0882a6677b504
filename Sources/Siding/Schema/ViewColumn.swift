internal import SidingJSON
internal import SidingSQLite

/// A column of a view. View and export are made of one list of these, so that they cannot differ in their columns.
struct ViewColumn {
    let name: String
    /// What the view selects.
    let shown: SQL
    /// What an export selects. What has no declared type is read as JSON text there, which loses nothing.
    let exported: SQL
    var isJSON = false

    /// As a view selects it.
    var selected: SQL { "\(shown) AS \(identifier: name)" }

    func value(_ column: Int, of row: borrowing Row) -> ExportedValue {
        isJSON && !row.isNull(column) ? .json(row.blob(column)) : .cell(QueryCell(row.value(column)))
    }
}

extension ViewColumn {
    /// Of a member, or a declared column, at the place that `expression` means.
    init(_ name: String, _ expression: ColumnExpression, _ type: ColumnType = .any) {
        let isJSON = type == .any
        let shown = expression.sql(type)
        self.init(name: name, shown: shown, exported: isJSON ? expression.text : shown, isJSON: isJSON)
    }

    /// The same column, shown as what a row has of it; what is exported as JSON text still is.
    func shown(as value: SQL) -> ViewColumn {
        ViewColumn(name: name, shown: value, exported: isJSON ? exported : value, isJSON: isJSON)
    }

    /// One that is exported as it is shown.
    init(_ name: String, _ sql: SQL) {
        self.init(name: name, shown: sql, exported: sql)
    }

    init(_ column: OwnColumn, beside names: [String] = [], _ sql: SQL) {
        self.init(column.name(beside: names), sql)
    }

    /// Those of `columns` that are wanted, in the wanted order.
    ///
    /// - Throws: ``StoreError/Kind/invalidQuery`` for a name that is not there, or is there twice.
    static func choose(
        _ wanted: RecordExport.Content, of columns: [ViewColumn], more: [ViewColumn] = [], view: String
    ) throws(StoreError) -> [ViewColumn] {
        let names: [String]
        switch wanted {
        case .body: return []
        case .columns: return columns
        case .named(let chosen): names = chosen
        }
        var chosen: [ViewColumn] = []
        for name in names {
            guard let column = (columns + more).first(where: { $0.name == name }) else {
                // As commands take them, with commas between.
                let all = columns.map { $0.name.contains(",") ? "\"\($0.name)\"" : $0.name }.joined(separator: ", ")
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
