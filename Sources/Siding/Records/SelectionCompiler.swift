// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Compiles a ``RecordSelection`` to one statement.
struct SelectionCompiler {
    let selection: RecordSelection
    let table: RecordsTable
    /// The member that is the key; nil if several are, or none is known.
    let keyPath: JSONPath?

    init(_ selection: RecordSelection, of table: RecordsTable) {
        (self.selection, self.table, keyPath) = (selection, table, table.row.definition.keyPath)
    }

    /// `SELECT what FROM … WHERE …`, in the selection's order and bounds.
    func statement(selecting what: SQL) throws(StoreError) -> BoundSQL {
        var statement = try conditions()
        statement.sql = "SELECT \(what) FROM \(table.rows) WHERE \(statement.sql) ORDER BY \(try order())"
        bound(&statement)
        return statement
    }

    /// `SELECT COUNT(*) …` for the selection.
    func count() throws(StoreError) -> BoundSQL {
        var statement = try conditions()
        guard selection.limit != nil || selection.offset > 0 else {
            statement.sql = "SELECT COUNT(*) FROM \(table.rows) WHERE \(statement.sql)"
            return statement
        }
        statement.sql = "SELECT 1 FROM \(table.rows) WHERE \(statement.sql)"
        bound(&statement)
        statement.sql = "SELECT COUNT(*) FROM (\(statement.sql))"
        return statement
    }

    private func conditions() throws(StoreError) -> BoundSQL {
        var condition = BoundSQL(sql: "deleted_at IS NULL")
        if let after = selection.after {
            condition.sql = "\(condition.sql) AND key > ?"
            condition.arguments.append(table.key(after))
        }
        if !selection.excluded.isEmpty {
            condition.sql = "\(condition.sql) AND key NOT IN (SELECT value FROM json_each(?))"
            condition.arguments.append(.text(FilterCompiler.json(selection.excluded.map(keyValue))))
        }
        if let filter = selection.filter {
            let inner = try FilterCompiler.condition(filter)
            condition.sql = "\(condition.sql) AND (\(inner.sql))"
            condition.arguments += inner.arguments
            narrow(&condition, to: filter)
        }
        return condition
    }

    /// Adds the conditions on the key that `filter` implies, by which SQLite finds the rows; the filter itself only knows bodies.
    ///
    /// Texts among integer keys, of own creates and of integers beyond 64 bits, are greater than all integers and always looked
    /// at: their bodies may match.
    private func narrow(_ condition: inout BoundSQL, to filter: RecordFilter) {
        let hasTexts = table.keyType == .integer && table.layout == .indexed
        func add(_ part: SQL, _ argument: SQLiteValue, isEqual: Bool = false) {
            let found = """
                rowid IN (SELECT rowid FROM \(table.rows) WHERE \(part) \
                UNION ALL SELECT rowid FROM \(table.rows) WHERE key >= '')
                """ as SQL
            condition.sql = "\(condition.sql) AND \(hasTexts && isEqual ? found : part)"
            condition.arguments.append(argument)
        }
        switch filter {
        case .all(let parts): for part in parts { narrow(&condition, to: part) }
        case .compare(keyPath, .isEqual, let value) where isKey(value): add("key = ?", value.sqlite, isEqual: true)
        case .compare(keyPath, .isNotEqual, _): break
        case .compare(keyPath, let comparison, let value) where isKey(value):
            if hasTexts, comparison == .isLess || comparison == .isLessOrEqual { break }
            add("key \(comparison.sql) ?", value.sqlite)
        case .isOneOf(keyPath, let values) where values.allSatisfy(isKey):
            add("key IN (SELECT value FROM json_each(?))", .text(FilterCompiler.json(values)), isEqual: true)
        case .text(keyPath, .hasPrefix, let prefix) where table.keyType == .string: add("key >= ?", .text(prefix))
        default: break
        }
    }

    /// A key as the key column holds it.
    private func keyValue(_ key: String) -> RecordValue {
        if case .integer(let integer) = table.key(key) { .integer(integer) } else { .text(key) }
    }

    /// Whether the key column holds `value` as bodies have it.
    private func isKey(_ value: RecordValue) -> Bool {
        switch (value, table.keyType) {
        case (.integer, .integer), (.text, .string): true
        default: false
        }
    }

    private func order() throws(StoreError) -> SQL {
        var terms: [SQL] = []
        for order in selection.order {
            let member = order.path == keyPath ? "key" : try FilterCompiler.member(order.path)
            terms.append(order.isDescending ? "\(member) DESC" : member)
            if order.path == keyPath { return terms.joined }
        }
        return (terms + ["key"]).joined
    }

    private func bound(_ statement: inout BoundSQL) {
        guard selection.limit != nil || selection.offset > 0 else { return }
        // SQLite treats a negative limit as none (https://sqlite.org/lang_select.html#limitoffset).
        statement.sql = "\(statement.sql) LIMIT ? OFFSET ?"
        let limit = selection.limit.map { max($0, 0) } ?? -1
        statement.arguments += [.integer(Int64(limit)), .integer(Int64(max(selection.offset, 0)))]
    }
}

