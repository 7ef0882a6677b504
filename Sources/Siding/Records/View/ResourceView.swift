// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// The view through which a resource is read, over the table of its records.
///
/// It shows the declared columns, or one per member of its records where none are declared. The key is shown as the table has
/// it, so that a look-up by it through the view is one in the table; a declared column as it is stored, once it is in all rows;
/// and all else is computed from the body.
struct ResourceView {
    var table: RecordsTable
    /// Where the records have their key; nil where it is made of several members.
    var keyPath: JSONPath?
    /// The inferred columns, used if none are declared.
    var columns: [Column]
    /// Whether records were ever edited, or writes of them are declared: then a last column has the number of pending edits.
    var isEdited = false
    /// Whether listings have parents: then a column has the parent's key.
    var hasParents = false
    var schema = RecordSchema()
    /// The inferred columns of child views without declared ones, by the child's name.
    var childColumns: [String: [Column]] = [:]

    struct Column: Hashable {
        var member: String
        var name: String
    }

    var resource: Int64 { table.resource }
    var name: String { table.resourceName }

    /// The statement that creates the view.
    var creation: SQL {
        "CREATE VIEW \(identifier: name) AS \(selection())"
    }

    private func selection() -> SQL {
        "SELECT \(viewColumns.map(\.selected).joined) FROM \(table.rows) WHERE deleted_at IS NULL"
    }

    /// What queries show of the records.
    var querySelection: SQL { querySelection(from: table.rows) }

    /// What queries show of `records`, a selection of keys and bodies as they were once: those have no stored columns.
    func querySelection(ofPast records: SQL) -> SQL {
        var past = self
        past.table.columns = []
        return past.querySelection(from: records)
    }

    private func querySelection(from records: SQL) -> SQL {
        "SELECT \(viewColumns.map(\.queried).joined) FROM \(records) WHERE deleted_at IS NULL"
    }

    /// The views of the resource.
    var creations: [SQL] { [creation] + children.map(\.creation) }

    /// The statements that undo ``creations``.
    var removals: [SQL] { children.map(\.removal) + [removal] }

    var removal: SQL { "DROP VIEW IF EXISTS \(identifier: name)" }

    /// The view's columns, in order: members and computed columns, then Siding's own.
    var viewColumns: [ViewColumn] {
        guard !schema.columns.isEmpty else {
            let followed = followed
            let members = followed.map { column(RecordColumn($0.name, .any, at: JSONPath(member: $0.member))) }
            // Children refer to their record by its key, and the name of a member is in no other column.
            let key = schema.children.isEmpty && keyPath != .memberName ? [] : [ViewColumn(.key, "key")]
            return (members.isEmpty ? [ViewColumn("key", "key")] : members) + computed + key + ownColumns
        }
        let declared = schema.columns.map { column($0) }
        return declared + computed + [ViewColumn(.key, "key")] + ownColumns
    }

    /// A column as the table has it, or over the body.
    private func column(_ column: RecordColumn) -> ViewColumn {
        let computed = ViewColumn(column.name, .member(column.path), column.type)
        if column.path == keyPath, table.showsKey(as: column.type) { return computed.shown(as: "key") }
        let stored = table.columns.first {
            $0.isFilled && $0.column.name.lowercased() == column.name.lowercased()
        }
        return stored.map { computed.shown(as: "\(identifier: $0.name)") } ?? computed
    }

    /// The names of columns that are computed from the body of each record.
    var computedColumns: [String] {
        viewColumns.filter { $0.shown.text.contains("body ->") }.map(\.name)
    }

    /// The inferred columns under their final names; a computed column replaces an inferred one of the same name.
    var followed: [Column] {
        let transforms = schema.transforms
        let taken = Set((transforms.computed.map(\.name) + transforms.renamed.values).map { $0.lowercased() })
        return columns.compactMap { column in
            if let name = transforms.renamed[column.member] { return Column(member: column.member, name: name) }
            return taken.contains(column.name.lowercased()) ? nil : column
        }
    }

    private var computed: [ViewColumn] {
        schema.transforms.computed.map { ViewColumn($0.name, $0.expression.sql(beside: schema.columns)) }
    }

    /// The names of the view and its child views.
    var viewNames: [String] { [name] + children.map(\.name) }

    /// The views of arrays inside the records.
    var children: [ChildView] {
        schema.children.map { child in
            ChildView(
                table: table, name: child.viewName(of: name), children: child,
                columns: childColumns[child.name] ?? [])
        }
    }

    private var ownColumns: [ViewColumn] {
        (hasParents ? [ViewColumn(.parent, "scope")] : []) + (isEdited ? [ViewColumn(.pending, "pending")] : [])
    }
}

// MARK: Loading

extension ResourceView {
    /// Loads the view of the resource called `name`; nil if there is no such resource.
    static func load(named name: String, _ database: borrowing some Queryable & ~Copyable) throws -> ResourceView? {
        try RecordsTable.load(named: name, database).map { try load($0, database) }
    }

    /// Loads the views of all resources.
    static func all(_ database: borrowing some Queryable & ~Copyable) throws -> [ResourceView] {
        try RecordsTable.all(database).map { try load($0, database) }
    }

    private static func load(
        _ table: RecordsTable, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ResourceView {
        var inferred = try ColumnsTable.load(of: table.resource, database)
        let row = table.row
        return ResourceView(
            table: table, keyPath: row.definition.keyPath, columns: inferred.removeValue(forKey: "") ?? [],
            isEdited: row.isEdited, hasParents: row.parent != nil, schema: row.schemaIfReadable, childColumns: inferred)
    }

    /// Makes the views of a resource anew, from what the transaction has stored so far.
    ///
    /// - Returns: the table that they show.
    @discardableResult
    static func remake(_ name: String, _ transaction: borrowing Transaction) throws -> RecordsTable? {
        guard let view = try load(named: name, transaction) else { return nil }
        for statement in view.removals + view.creations { try transaction.execute(statement) }
        return view.table
    }

    /// Drops the views of a resource, before their table is.
    static func remove(_ name: String, _ transaction: borrowing Transaction) throws {
        guard let view = try load(named: name, transaction) else { return }
        for removal in view.removals { try transaction.execute(removal) }
    }

    /// Adds the column for pending edits to a resource's view, if it is missing.
    static func addPendingColumn(to resource: String, _ transaction: borrowing Transaction) throws {
        guard try ResourcesTable.setEdited(resource, transaction), let view = try load(named: resource, transaction)
        else { return }
        try transaction.execute(view.removal)
        try transaction.execute(view.creation)
    }
}

/// Siding's own columns in views.
enum OwnColumn: String, CaseIterable {
    /// The record's key, of its own type.
    case key = "siding_key"
    /// The number of the record's pending edits.
    case pending = "siding_pending"
    /// In a child view the key of the containing record; otherwise the key of the record's parent.
    case parent = "siding_parent"
    /// In a child view, the element's index in the array, from 0.
    case position = "siding_position"

    /// Whether a member's column must not have this name.
    static func isReserved(_ column: String) -> Bool {
        allCases.contains { $0.rawValue == column.lowercased() }
    }
}

extension [SQL] {
    /// The pieces joined by commas.
    var joined: SQL { dropFirst().reduce(first ?? "") { "\($0), \($1)" } }
}
