// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

// Making the table, changing its columns, and dropping it.

extension RecordsTable {
    /// The table's own columns between the key and the declared ones. The body stands last, so that the others are read without
    /// it.
    private static let ownColumns: [(name: SQL, type: SQL)] = [
        ("first_seen_at", "INTEGER NOT NULL"), ("changed_at", "INTEGER NOT NULL"), ("run", "INTEGER NOT NULL"),
        ("deleted_at", "INTEGER"), ("revision", "INTEGER NOT NULL"), ("pending", "INTEGER NOT NULL"), ("etag", "TEXT"),
        ("lives_since", "INTEGER NOT NULL"), ("cause", "TEXT NOT NULL \(RecordCause.check)"), ("request", "INTEGER"),
        ("scope", "ANY"),
    ]

    /// The table with a layout for keys of `kind`, made now where there is none: `kind` is that of the first record, and nil
    /// for a temporary id, which says nothing of the keys that follow.
    ///
    /// A text among the keys, where the key is the rowid, makes the table anew with a column for the keys; the row ids stay.
    /// Such texts are the temporary ids of own creates, and integers beyond 64 bits.
    ///
    /// - Parameter kind: the keys' type.
    func made(
        for keys: some Sequence<RecordKey>, of kind: RecordKey.Kind, in page: UnsafeRawBufferPointer,
        _ transaction: borrowing Transaction
    ) throws -> RecordsTable {
        var table = keyType == nil ? try fixKeyType(kind, transaction) : self
        for key in keys where key.kind == kind {
            guard table.layout != .indexed else { break }
            table = try key.withBytes(in: page) { try table.made(for: $0, kind: kind, transaction) }
        }
        return table
    }

    /// The table with a layout for one key.
    func made(
        for key: UnsafeRawBufferPointer, kind: RecordKey.Kind?, _ transaction: borrowing Transaction
    ) throws -> RecordsTable {
        let isInteger = (keyType ?? kind) == .integer && Self.integer(key) != nil
        switch layout {
        case .indexed: return self
        case .rowid where isInteger: return self
        case .rowid: return try turned(transaction)
        case nil:
            var table = self
            table.row.layout = isInteger ? .rowid : .indexed
            table.columns = try table.stored(of: row.schema.columns).map { StoredColumn(column: $0) }
            try StoredColumn.insert(table.columns, of: resource, transaction)
            try table.create(transaction)
            try table.saveLayout(transaction)
            return table
        }
    }

    /// The declared columns that are stored: neither what the key shows, nor JSON text without an index.
    private func stored(of columns: [RecordColumn]) -> [RecordColumn] {
        let keyPath = row.definition.keyPath
        return columns.filter { column in
            guard column.path != keyPath || !showsKey(as: column.type) else { return false }
            return column.type != .json || column.isIndexed
        }
    }

    private func saveLayout(_ transaction: borrowing Transaction) throws {
        try ResourcesTable.set(layout: layout, of: resource, transaction)
        try ResourceView.remake(resourceName, transaction)
    }

    private func create(_ transaction: borrowing Transaction) throws {
        let key: SQL = layout == .rowid ? "key INTEGER PRIMARY KEY" : "id INTEGER PRIMARY KEY, key ANY NOT NULL"
        let own = Self.ownColumns.map { column -> SQL in "\(column.name) \(column.type)" }
        let declared = columns.map { column -> SQL in "\(identifier: column.name) ANY" }
        let all = [key] + own + declared + ["body TEXT NOT NULL"]
        try transaction.execute("CREATE TABLE \(identifier: name) (\(all.joined)) STRICT")
        for index in indexes { try transaction.execute(index.creation) }
    }

    /// What is made beside the table: the indexes on tombstones, on the keys, and on declared columns. They hold no expressions, so that no
    /// version of SQLite can take them for damaged.
    var indexes: [(name: String, creation: SQL)] {
        guard let layout else { return [] }
        // Old tombstones are found by it. Only tombstones are in it.
        let deletions = "siding_deleted_\(resourceName)"
        var indexes: [(name: String, creation: SQL)] = [
            (
                deletions,
                """
                CREATE INDEX \(identifier: deletions) ON \(identifier: name) (deleted_at) \
                WHERE deleted_at IS NOT NULL
                """
            )
        ]
        if layout == .indexed {
            indexes.append((keyIndex, "CREATE UNIQUE INDEX \(identifier: keyIndex) ON \(identifier: name) (key)"))
        }
        for stored in columns where stored.column.isIndexed {
            let index = "siding_index_\(resource)_\(stored.column.name)"
            indexes.append(
                (
                    index,
                    """
                    CREATE INDEX \(identifier: index) ON \(identifier: name) (\(identifier: stored.name)) \
                    WHERE deleted_at IS NULL
                    """
                ))
        }
        return indexes
    }

    /// What follows `CREATE INDEX`: the index by which a stream finds what changed. Each write pays for it, so only tables that
    /// change while a stream watches them have it; one that is made anew (``made(for:kind:_:)``) gets it from the next stream.
    var changesIndex: SQL { "\(identifier: changesIndexName) ON \(identifier: name) (revision)" }

    var changesIndexName: String { "siding_changes_\(resourceName)" }

    /// The statements of all indexes that the table may have, as SQLite keeps them.
    var possibleIndexes: [SQL] { indexes.map(\.creation) + ["CREATE INDEX \(changesIndex)"] }