extension Store {
    /// - Throws: ``StoreError/Kind/invalidQuery`` if SQL cannot reach a member, or a filter is nested too deeply.
    package func select(_ selection: RecordSelection) async throws(StoreError) -> RecordBatch {
        try await read(selection.resource) { table, snapshot in
            let statement = try SelectionCompiler(selection, of: table).statement(selecting: RecordsTable.recordColumns)
            let records = try snapshot.query(statement) { try Record($0, of: selection.resource) }
            return RecordBatch(records: records, number: table.resource, revision: table.row.revision)
        } ?? RecordBatch(records: [], number: 0, revision: 0)
    }

    /// The keys only, to read the records in batches afterwards.
    package func keys(_ selection: RecordSelection) async throws(StoreError) -> [String] {
        try await read(selection.resource) { table, snapshot in
            try snapshot.query(SelectionCompiler(selection, of: table).statement(selecting: "key")) { $0.text(0) }
        } ?? []
    }

    /// The number of selected records, with limit and offset applied.
    package func count(_ selection: RecordSelection) async throws(StoreError) -> Int {
        try await read(selection.resource) { table, snapshot in
            try snapshot.query(SelectionCompiler(selection, of: table).count()) { Int($0.int(0)) }.first
        } ?? 0
    }

    /// The records that exist for the lookup, in the order of its keys.
    package func records(_ lookup: RecordLookup) async throws(StoreError) -> [Record] {
        await probes.willLookUp()
        let found =
            try await read(lookup.resource) { table, snapshot -> [Record]? in
                var condition = BoundSQL(sql: "key = ?")
                // An edit may be a deletion.
                if !lookup.includesDeleted, !lookup.omitsEdits {
                    condition.sql = "\(condition.sql) AND deleted_at IS NULL"
                }
                if let filter = lookup.filter {
                    let inner = try FilterCompiler.condition(filter)
                    condition.sql = "\(condition.sql) AND (\(inner.sql))"
                    condition.arguments = inner.arguments
                }
                var find = try snapshot.prepare(
                    "SELECT \(RecordsTable.recordColumns) FROM \(table.rows) WHERE \(condition.sql)")
                var records: [Record] = []
                records.reserveCapacity(lookup.keys.count)
                for key in lookup.keys {
                    try find.bind(all: [table.key(key)] + condition.arguments)
                    if try find.step() {
                        let record = try Record(find.row, of: lookup.resource)
                        if lookup.omitsEdits {
                            try record.withoutEdits(in: table, snapshot).map { records.append($0) }
                        } else {
                            records.append(record)
                        }
                    }
                    find.reset()
                }
                return records
            } ?? []
        await probes.didLookUp(found.map(\.key))
        return found
    }

    /// The keys written after `revision` by any process; empty if there are none.
    ///
    /// - Parameter number: the resource's number when it had that revision; nil if it is surely the same. After the resource was
    ///   forgotten all its keys are new.
    package func changedKeys(
        of resource: String, since revision: Int64, number: Int64? = nil
    ) async throws(StoreError) -> ChangedKeys {
        let found = try await read(resource) { table, snapshot in
            let isSame = number == nil || number == table.resource
            guard !isSame || table.row.revision > revision else {
                return ChangedKeys(number: table.resource, revision: revision, keys: [])
            }
            let isComplete = isSame && table.row.forgotten <= revision
            return ChangedKeys(
                number: table.resource, revision: table.row.revision,
                keys: try table.keys(since: isSame ? revision : ChangeFeed.beginning, snapshot),
                living: isComplete ? nil : try table.livingKeys(snapshot))
        }
        if let found { return found }
        let wasStored = number ?? 0 != 0
        return ChangedKeys(number: 0, revision: wasStored ? 0 : revision, keys: [], living: wasStored ? [] : nil)
    }

    /// Lets ``changedKeys(of:since:)`` cost as much as there are changes, whatever the size of the table, which must be there.
    package func indexChanges(of resource: String) async throws(StoreError) {
        let isIndexed = try await read(resource) { table, snapshot in
            try snapshot.exists(
                "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1", table.changesIndexName)
        }
        if isIndexed == true { return }
        try await write { transaction in
            let index = try Self.records(of: resource, transaction).changesIndex
            try transaction.execute("CREATE INDEX IF NOT EXISTS \(index)")
        }
    }
}

extension Record {
    /// The live record as the origin has it, without pending edits; nil if the origin has none.
    fileprivate func withoutEdits(in table: RecordsTable, _ snapshot: borrowing Snapshot) throws -> Record? {
        guard pending > 0 else { return deletedAt == nil ? self : nil }
        guard let body = try ServerCopiesTable.load(table.resource, key, snapshot)?.state.living else { return nil }
        var record = self
        (record.body, record.deletedAt) = (Array(body.bytes), nil)
        return record
    }
}
