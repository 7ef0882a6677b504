internal import SidingJSON
internal import SidingSQLite

/// The view through which a resource is read, over the table of its records.
///
/// It shows the declared columns, or one per member of its records where none are declared. The key is shown as the table has
/// it, so that a look-up by it through the view is one in the table; a declared column as it is stored, once it is in all rows;
/// and all else is computed from the body.
struct ResourceView {
    let resource: Int64
    let name: String
    var table: RecordsTable
    /// Where the records have their key; nil where it is made of several members.
    var keyPath: JSONPath?
    /// As the records have them; shown where none are declared.
    var columns: [Column]
    /// Whether records of the resource were ever edited: then a last column counts each record's unsettled edits.
    var isEdited = false
    /// Whether its records were listed by parent: then a column names each one's.
    var hasParents = false
    var shape = RecordShape()
    /// The columns of the children's views that declare none, by the children's names.
    var childColumns: [String: [Column]] = [:]

    struct Column: Hashable {
        var member: String
        var name: String
    }

    /// The statement that makes the view.
    var creation: SQL {
        "CREATE VIEW \(identifier: name) AS \(selection())"
    }

    private func selection() -> SQL {
        "SELECT \(viewColumns.map(\.selected).joined) FROM \(table.rows) WHERE deleted_at IS NULL"
    }

    /// What the view shows of `records`, a selection of keys and bodies as they were once: those have no stored columns.
    func selection(ofPast records: SQL) -> SQL {
        var past = self
        past.table.columns = []
        return "SELECT \(past.viewColumns.map(\.selected).joined) FROM \(records) WHERE deleted_at IS NULL"
    }

    /// The views of the resource.
    var creations: [SQL] { [creation] + children.map(\.creation) }

    /// What undoes ``creations``.
    var removals: [SQL] { children.map(\.removal) + [removal] }

    var removal: SQL { "DROP VIEW IF EXISTS \(identifier: name)" }

    /// What the view shows, in its order: members and computed columns, then what is Siding's own.
    var viewColumns: [ViewColumn] {
        guard !shape.columns.isEmpty else {
            let followed = followed
            let members = followed.map { column(RecordColumn($0.name, .any, at: JSONPath(member: $0.member))) }
            let names = followed.map(\.name) + shape.transforms.computed.map(\.name)
            // Children name their record by its key.
            let key = shape.children.isEmpty ? [] : [ViewColumn(.key, beside: names, "key")]
            return (members.isEmpty ? [ViewColumn("key", "key")] : members) + computed + key
                + ownColumns(beside: names)
        }
        let declared = shape.columns.map { column($0) }
        return declared + computed + [ViewColumn(.key, "key")] + ownColumns(beside: [])
    }

    /// A column as the table has it, or over the body.
    private func column(_ column: RecordColumn) -> ViewColumn {
        let computed = ViewColumn(column.name, .member(column.path), column.type)
        if column.path == keyPath, table.showsKey(as: column.type) { return computed.shown(as: "key") }
        let stored = table.columns.first {
            $0.fillFrom == nil && $0.column.name.lowercased() == column.name.lowercased()
        }
        return stored.map { computed.shown(as: "\(identifier: $0.name)") } ?? computed
    }

    /// The names of columns that are computed from the body of each record.
    var computedColumns: [String] {
        viewColumns.filter { $0.shown.text.contains("body ->") }.map(\.name)
    }

    /// The columns that follow the records, under the names that they are to have; a computed one takes the place of one of
    /// its name.
    var followed: [Column] {
        let transforms = shape.transforms
        let taken = Set((transforms.computed.map(\.name) + transforms.renamed.values).map { $0.lowercased() })
        return columns.compactMap { column in
            if let name = transforms.renamed[column.member] { return Column(member: column.member, name: name) }
            return taken.contains(column.name.lowercased()) ? nil : column
        }
    }

    private var computed: [ViewColumn] {
        shape.transforms.computed.map { ViewColumn($0.name, $0.expression.sql(beside: shape.columns)) }
    }

    /// Its own and its children's.
    var viewNames: [String] { [name] + children.map(\.name) }

    /// The views of the arrays inside of the records.
    var children: [ChildView] {
        shape.children.map { child in
            ChildView(
                table: table, name: child.viewName(of: name), children: child,
                columns: childColumns[child.name] ?? [])
        }
    }