    /// Makes the stored columns and their indexes those of `wanted`. An index on a column that was just added is made while
    /// the column is empty, and fills with it.
    func declare(_ wanted: [RecordColumn], _ transaction: borrowing Transaction) throws {
        guard layout != nil else { return }
        let hasRows = try transaction.first("SELECT 1 FROM \(identifier: name) LIMIT 1") { _ in true } ?? false
        try StoredColumn.declare(stored(of: wanted), in: self, hasRows: hasRows, transaction)
        var now = self
        now.columns = try StoredColumn.load(of: resource, transaction)
        for index in indexes where !now.indexes.contains(where: { $0.creation == index.creation }) {
            try transaction.execute("DROP INDEX IF EXISTS \(identifier: index.name)")
        }
        for index in now.indexes where !indexes.contains(where: { $0.creation == index.creation }) {
            try transaction.execute(index.creation)
        }
    }

    /// The same table with the keys in a column of their own. Row ids stay, so that what names rows need not change.
    private func turned(_ transaction: borrowing Transaction) throws -> RecordsTable {
        var table = self
        table.row.layout = .indexed
        let before = "siding_before_\(resource)"
        try ResourceView.remove(resourceName, transaction)
        let text = try TextIndex.load(of: resource, transaction)
        try text?.removeSource(transaction)
        try dropHistoryTrigger(transaction)
        for index in indexes { try transaction.execute("DROP INDEX IF EXISTS \(identifier: index.name)") }
        try transaction.execute("ALTER TABLE \(identifier: name) RENAME TO \(identifier: before)")
        try table.create(transaction)
        let names = (Self.ownColumns.map(\.name) + [bodyColumns]).joined
        try transaction.execute(
            """
            INSERT INTO \(identifier: name) (id, key, \(names))
            SELECT key, key, \(names) FROM \(identifier: before) ORDER BY key
            """)
        try transaction.execute("DROP TABLE \(identifier: before)")
        try StoredColumn.forgetUndeclared(resource, transaction)
        try text?.restoreSource(over: table, transaction)
        try table.saveLayout(transaction)
        return table
    }

    /// Fixes the type of the keys. Those that came before the first record did, of own edits, have been stored as texts.
    func fixKeyType(_ kind: RecordKey.Kind, _ transaction: borrowing Transaction) throws -> RecordsTable {
        var table = self
        table.row.keyType = kind
        try ResourcesTable.set(keyType: kind, of: resource, transaction)
        if kind == .integer, layout == .indexed {
            try transaction.execute(
                """
                UPDATE \(identifier: name) SET key = CAST(key AS INTEGER)
                WHERE typeof(key) = 'text' AND \(Self.isInteger("key"))
                """)
        }
        if kind == .integer { try convertHistory(transaction) }
        for child in try ResourcesTable.children(of: resourceName, transaction) {
            try RecordsTable(row: child).convertScopes(to: kind, transaction)
        }
        // Which column is the key depends on its type.
        try ResourceView.remake(resourceName, transaction)
        return table
    }

    /// Gives the parents' keys their type, so that joins find them: the parents may have been forgotten, and have keys of another
    /// type since.
    private func convertScopes(to kind: RecordKey.Kind, _ transaction: borrowing Transaction) throws {
        guard layout != nil else { return }
        if kind == .integer {
            try transaction.execute(
                """
                UPDATE \(identifier: name) SET scope = CAST(scope AS INTEGER)
                WHERE typeof(scope) = 'text' AND \(Self.isInteger("scope"))
                """)
        } else {
            try transaction.execute(
                "UPDATE \(identifier: name) SET scope = CAST(scope AS TEXT) WHERE typeof(scope) = 'integer'")
        }
    }

    /// Drops the table and all that belongs to it; the view then shows nothing.
    func drop(_ transaction: borrowing Transaction) throws {
        try ResourceView.remove(resourceName, transaction)
        try TextIndex.load(of: resource, transaction)?.remove(transaction)
        try dropHistoryTrigger(transaction)
        if layout != nil { try transaction.execute("DROP TABLE \(identifier: name)") }
        try StoredColumn.forget(resource, transaction)
        try ResourcesTable.set(layout: nil, of: resource, transaction)
        try ResourcesTable.set(keyType: nil, of: resource, transaction)
    }
}

// MARK: What the table may look like

extension RecordsTable {
    private static let words: Set<Substring> = [
        "CREATE", "TABLE", "STRICT", "INTEGER", "TEXT", "ANY", "NOT", "NULL", "PRIMARY", "KEY", "id", "key", "body",
        "first_seen_at", "changed_at", "run", "deleted_at", "revision", "pending", "etag", "lives_since", "cause",
        "request",
        "scope",
    ]

    /// Whether a table's statement holds nothing but columns and the check of the cause: a default, another check or a computed
    /// column would run SQL.
    static func isPlain(_ sql: String) -> Bool {
        // Every other piece between double quotes is a name; a doubled quote within one only makes an empty piece. A quote with
        // a combining accent is one character of Swift, and a quote for SQLite.
        let outside = sql.replacing(RecordCause.check.text, with: "").unicodeScalars.split(
            separator: "\"", omittingEmptySubsequences: false
        ).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        return outside.allSatisfy { piece in
            piece.split { " ,()\n".unicodeScalars.contains($0) }.allSatisfy { words.contains(Substring($0)) }
        }
    }
}
