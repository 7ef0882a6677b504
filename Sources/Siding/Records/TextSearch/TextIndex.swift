// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// The full-text index of a resource: an FTS5 table with external content, a view over the stored bodies, so that texts are
/// not stored twice (https://sqlite.org/fts5.html#external_content_tables).
struct TextIndex: Equatable {
    let resource: Int64
    /// The indexed members, as JSON paths.
    let fields: [String]
    /// Rows from this one on are still to be indexed; nil where all are.
    var fillFrom: Int64?

    var table: String { "siding_text_\(resource)" }
    var source: String { "siding_text_\(resource)_source" }

    /// `c0, c1, …`: FTS5 does not allow all names that members may have.
    var columns: SQL {
        fields.indices.dropFirst().reduce("c0") { "\($0), c\(integer: $1)" }
    }

    /// The content view; live records only, so that searches do not find tombstones.
    func sourceCreation(over records: RecordsTable) -> SQL {
        let texts = fields.indices.reduce(SQL("rowid AS id")) {
            "\($0), body ->> \(literal: fields[$1]) AS c\(integer: $1)"
        }
        return """
            CREATE VIEW \(identifier: source) AS SELECT \(texts) FROM \(records.rows) WHERE deleted_at IS NULL
            """
    }

    private var creation: SQL {
        """
        CREATE VIRTUAL TABLE \(identifier: table) USING fts5(\(columns), content=\(literal: source), content_rowid='id')
        """
    }

    /// The index of a resource in the file; nil if there is none.
    static func load(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> TextIndex? {
        try ResourcesTable.textIndex(of: resource, database).map {
            TextIndex(resource: resource, fields: $0.fields, fillFrom: $0.fillFrom)
        }
    }

    /// The index over the present members plus `fields`, and whether the file has it already.
    ///
    /// The index only grows: programs that search different members of a resource share it, instead of rebuilding it in turn.
    static func covering(
        _ fields: [String], of resource: Int64, _ database: borrowing some Queryable & ~Copyable
    ) throws -> (index: TextIndex, isCurrent: Bool) {
        var index = try load(of: resource, database) ?? TextIndex(resource: resource, fields: [])
        let missing = fields.filter { !index.fields.contains($0) }
        if !missing.isEmpty { index = TextIndex(resource: resource, fields: index.fields + missing) }
        return (index, try index.isCurrent(database))
    }

    /// `query` restricted to the columns of `fields` (https://sqlite.org/fts5.html#fts5_column_filters).
    func expression(_ query: String, in fields: [String]) -> String {
        let places = self.fields.indices.filter { fields.contains(self.fields[$0]) }
        guard places.count < self.fields.count else { return query }
        return "{\(places.map { "c\($0)" }.joined(separator: " "))} : (\(query))"
    }

    /// Whether `view` is the content view of an index of one of `tables`, exactly as this version creates it.
    static func isSource(
        _ view: SchemaObject, of tables: [RecordsTable], _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        for records in tables where view.name == "siding_text_\(records.resource)_source" {
            return try load(of: records.resource, database)?.sourceCreation(over: records).text == view.sql
        }
        return false
    }

    /// Whether the file's index has these members and was built by the loaded version of SQLite.
    func isCurrent(_ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        guard let stored = try ResourcesTable.textIndex(of: resource, database), stored.isOfThisSQLite,
            stored.fields == fields
        else { return false }
        return try database.exists("SELECT 1 FROM sqlite_schema WHERE name = ?1 AND type = 'table'", table)
    }

    /// Makes the index, which is empty until its rows are added (``fill(next:of:_:)``).
    func create(over records: RecordsTable, _ transaction: borrowing Transaction) throws {
        for field in fields { _ = try FilterCompiler.member(JSONPath(parsing: field)) }
        let modules = try transaction.query("SELECT name FROM pragma_module_list") { $0.text(0) }
        try Self.requireFTS5(in: modules)
        try transaction.execute("DROP TABLE IF EXISTS \(identifier: table)")
        try removeSource(transaction)
        try restoreSource(over: records, transaction)
        try transaction.execute(creation)
        try ResourcesTable.setTextIndex(
            of: resource, over: fields, fillFrom: RecordsTable.beginning, transaction)
    }

    /// Adds the next `count` rows.
    func fill(next count: Int, of records: RecordsTable, _ transaction: borrowing Transaction) throws -> RowStep {
        guard let fillFrom else { return .nothing }
        let end = try records.end(ofStepFrom: fillFrom, rows: count, transaction)
        let rows = try transaction.execute(
            """
            INSERT INTO \(identifier: table) (rowid, \(columns))
            SELECT id, \(columns) FROM \(identifier: source) WHERE id BETWEEN ?1 AND ?2
            """, fillFrom, end ?? .max)
        try ResourcesTable.setTextIndex(of: resource, fillFrom: end.map { $0 + 1 }, transaction)
        return RowStep(rows: rows, isDone: end == nil)
    }

    /// Drops the view that the index reads; row ids must be the same when it is restored.
    func removeSource(_ transaction: borrowing Transaction) throws {
        try transaction.execute("DROP VIEW IF EXISTS \(identifier: source)")
    }

    func restoreSource(over records: RecordsTable, _ transaction: borrowing Transaction) throws {
        try transaction.execute(sourceCreation(over: records))
    }

    /// Drops the index: its resource has no records any more.
    func remove(_ transaction: borrowing Transaction) throws {
        try transaction.execute("DROP TABLE IF EXISTS \(identifier: table)")
        try removeSource(transaction)
        try ResourcesTable.removeTextIndex(of: resource, transaction)
    }

    /// - Throws: ``StoreError/Kind/unsupported`` if SQLite was built without FTS5.
    static func requireFTS5(in modules: [String]) throws(StoreError) {
        guard modules.contains("fts5") else {
            throw StoreError(
                .unsupported, "this SQLite was built without FTS5, which text search needs",
                hint: "use a SQLite with ENABLE_FTS5, as Debian, Ubuntu and Fedora build it")
        }
    }
}

/// The statements that update a text index with the rows, prepared once per transaction. They leave rows alone that are still to
/// be indexed: FTS5 must not remove what it was never given.
struct TextStatements: ~Copyable {
    private var forget: Statement
    private var learn: Statement
    private var learnNewest: Statement

