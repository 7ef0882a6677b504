internal import SidingJSON
internal import SidingSQLite

/// The view through which a resource is read, over the stored bodies, and the indexes that belong to it.
///
/// It shows the declared columns, or one per member of its records where none are declared. A change of columns rewrites no
/// row.
struct ResourceView {
    let resource: Int64
    let name: String
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

    /// What the view shows of `records`, a table or a selection like it.
    func selection(from records: SQL = "siding_records") -> SQL {
        """
        SELECT \(viewColumns.map(\.selected).joined) FROM \(records) \
        WHERE resource = \(integer: resource) AND deleted_at IS NULL
        """
    }

    /// Everything that is made for the resource.
    var creations: [SQL] { [creation] + indexes.map(\.creation) + children.map(\.creation) }

    /// What undoes ``creations``.
    var removals: [SQL] {
        children.map(\.removal) + indexes.map { "DROP INDEX IF EXISTS \(identifier: $0.name)" } + [removal]
    }

    var removal: SQL { "DROP VIEW IF EXISTS \(identifier: name)" }

    /// What the view shows, in its order: members and computed columns, then what is Siding's own.
    var viewColumns: [ViewColumn] {
        guard !shape.columns.isEmpty else {
            let followed = followed
            let members = followed.map { ViewColumn($0.name, .member(JSONPath(member: $0.member))) }
            let names = followed.map(\.name) + shape.transforms.computed.map(\.name)
            // Children name their record by its key.
            let key = shape.children.isEmpty ? [] : [ViewColumn(.key, beside: names, "key")]
            return (members.isEmpty ? [ViewColumn("key", "key")] : members) + computed + key
                + ownColumns(beside: names)
        }
        let declared = shape.columns.map { ViewColumn($0.name, .member($0.path), $0.type) }
        return declared + computed + [ViewColumn(.key, "key")] + ownColumns(beside: [])
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
                resource: resource, name: child.viewName(of: name), children: child,
                columns: childColumns[child.name] ?? [])
        }
    }

    private func ownColumns(beside names: [String]) -> [ViewColumn] {
        (hasParents ? [ViewColumn(.parent, beside: names, "scope")] : [])
            + (isEdited ? [ViewColumn(.pending, beside: names, "pending")] : [])
    }

    /// One for each column that is to have one. Only the resource's own living records are in it, so that it costs the
    /// writes of no other resource; `resource` comes first, as SQLite else thinks the index of the keys the better one.
    private var indexes: [(name: String, creation: SQL)] {
        let indexed = shape.columns.filter(\.isIndexed)
        return indexed.enumerated().map { number, column in
            let index = "siding_index_\(resource)_\(number + 1)"
            return (
                index,
                """
                CREATE INDEX \(identifier: index) ON siding_records \
                (resource, \(ColumnExpression.member(column.path).sql(column.type))) \
                WHERE resource = \(integer: resource) AND deleted_at IS NULL
                """
            )
        }
    }
}

// MARK: Loading

extension ResourceView {
    /// The view of the resource called `name`, as its rows make it; nil where there is no such resource.
    static func load(named name: String, _ database: borrowing some Queryable & ~Copyable) throws -> ResourceView? {
        let found = try database.first("\(selection) WHERE name = ?1", name) { try view($0) }
        guard var view = found, view.name == name else { return nil }
        view.columns = try database.query(
            "SELECT member, name FROM siding_columns WHERE resource = ?1 ORDER BY ordinal", view.resource
        ) { Column(member: $0.text(0), name: $0.text(1)) }
        guard !view.shape.children.isEmpty else { return view }
        try database.forEach(
            "SELECT child, member, name FROM siding_child_columns WHERE resource = ?1 ORDER BY child, ordinal",
            view.resource
        ) { row in
            view.childColumns[row.text(0), default: []].append(Column(member: row.text(1), name: row.text(2)))
        }
        return view
    }

    /// The views of all resources.
    static func all(_ database: borrowing some Queryable & ~Copyable) throws -> [ResourceView] {
        var views: [Int64: ResourceView] = [:]
        try database.forEach(selection) { row in views[row.int(0)] = try view(row) }
        try database.forEach("SELECT resource, member, name FROM siding_columns ORDER BY resource, ordinal") { row in
            views[row.int(0)]?.columns.append(Column(member: row.text(1), name: row.text(2)))
        }
        try database.forEach(
            "SELECT resource, child, member, name FROM siding_child_columns ORDER BY resource, child, ordinal"
        ) { row in
            let column = Column(member: row.text(2), name: row.text(3))
            views[row.int(0)]?.childColumns[row.text(1), default: []].append(column)
        }
        return Array(views.values)
    }

    private static let selection: SQL = "SELECT id, name, edited, shape, parent IS NOT NULL FROM siding_resources"

    private static func view(_ row: borrowing Row) throws -> ResourceView {
        ResourceView(
            resource: row.int(0), name: row.text(1), columns: [], isEdited: row.int(2) == 1,
            hasParents: row.int(4) == 1, shape: StoredShape.shape(row.optionalText(3)))
    }
}

extension ResourceView {
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
    /// The record's key, as text.
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