    private func ownColumns(beside names: [String]) -> [ViewColumn] {
        (hasParents ? [ViewColumn(.parent, beside: names, "scope")] : [])
            + (isEdited ? [ViewColumn(.pending, beside: names, "pending")] : [])
    }
}

// MARK: Loading

extension ResourceView {
    /// The view of the resource called `name`, as its rows make it; nil where there is no such resource.
    static func load(named name: String, _ database: borrowing some Queryable & ~Copyable) throws -> ResourceView? {
        guard
            let resource = try database.first(
                "SELECT id FROM siding_resources WHERE name = ?1", name, map: { $0.int(0) })
        else { return nil }
        return try load(resource, database)
    }

    /// The views of all resources.
    static func all(_ database: borrowing some Queryable & ~Copyable) throws -> [ResourceView] {
        try database.query("SELECT id FROM siding_resources") { $0.int(0) }.compactMap { try load($0, database) }
    }

    private static func load(_ resource: Int64, _ database: borrowing some Queryable & ~Copyable) throws
        -> ResourceView?
    {
        let table = try RecordsTable.load(resource, database)
        let found = try database.first(
            "SELECT name, edited, shape, parent IS NOT NULL, definition FROM siding_resources WHERE id = ?1", resource
        ) { row in
            ResourceView(
                resource: resource, name: row.text(0), table: table,
                keyPath: ResourceDefinition(stored: row.text(4)).keyPath, columns: [], isEdited: row.int(1) == 1,
                hasParents: row.int(3) == 1, shape: StoredShape.shape(row.optionalText(2)))
        }
        guard var view = found else { return nil }
        view.columns = try database.query(
            "SELECT member, name FROM siding_columns WHERE resource = ?1 ORDER BY ordinal", resource
        ) { Column(member: $0.text(0), name: $0.text(1)) }
        guard !view.shape.children.isEmpty else { return view }
        try database.forEach(
            "SELECT child, member, name FROM siding_child_columns WHERE resource = ?1 ORDER BY child, ordinal", resource
        ) { row in
            view.childColumns[row.text(0), default: []].append(Column(member: row.text(1), name: row.text(2)))
        }
        return view
    }

    /// Makes the views of a resource anew.
    static func remake(_ name: String, _ transaction: borrowing Transaction) throws {
        guard let view = try load(named: name, transaction) else { return }
        for statement in view.removals + view.creations { try transaction.execute(statement) }
    }

    /// Drops the views of a resource, before their table is.
    static func remove(_ name: String, _ transaction: borrowing Transaction) throws {
        guard let view = try load(named: name, transaction) else { return }
        for removal in view.removals { try transaction.execute(removal) }
    }

    /// Shows the edits of a resource's records from now on, where they were not shown before.
    static func showEdits(of resource: String, _ transaction: borrowing Transaction) throws {
        let isNew = try transaction.execute(
            "UPDATE siding_resources SET edited = 1 WHERE name = ?1 AND edited = 0", resource)
        guard isNew > 0, let view = try load(named: resource, transaction) else { return }
        try transaction.execute(view.removal)
        try transaction.execute(view.creation)
    }
}

/// The columns of a view that are Siding's own.
enum OwnColumn: String, CaseIterable {
    /// The record's key, of its own type.
    case key = "siding_key"
    /// How many edits of the record are unsettled.
    case pending = "siding_pending"
    /// Of a child: the key of the record that it stands in. Of a record that was listed by parent: the key of its parent.
    case parent = "siding_parent"
    /// Of a child: its place in the array, from 0 on.
    case position = "siding_position"

    /// Whether a member's column may not be called so.
    static func isReserved(_ column: String) -> Bool {
        allCases.contains { $0.rawValue == column.lowercased() }
    }

    /// A file that is older than the column may have a member under its name.
    func name(beside names: [String]) -> String {
        let taken = Set(names.map { $0.lowercased() })
        var candidate = rawValue
        while taken.contains(candidate) { candidate += "_" }
        return candidate
    }
}

extension [SQL] {
    /// All of them, with commas between.
    var joined: SQL { dropFirst().reduce(first ?? "") { "\($0), \($1)" } }
}
