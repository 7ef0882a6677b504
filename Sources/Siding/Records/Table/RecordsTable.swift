// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// A resource in one transaction or snapshot: its row, and the table of its records, `siding_records_NAME`. It is read once and
/// passed down. What writes its records is a method of it, or of ``RecordStatements``.
///
/// The table is made with the first record, whose key decides the layout. Until then ``rows`` is an empty selection, so that
/// whoever reads need not ask whether there is a table. Every statement may use the names `rowid` and `key` in either layout.
struct RecordsTable: Sendable {
    /// The resource's row, with the type of the keys and the layout of the table.
    var row: ResourceRow
    /// The declared columns that are stored.
    var columns: [StoredColumn] = []

    var resource: Int64 { row.id }
    var resourceName: String { row.name }
    var keyType: RecordKey.Kind? { row.keyType }
    /// Nil where there is no table yet.
    var layout: RecordsLayout? { row.layout }

    /// Before every row.
    static let beginning = Int64.min

    /// The table's name in the file.
    var name: String { "siding_records_\(resourceName)" }
    /// The name of the unique index on the keys, where the key is not the rowid.
    var keyIndex: String { "siding_key_\(resourceName)" }

    /// What stands behind `FROM`: the table, or nothing where there is none.
    var rows: SQL { layout == nil ? Self.noRows : "\(identifier: name)" }

    /// The same where all of it is read in the order of the keys: by their index, so that nothing is gathered and sorted first.
    var rowsByKey: SQL { layout == .indexed ? "\(rows) INDEXED BY \(identifier: keyIndex)" : rows }

    /// The same for views of the past, which read records and their history and nothing else.
    var rowsOfPast: SQL { layout == nil ? "(SELECT \(Self.nulls) WHERE 0)" : rows }

    /// It reads a table of Siding, so that a query that may not read those tables may not read this either.
    private static let noRows: SQL = "(SELECT \(nulls) FROM siding_resources WHERE id IS NULL)"

    private static let nulls: SQL = """
        NULL AS rowid, NULL AS key, NULL AS first_seen_at, NULL AS changed_at, NULL AS run, NULL AS deleted_at, \
        NULL AS revision, NULL AS pending, NULL AS etag, NULL AS lives_since, NULL AS cause, NULL AS request, \
        NULL AS scope, NULL AS body
        """

    /// The resource called `name`; nil if nothing is stored of it.
    static func load(named name: String?, _ database: borrowing some Queryable & ~Copyable) throws -> RecordsTable? {
        try ResourcesTable.load(named: name, database).map { try load($0, database) }
    }

    /// The resource with the number `resource`; one without rows if there is none.
    static func load(_ resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> RecordsTable {
        try ResourcesTable.load(resource, database).map { try load($0, database) }
            ?? RecordsTable(row: ResourceRow(id: resource, name: "", source: "", storedDefinition: "{}"))
    }

    /// The resource of a row that was loaded in the same transaction.
    static func load(_ row: ResourceRow, _ database: borrowing some Queryable & ~Copyable) throws -> RecordsTable {
        RecordsTable(row: row, columns: try StoredColumn.load(of: row.id, database))
    }

    /// All resources, by name.
    static func all(_ database: borrowing some Queryable & ~Copyable) throws -> [RecordsTable] {
        try ResourcesTable.all(database).map { try load($0, database) }
    }
}

extension Store {
    /// Reads of one resource in one snapshot; nil if nothing is stored of it.
    func read<T: Sendable>(
        _ resource: String, _ body: @Sendable (RecordsTable, borrowing Snapshot) throws -> T?
    ) async throws(StoreError) -> T? {
        try await read { snapshot in
            try RecordsTable.load(named: resource, snapshot).flatMap { try body($0, snapshot) }
        }
    }

    /// Writes of one resource in one transaction; nil if nothing is stored of it.
    func write<T: Sendable>(
        _ resource: String, _ body: @Sendable (RecordsTable, borrowing Transaction) throws -> T?
    ) async throws(StoreError) -> T? {
        try await write { transaction in
            try RecordsTable.load(named: resource, transaction).flatMap { try body($0, transaction) }
        }
    }

    /// - Throws: ``StoreError/Kind/notFound`` if nothing is stored of the resource.
    static func records(
        of name: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordsTable {
        guard let table = try RecordsTable.load(named: name, database) else { throw StoreError(noResource: name) }
        return table
    }
}

// MARK: Keys

extension RecordsTable {
    /// A key as the table has it: elsewhere keys are texts.
    ///
    /// Integers beyond 64 bits, and the temporary ids of own creates, stay texts in a table of integers. Where the key is the
    /// rowid there are none, and SQLite would take `007` for 7: NULL finds nothing.
    func key(_ text: String) -> SQLiteValue {
        if keyType == .integer, let integer = Self.integer(text.utf8) { return .integer(integer) }
        return layout == .rowid ? .null : .text(text)
    }

    /// The same of a text that SQL has, as an expression by which rows are found.
    func key(ofText text: SQL) -> SQL {
        guard keyType == .integer else { return text }
        return """
            CASE WHEN \(Self.isInteger(text)) THEN CAST(\(text) AS INTEGER) ELSE \(text) END
            """
    }

    /// Whether no live record has the key that SQL has as a text.
    func isGone(_ text: SQL) -> SQL {
        "NOT EXISTS (SELECT 1 FROM \(rows) AS r WHERE r.key = \(key(ofText: text)) AND r.deleted_at IS NULL)"
    }

    /// Whether a text that SQL has is an integer of 64 bits, in the spelling that ``integer(_:)`` takes.
    static func isInteger(_ text: SQL) -> SQL { "CAST(CAST(\(text) AS INTEGER) AS TEXT) = \(text)" }

    /// Whether a column of `type` shows the key as the table has it.
    func showsKey(as type: ColumnType) -> Bool {
        switch (keyType, type) {
        // An own create has a text in its place, which columns of either type show as it is.
        case (.integer, .integer), (.integer, .any), (.string, .text), (.string, .any): true
        default: false
        }
    }

    /// Binds a key's text as the table has it.
    func bind(key text: UnsafeRawBufferPointer, at index: Int, of statement: inout Statement) throws(SQLiteError) {
        if keyType == .integer, let integer = Self.integer(text) {
            try statement.bind(index, integer)
        } else if layout == .rowid {
            try statement.bindNull(index)
        } else {
            try statement.bindTextBytes(index, text)
        }
    }

    /// The integer that is written so; nil where another spelling means it, or 64 bits do not hold it.
    static func integer(_ text: some Collection<UInt8>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard (1...19).contains(digits.count) else { return nil }
        if digits.first == UInt8(ascii: "0") { return digits.count == 1 && !isNegative ? 0 : nil }
        var value: Int64 = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit <= 9 else { return nil }
            let (tens, hasOverflown) = value.multipliedReportingOverflow(by: 10)
            let (next, isTooLarge) =
                isNegative
                ? tens.subtractingReportingOverflow(Int64(digit)) : tens.addingReportingOverflow(Int64(digit))
            guard !hasOverflown, !isTooLarge else { return nil }
            value = next
        }
        return value
    }
}
