// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// A query for records as rows of the first columns of their view, as a table on a screen shows them.
package struct ColumnSelection: Sendable, Hashable {
    package var resource: String
    /// Nil for the order of the keys.
    package var order: Order?
    /// Nil for all.
    package var filter: Condition?
    /// Whether to select tombstones instead of live records.
    package var isDeleted = false
    /// Only keys after this one; use it without an order and a filter.
    package var after: String?
    /// The number of records to skip; use it with an order or a filter.
    package var offset = 0
    package var limit: Int

    package init(
        resource: String, order: Order? = nil, filter: Condition? = nil, isDeleted: Bool = false, after: String? = nil,
        offset: Int = 0, limit: Int
    ) {
        (self.resource, self.order, self.filter, self.isDeleted) = (resource, order, filter, isDeleted)
        (self.after, self.offset, self.limit) = (after, offset, limit)
    }

    /// The most records that an order or a filter examines, however many are stored: without an index each of them is
    /// read.
    package static let mostExamined = 10_000
    /// The most columns that are shown beside the key.
    package static let mostColumns = 5
    /// The name of the key among the columns to sort by.
    package static let key = OwnColumn.key.rawValue

    /// A column to sort by: NULL first, then numbers, then texts by their bytes; or in reverse.
    package struct Order: Sendable, Hashable {
        package var column: String
        package var isDescending: Bool

        package init(_ column: String, isDescending: Bool = false) {
            (self.column, self.isDescending) = (column, isDescending)
        }
    }

    package struct Condition: Sendable, Hashable {
        package var column: String
        package var match: Match
        package var text: String

        package init(_ column: String, _ match: Match, _ text: String) {
            (self.column, self.match, self.text) = (column, match, text)
        }
    }

    package enum Match: String, Sendable, Hashable, CaseIterable {
        /// The value is the text, or the number or Boolean that it spells.
        case equals
        /// The value contains the text; ASCII letters match regardless of case.
        case contains
    }
}

/// The rows of a ``ColumnSelection``.
package struct ColumnRows: Sendable {
    package struct Row: Sendable {
        package var record: Record
        /// The texts of its values, in the order of the columns: strings as they are, other values as JSON; nil for
        /// null.
        package var values: [String?]
    }

    /// The columns that are shown.
    package var columns: [String]
    /// All columns by which records can be sorted and filtered.
    package var allColumns: [String]
    package var rows: [Row]
    /// The column without an index because of which only the first ``ColumnSelection/mostExamined`` records were
    /// examined; nil if all were.
    package var unindexed: String?
}

extension Store {
    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored of the resource, ``StoreError/Kind/invalidQuery``
    /// for a column
    ///   that its view does not have.
    package func rows(_ selection: ColumnSelection) async throws(StoreError) -> ColumnRows {
        try await read { snapshot in
            guard let view = try ResourceView.load(named: selection.resource, snapshot) else {
                throw StoreError(noResource: selection.resource)
            }
            let compiler = try ColumnSelectionCompiler(selection, of: view)
            let shown = try view.firstColumns(snapshot)
            let found = try snapshot.query(compiler.statement()) { $0.int(0) }
            let isCut = try snapshot.query(compiler.examined()) { $0.int(0) }.first ?? 0
            let values = shown.enumerated().map { "\($1.exported) AS value_\(integer: $0)" as SQL }
            let columns = ([RecordsTable.recordColumns] + values).joined
            var row = try snapshot.prepare("SELECT \(columns) FROM \(view.table.rows) WHERE rowid = ?")
            var rows: [ColumnRows.Row] = []
            for id in found {
                try row.bind(all: [id])
                if try row.step() {
                    let record = try Record(row.row, of: selection.resource)
                    var values: [String?] = []
                    for (index, column) in shown.enumerated() {
                        values.append(column.value(RecordsTable.recordColumnCount + index, of: row.row).text)
                    }
                    rows.append(ColumnRows.Row(record: record, values: values))
                }
                row.reset()
            }
            return ColumnRows(
                columns: shown.map(\.name), allColumns: view.viewColumns.map(\.name), rows: rows,
                unindexed: isCut > ColumnSelection.mostExamined ? compiler.unindexed : nil)
        }
    }
}

extension ResourceView {
    /// The first columns beside the key: those that are declared, else those of the members that were seen first.
    /// Members that hold objects or arrays in all records come last, as a cell shows little of them.
    fileprivate func firstColumns(_ database: borrowing some Queryable & ~Copyable) throws -> [ViewColumn] {
        let columns = viewColumns.filter { !OwnColumn.isReserved($0.name) && $0.shown.text != "key" }
        guard schema.columns.isEmpty else { return Array(columns.prefix(ColumnSelection.mostColumns)) }
        let fields = try FieldsTable.load(of: resource, database)
        let nested = Set(
            followed.filter { column in
                let kinds = fields.kinds(of: column.member)
                return !kinds.isEmpty && kinds.isSubset(of: [.object, .array])
            }.map(\.name))
        let sorted = columns.filter { !nested.contains($0.name) } + columns.filter { nested.contains($0.name) }
        return Array(sorted.prefix(ColumnSelection.mostColumns))
    }
}

extension ColumnValue {
    fileprivate var text: String? {
        switch self {
        case .cell(.null), .cell(.blob): nil
        case .cell(.integer(let number)): String(number)
        case .cell(.real(let number)): number.description
        case .cell(.text(let text)): text
        case .json(let json): Self.text(of: json)
        }
    }

    private static func text(of json: [UInt8]) -> String? {
        switch json.first {
        case UInt8(ascii: "\""):
            (try? JSONDocument(json))?.string ?? String(decoding: json, as: UTF8.self)
        case UInt8(ascii: "n"): nil
        default: String(decoding: ReadableJSON.bytes(json), as: UTF8.self)
        }
    }
}
