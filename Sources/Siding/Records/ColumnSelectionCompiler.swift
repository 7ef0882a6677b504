// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Compiles a ``ColumnSelection`` to statements that examine a bounded number of records.
///
/// The order of the keys, and one column with an index, are read in their order. For all else the first
/// ``ColumnSelection/mostExamined`` records are examined: those with the wanted value where an index finds it, else
/// those that come first in that order.
struct ColumnSelectionCompiler {
    private let selection: ColumnSelection
    private let table: RecordsTable
    private let order: Term?
    private let filter: Term?

    /// A column in an order or a filter.
    private struct Term {
        let column: ViewColumn
        /// Whether an index finds its values.
        let isIndexed: Bool
    }

    /// - Throws: ``StoreError/Kind/invalidQuery`` for a column that the view does not have.
    init(_ selection: ColumnSelection, of view: ResourceView) throws(StoreError) {
        (self.selection, table) = (selection, view.table)
        order = try selection.order.map { order throws(StoreError) in
            try Self.term(order.column, view, selection)
        }
        filter = try selection.filter.map { filter throws(StoreError) in
            let term = try Self.term(filter.column, view, selection)
            return Term(column: term.column, isIndexed: term.isIndexed && filter.match == .equals)
        }
    }

    private static func term(
        _ name: String, _ view: ResourceView, _ selection: ColumnSelection
    ) throws(StoreError) -> Term {
        let columns = view.viewColumns + [ViewColumn(.key, "key")]
        guard let column = columns.first(where: { $0.name == name }) else {
            throw StoreError(
                .invalidQuery, "'\(view.name)' has no column '\(PlainText.oneLine(name, limit: 100))'",
                hint: "'siding schema \(view.name)' shows its columns")
        }
        let isStored = view.table.columns.contains {
            $0.column.isIndexed && column.shown == "\(identifier: $0.name)"
        }
        // The index of a column holds live records only, that of the keys all.
        return Term(column: column, isIndexed: column.shown == "key" || isStored && !selection.isDeleted)
    }

    /// The column without an index that keeps the selection from all records; nil if there is none.
    var unindexed: String? {
        if let filter, !filter.isIndexed { return filter.column.name }
        guard let order, !order.isIndexed || filter != nil else { return nil }
        return order.column.name
    }

    /// Selects the ids of the rows.
    func statement() -> BoundSQL {
        guard order != nil || filter != nil else { return byKey() }
        var statement = inner(
            selecting:
                "rowid AS row, key, \(order?.column.shown ?? "key") AS sorted, \(filter?.column.shown ?? "NULL") AS found"
        )
        let direction: SQL = selection.order?.isDescending == true ? " DESC" : ""
        let match = match("found")
        statement.sql = """
            SELECT row FROM (\(statement.sql)) WHERE \(match.sql) \
            ORDER BY sorted\(direction), key\(direction) LIMIT ? OFFSET ?
            """
        statement.arguments += match.arguments
        statement.arguments += [.integer(Int64(selection.limit)), .integer(Int64(max(selection.offset, 0)))]
        return statement
    }

    /// Counts the records that would have to be examined, as far as that matters.
    func examined() -> BoundSQL {
        guard unindexed != nil else { return BoundSQL(sql: "SELECT 0") }
        let all = inner(selecting: "1", limit: ColumnSelection.mostExamined + 1)
        return BoundSQL(sql: "SELECT COUNT(*) FROM (\(all.sql))", arguments: all.arguments)
    }

    private func byKey() -> BoundSQL {
        var statement = BoundSQL(sql: "SELECT rowid FROM \(table.rowsByKey) WHERE \(isSelected)")
        if let after = selection.after {
            statement.sql = "\(statement.sql) AND key > ?"
            statement.arguments.append(table.key(after))
        }
        statement.sql = "\(statement.sql) ORDER BY key LIMIT ?"
        statement.arguments.append(.integer(Int64(selection.limit)))
        return statement
    }

    private var isSelected: SQL { selection.isDeleted ? "deleted_at IS NOT NULL" : "deleted_at IS NULL" }

    /// Selects the records to examine. The row id ends an order by an indexed column, as it does in the index, so that
    /// nothing is sorted.
    private func inner(selecting what: SQL, limit: Int = ColumnSelection.mostExamined) -> BoundSQL {
        let isFound = filter?.isIndexed == true
        let match = isFound ? match(filter?.column.shown ?? "NULL") : BoundSQL(sql: "1")
        let direction: SQL = selection.order?.isDescending == true ? " DESC" : ""
        let isByIndex = !isFound && order?.isIndexed == true
        let isByKey = !isByIndex || order?.column.shown == "key"
        let sorting: SQL =
            if isFound { "" } else if isByIndex, !isByKey, let order {
                " ORDER BY \(order.column.shown)\(direction), rowid\(direction)"
            } else { " ORDER BY key\(isByIndex ? direction : "")" }
        let rows = isByKey && !isFound ? table.rowsByKey : table.rows
        return BoundSQL(
            sql: "SELECT \(what) FROM \(rows) WHERE \(isSelected) AND \(match.sql)\(sorting) LIMIT ?",
            arguments: match.arguments + [.integer(Int64(limit))])
    }

    /// Whether `value` is or contains what the filter wants.
    private func match(_ value: SQL) -> BoundSQL {
        guard let filter = selection.filter else { return BoundSQL(sql: "1") }
        switch filter.match {
        case .contains: return BoundSQL(sql: "instr(lower(\(value)), lower(?)) > 0", arguments: [.text(filter.text)])
        case .equals:
            let values = Self.values(of: filter.text)
            let places = [SQL](repeating: "?", count: values.count).joined
            return BoundSQL(sql: "\(value) IN (\(places))", arguments: values)
        }
    }

    /// What a value may be that people write so: SQL has numbers, and 1 and 0 for true and false.
    private static func values(of text: String) -> [SQLiteValue] {
        var values: [SQLiteValue] = [.text(text)]
        if let integer = Int64(text) {
            values.append(.integer(integer))
        } else if let real = Double(text), real.isFinite {
            values.append(.real(real))
        }
        if text == "true" { values.append(.integer(1)) }
        if text == "false" { values.append(.integer(0)) }
        return values
    }
}
