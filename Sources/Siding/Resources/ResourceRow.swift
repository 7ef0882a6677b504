internal import SidingJSON
internal import SidingSQLite

/// The columns of a resource that are needed to save its records.
struct ResourceRow {
    let id: Int64
    /// Set by the first record; nil before.
    let keyType: RecordKey.Kind?
    let revision: Int64
    let schema: RecordSchema
    /// Whether any listing was ever complete.
    let wasCompleted: Bool

    /// Reads the row of a resource; nil if it is unknown.
    static func load(
        named name: String, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ResourceRow? {
        try database.first(
            """
            SELECT id, key_type, revision, schema, completed_at IS NOT NULL
            FROM siding_resources WHERE name = ?1
            """, name
        ) { row in
            ResourceRow(
                id: row.int(0), keyType: row.optionalText(1).flatMap(RecordKey.Kind.init(stored:)),
                revision: row.int(2), schema: StoredSchema.schema(row.optionalText(3)), wasCompleted: row.int(4) == 1)
        }
    }

    /// The number of live records of a resource.
    static func living(of resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws -> Int {
        let records = try RecordsTable.load(resource, database).rows
        return try database.first("SELECT COUNT(*) FROM \(records) WHERE deleted_at IS NULL") { Int($0.int(0)) } ?? 0
    }
}
