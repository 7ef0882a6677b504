internal import SidingChain
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
                id: row.int(0), keyType: row.optionalText(1).flatMap(RecordKey.Kind.init(rawValue:)),
                revision: row.int(2), schema: RecordSchema(stored: row.optionalText(3)), wasCompleted: row.int(4) == 1)
        }
    }
}

extension RecordKey.Kind {
    var words: String {
        switch self {
        case .string: "a string"
        case .integer: "an integer"
        case .composite: "composite"
        }
    }

    /// Why a key of this type cannot stand beside those of `type`.
    func reason(unlike type: RecordKey.Kind?) -> String {
        "its key is \(words), the resource's keys are \(type?.words ?? "")"
    }
}

extension ListingFreshness {
    /// Reads `fresh_until, not_before`, starting at `column`.
    init(_ row: borrowing Row, at column: Int) {
        self.init(
            freshUntil: row.optionalInt(column).map(Timestamp.init),
            notBefore: row.optionalInt(column + 1).map(Timestamp.init))
    }
}
