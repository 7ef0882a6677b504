// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// A column of a view, used by view, query and export, so that their columns cannot differ.
struct ViewColumn {
    let name: String
    /// The expression in the view.
    let shown: SQL
    /// The expression in exports: values without a declared type are exported as JSON text, decimals with their digits.
    let exported: SQL
    var isJSON = false
    /// The JSON that its values stand for; nil where that depends on the records.
    var form: ValueForm? = []
    /// The name of the JSON type of each value, where ``form`` depends on them.
    var kind: SQL?
    /// Whether the view shows numbers of which the export has the digits.
    var isDecimal = false

    /// The expression with its name, for the view's SELECT.
    var selected: SQL { "\(shown) AS \(identifier: name)" }

    /// The same in queries of Siding's own connection: a decimal has its digits there, and is compared as a number. TEXT, so
    /// that a number beside it is compared as its digits (sqlite.org/datatype3.html, section 4.2). Other programs do not have the
    /// collation, so the view of the file does without it.
    var queried: SQL {
        guard isDecimal else { return selected }
        return "CAST(\(exported) AS TEXT) COLLATE \(identifier: DecimalCollation.name) AS \(identifier: name)"
    }

    func value(_ column: Int, of row: borrowing Row) -> ColumnValue {
        isJSON && !row.isNull(column)
            ? .json(row.blob(column)) : ColumnValue(row.value(column), as: form ?? [])
    }
}

extension ViewColumn {
    /// A column with the value of `expression`, shown as `type`.
    init(_ name: String, _ expression: ColumnExpression, _ type: ColumnType = .any) {
        let shown = expression.sql(type)
        let exported =
            switch type {
            case .any: expression.text
            case .decimal: expression.sql(.text)
            default: shown
            }
        self.init(
            name: name, shown: shown, exported: exported, isJSON: type == .any, form: ValueForm(type),
            kind: type == .any ? expression.kind : nil, isDecimal: type == .decimal)
    }

    /// The same column, shown as what a row has of it; what is exported otherwise still is.
    func shown(as value: SQL) -> ViewColumn {
        ViewColumn(
            name: name, shown: value, exported: isJSON || isDecimal ? exported : value, isJSON: isJSON, form: form,
            kind: kind, isDecimal: isDecimal)
    }

    /// A column that is exported as shown.
    init(_ name: String, _ sql: SQL) {
        self.init(name: name, shown: sql, exported: sql)
    }

    init(_ column: OwnColumn, _ sql: SQL) { self.init(column.rawValue, sql) }

    /// The requested columns, in the requested order.
    ///
    /// - Throws: ``StoreError/Kind/invalidQuery`` for an unknown or repeated name.
    static func choose(
        _ wanted: RecordExport.RowContent, of columns: [ViewColumn], more: [ViewColumn] = [], view: String
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
                // Quoted as the command line expects names with commas.
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
