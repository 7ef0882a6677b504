// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Makes a resource's view, stored columns and indexes what the config declares, in the transaction that it is given. The values
/// of new columns are written into stored rows later, in steps (``Store/rewriteRecords(of:progress:)``).
struct DeclaredSchema {
    /// The resource as it was before. What follows a change reads it anew, as the change may begin the history and make columns.
    let row: ResourceRow
    /// The run of the change; 0 for none.
    var run: RunID = 0
    /// What stored bodies have; nil reads it in the transaction.
    var members: StoredMembers?

    private var resource: Int64 { row.id }
    private var name: String { row.name }

    /// Applies a record schema; does nothing if it is already stored.
    ///
    /// - Returns: the number of stored records that a changed filter removed.
    /// - Throws: ``StoreError/Kind/invalidName`` for a schema that no view can have.
    @discardableResult
    func apply(_ schema: RecordSchema, now: Timestamp, _ transaction: borrowing Transaction) throws -> Int {
        let text = try schema.stored
        guard text != row.storedSchema else { return 0 }
        do { try schema.check() } catch {
            throw StoreError(.invalidName, "the resource '\(name)': \(error.message)", hint: error.hint)
        }
        try checkViewNames(schema, transaction)
        // One that cannot be read is stored again, and everything is made anew.
        let before = row.schemaIfReadable
        let isReadable = (try? row.schema) != nil
        if schema.history != before.history {
            // Versions stay when the history is switched off; switched on again, it begins then.
            try ResourcesTable.setHistory(since: schema.history == nil ? nil : now, of: resource, transaction)
        }
        guard !isReadable || !schema.looksLike(before) else {
            try ResourcesTable.set(schema: text, of: resource, transaction)
            try ResourcesTable.setMade(ifUnknown: true, of: resource, transaction)
            return 0
        }
        let table = try remake(transaction) { transaction in
            try ResourcesTable.set(schema: text, of: resource, transaction)
            try forgetChildren(of: before, without: schema, transaction)
        }
        guard let table else { return 0 }
        let filteredOut = try StoredRecordTransforms(table: table, run: run, now: now)
            .apply(schema, after: before, transaction)
        try (members ?? StoredMembers.load(of: table, before, schema, transaction))?
            .save(to: ColumnInference(resource: resource, name: name), transaction)
        return filteredOut
    }

    /// Adds the column for the record's key in the resource `parent` to the view, or removes it if nil.
    func apply(parent: String?, _ transaction: borrowing Transaction) throws {
        guard row.parent != parent else { return }
        let table = try remake(transaction) { transaction in
            try ResourcesTable.set(parent: parent, of: resource, transaction)
        }
        // The keys of other parents are meaningless now.
        try table?.forgetScopes(transaction)
    }

    /// Checks that the views of children do not collide with other views.
    private func checkViewNames(_ schema: RecordSchema, _ transaction: borrowing Transaction) throws {
        guard !schema.children.isEmpty else { return }
        let others = try ResourceView.all(transaction).filter { $0.resource != resource }
        let taken = Set(others.flatMap(\.viewNames).map { $0.lowercased() } + [name.lowercased()])
        for child in schema.children where taken.contains(child.viewName(of: name).lowercased()) {
            throw StoreError(
                .invalidName, "the resource '\(name)': there is another view '\(child.viewName(of: name))'",
                hint: "give '\(child.name)' in its children another name")
        }
    }

    /// Removes inferred columns of children whose array is no longer declared.
    private func forgetChildren(
        of before: RecordSchema, without schema: RecordSchema, _ transaction: borrowing Transaction
    ) throws {
        for child in before.children
        where !schema.children.contains(where: { $0.name == child.name && $0.path == child.path }) {
            try ColumnsTable.delete(resource, child: child.name, transaction)
        }
    }

    /// Makes the views anew, with what `change` does in between, and stores the columns that are declared then.
    ///
    /// - Returns: the table as it is then.
    @discardableResult
    private func remake(
        _ transaction: borrowing Transaction, after change: (borrowing Transaction) throws -> Void
    ) throws -> RecordsTable? {
        try ResourceView.remove(name, transaction)
        try change(transaction)
        try ResourcesTable.setMade(of: resource, transaction)
        let table = try RecordsTable.load(named: name, transaction)
        try table?.declare(table?.row.schemaIfReadable.columns ?? [], transaction)
        return try ResourceView.remake(name, transaction)
    }

    /// Makes the views anew that another version made. A stored column holds what its expression gave when the row was written,
    /// and another version may read a value differently: so the views compute all columns again until the stored ones are filled
    /// anew.
    static func remakeOutdated(_ transaction: borrowing Transaction) throws {
        for row in try ResourcesTable.outdated(transaction) {
            try DeclaredSchema(row: row).remake(transaction) { try StoredColumn.fillAgain(row.id, $0) }
        }
    }
}

/// The members of stored bodies that newly declared children, and a contract that begins to look at members, need. They are read
/// before the transaction that declares them, which then holds up no other writer.
struct StoredMembers: Sendable {
    private var children: ChildMembers
    private var fields: FieldsTable?

    /// Reads them in one pass over the bodies; nil where none are needed.
    static func load(
        of table: RecordsTable, _ before: RecordSchema, _ schema: RecordSchema,
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> StoredMembers? {
        let learnsFields = schema.contract.looksAtMembers && !before.contract.looksAtMembers
        var children = ChildMembers(schema.children.filter { !before.children.contains($0) })
        guard learnsFields || !children.isEmpty else { return nil }
        var fields = try learnsFields ? FieldsTable.load(of: table.resource, database) : nil
        try table.forEachBody(database) { body in
            children.add(from: body)
            if fields != nil {
                for member in JSONMembers.topLevelMembers(of: body) { fields?.add(member) }
            }
        }
        return StoredMembers(children: children, fields: fields)
    }

    func save(to inference: ColumnInference, _ transaction: borrowing Transaction) throws {
        try children.addColumns(to: inference, transaction)
        // Run 0: these fields are not new in any run.
        try fields?.save(run: 0, transaction)
    }
}