    init(_ index: TextIndex, _ transaction: borrowing Transaction) throws {
        // FTS5 removes a row only if it gets the indexed texts again, so this must run before the row changes.
        let rows =
            index.fillFrom.map { "\(identifier: index.source) WHERE id < \(integer: $0) AND id =" as SQL }
            ?? "\(identifier: index.source) WHERE id ="
        let forget = try transaction.prepare(
            """
            INSERT INTO \(identifier: index.table) (\(identifier: index.table), rowid, \(index.columns))
            SELECT 'delete', id, \(index.columns) FROM \(rows) ?1
            """)
        let learning: SQL = """
            INSERT INTO \(identifier: index.table) (rowid, \(index.columns)) SELECT id, \(index.columns) FROM \(rows)
            """
        let learn = try transaction.prepare("\(learning) ?1")
        let learnNewest = try transaction.prepare("\(learning) last_insert_rowid()")
        self.forget = forget
        self.learn = learn
        self.learnNewest = learnNewest
    }

    /// Call before a row is updated or deleted.
    mutating func remove(_ id: Int64) throws(SQLiteError) {
        try forget.bind(1, id)
        try forget.step()
    }

    /// Call after a row was updated.
    mutating func add(_ id: Int64) throws(SQLiteError) {
        try learn.bind(1, id)
        try learn.step()
    }

    /// Call right after a row was inserted, before any other insert.
    mutating func addNewest() throws(SQLiteError) {
        try learnNewest.step()
    }
}
