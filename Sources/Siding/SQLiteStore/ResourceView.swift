internal import SidingJSON
internal import SidingSQLite

/// The view through which a resource is read: one column per member of its records, over the stored bodies.
///
/// A change of columns rewrites no row. Nested values come out as JSON text.
struct ResourceView {
    let resource: Int64
    let name: String
    let columns: [Column]
    /// Whether records of the resource were ever edited: then a last column counts each record's unsettled edits.
    var isEdited = false

    struct Column: Hashable {
        var member: String
        var name: String
    }

    /// The statement that makes the view.
    ///
    /// `->>` gives SQL values for scalars and JSON text for the rest (https://sqlite.org/json1.html#jptr).
    var creation: SQL {
        let list = columns.map { column -> SQL in
            "body ->> \(literal: JSONPath(member: column.member).description) AS \(identifier: column.name)"
        }
        let joined = list.dropFirst().reduce(list.first ?? "key AS \(identifier: "key")") { "\($0), \($1)" }
        let marked: SQL =
            isEdited ? "\(joined), pending AS \(identifier: PendingColumn.name(beside: columns))" : joined
        return """
            CREATE VIEW \(identifier: name) AS SELECT \(marked) FROM siding_records \
            WHERE resource = \(integer: resource) AND deleted_at IS NULL
            """
    }

    var removal: SQL { "DROP VIEW IF EXISTS \(identifier: name)" }

    /// The view of the resource called `name`, as its stored columns make it; nil where there is no such resource.
    static func load(named name: String, _ database: borrowing some Queryable & ~Copyable) throws -> ResourceView? {
        let row = try database.first("SELECT id, name, edited FROM siding_resources WHERE name = ?1", name) { row in
            (id: row.int(0), name: row.text(1), isEdited: row.int(2) == 1)
        }
        guard let row, row.name == name else { return nil }
        let columns = try database.query(
            "SELECT member, name FROM siding_columns WHERE resource = ?1 ORDER BY ordinal", row.id
        ) { row in
            Column(member: row.text(0), name: row.text(1))
        }
        return ResourceView(resource: row.id, name: row.name, columns: columns, isEdited: row.isEdited)
    }
}

/// The column that marks records with unsettled edits.
enum PendingColumn {
    private static let name = "siding_pending"

    /// Whether a member's column may not be called so.
    static func isReserved(_ column: String) -> Bool { column.lowercased() == name }

    /// A file that is older than the column may have a member under its name.
    static func name(beside columns: [ResourceView.Column]) -> String {
        let taken = Set(columns.map { $0.name.lowercased() })
        var candidate = name
        while taken.contains(candidate) { candidate += "_" }
        return candidate
    }

    /// Shows the column from now on, where it was not shown before.
    static func show(in resource: String, _ transaction: borrowing Transaction) throws {
        let isNew = try transaction.execute(
            "UPDATE siding_resources SET edited = 1 WHERE name = ?1 AND edited = 0", resource)
        guard isNew > 0, let view = try ResourceView.load(named: resource, transaction) else { return }
        try transaction.execute(view.removal)
        try transaction.execute(view.creation)
    }
}
