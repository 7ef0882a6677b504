// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Applies a changed `drop` or `where` to stored records, server copies and queue entries without asking the origin: deletes
/// records that are now filtered out, and removes newly dropped members, from stored records in steps
/// (``Store/rewriteRecords(of:progress:)``).
///
/// The reverse needs the origin: members and records that were never stored come back only with a full listing, which the
/// changed definition starts.
struct StoredRecordTransforms {
    let table: RecordsTable
    let run: RunID
    let now: Timestamp

    /// Replaces the transforms of `before` by those of `schema`.
    ///
    /// - Returns: the number of records that the filter removed.
    func apply(_ schema: RecordSchema, after before: RecordSchema, _ transaction: borrowing Transaction) throws -> Int {
        let (old, new) = (before.transforms, schema.transforms)
        if !Set(new.dropped).isSubset(of: old.dropped) {
            let removal = MemberRemoval(new.dropped)
            if table.layout != nil {
                try ResourcesTable.set(rewriteFrom: RecordsTable.beginning, of: table.resource, transaction)
            }
            try ServerCopiesTable.rewriteBodies(of: table.resource, transaction) { body in
                body.withUnsafeBytes { removal.applied(to: $0) }
            }
            try dropFromQueue(removal, of: table.resourceName, transaction)
        }
        let excluded = try filteredOut(by: schema, after: before, transaction) ?? []
        try TombstonesTable.insert(
            for: excluded, in: table, cause: .filtered, run: run, now: now, revision: table.row.revision + 1,
            transaction)
        return excluded.count
    }

    /// Removes the dropped members from stored rows: a step of ``RecordsTable/rewrite(next:now:_:)``.
    ///
    /// - Returns: how many rows were written.
    static func drop(
        from table: RecordsTable, rows: ClosedRange<Int64>, now: Timestamp, _ transaction: borrowing Transaction
    ) throws -> Int {
        let (removal, revision) = (MemberRemoval(try table.row.schema.transforms.dropped), table.row.revision + 1)
        guard !removal.isEmpty else { return 0 }
        var text = try TextIndex.load(of: table.resource, transaction).map { try TextStatements($0, transaction) }
        let selection: SQL = "SELECT rowid AS id, body, deleted_at IS NULL AS is_live FROM \(table.rows)"
        var (last, count): (Int64?, Int) = (rows.lowerBound == .min ? nil : rows.lowerBound - 1, 0)
        while let portion = try portion(selection, last, transaction) {
            for row in portion where row.id <= rows.upperBound {
                guard let remaining = row.without(removal) else { continue }
                count += 1
                if row.isLive { try text?.remove(row.id) }
                try table.setBody(of: row.id, to: remaining, now: now, revision: revision, transaction)
                if row.isLive { try text?.add(row.id) }
            }
            last = portion.last?.id
            if last ?? .max >= rows.upperBound { break }
        }
        if count > 0 { try ResourcesTable.raise(revision: revision, of: table.resource, transaction) }
        return count
    }

    /// Removes the members from the queue: from server copies of edits, and from answers.
    private func dropFromQueue(_ removal: MemberRemoval, of name: String, _ transaction: borrowing Transaction) throws {
        let dropped = DroppedMembers(removal)
        try OutboxEditsTable.rewriteBases(ofResource: name, transaction) { base in
            base.withUnsafeBytes { removal.applied(to: $0) }
        }
        try OutboxRequestsTable.rewriteAnswers(ofResource: name, transaction) { answer in
            let left = dropped.removed(from: answer)
            return left == answer ? nil : left
        }
    }

    /// The stored records that a changed filter filters out; nil if it has not changed.
    ///
    /// A record with pending edits stays until they are complete and the origin sends it again.
    func filteredOut(
        by schema: RecordSchema, after before: RecordSchema, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [Int64]? {
        guard let expression = schema.transforms.condition else { return nil }
        // Names in a filter may refer to columns.
        let columns = expression.columns(among: schema.columns)
        guard
            expression != before.transforms.condition || columns != expression.columns(among: before.columns)
        else { return nil }
        let condition = try RecordCondition(expression, beside: schema.columns, database)
        var (last, excluded): (Int64?, [Int64]) = (nil, [])
        while let rows = try Self.portion(
            "SELECT rowid AS id, body, 1 AS is_live FROM \(table.rows) WHERE deleted_at IS NULL AND pending = 0", last,
            database)
        {
            for row in rows {
                last = row.id
                // A record is kept if the filter cannot be evaluated for it; the next page that contains it reports the error.
                if let result = try condition.result(for: row.body), result != .matches { excluded.append(row.id) }
            }
        }
        return excluded
    }

    private struct StoredRow {
        let id: Int64
        let body: [UInt8]
        let isLive: Bool

        func without(_ removal: MemberRemoval) -> [UInt8]? {
            body.withUnsafeBytes { removal.applied(to: $0) }
        }
    }

    /// The next batch of rows after `last`, as rows may be changed between batches; nil if there are no more.
    private static func portion(
        _ sql: SQL, _ last: Int64?, _ database: borrowing some Queryable & ~Copyable
    ) throws -> [StoredRow]? {
        guard last != .max else { return nil }
        let rows = try database.query(
            "SELECT * FROM (\(sql)) WHERE id >= ?1 ORDER BY id LIMIT 200", last.map { $0 + 1 } ?? .min
        ) { row in
            StoredRow(id: try row.int("id"), body: try row.blob("body"), isLive: try row.isTrue("is_live"))
        }
        return rows.isEmpty ? nil : rows
    }
}

extension Store {
    func filteredOut(by schema: RecordSchema, of resource: String) async throws(StoreError) -> RecordsToRemove? {
        // Most resources have no filter.
        guard schema.transforms.condition != nil else { return nil }
        let now = clock.now
        return try await read(resource) { table, snapshot in
            let known = table.row.schemaIfReadable
            guard schema != known else { return nil }
            return try StoredRecordTransforms(table: table, run: 0, now: now)
                .recordsToRemove(by: schema, after: known, snapshot)
        }
    }

    func nullFiltered(of resource: String) async throws(StoreError) -> RecordsToRemove? {
        let now = clock.now
        return try await read(resource) { table, snapshot in
            let schema = table.row.schemaIfReadable
            guard let condition = schema.transforms.condition else { return nil }
            let count = try NullFilteredRecords(table: table).count(snapshot)
            guard count > 0 else { return nil }
            return try StoredRecordTransforms(table: table, run: 0, now: now)
                .report(count, condition, beside: schema.columns, snapshot)
        }
    }
}

extension StoredRecordTransforms {
    /// What a changed filter would remove; nil if it has not changed, or there are no records.
    func recordsToRemove(
        by schema: RecordSchema, after before: RecordSchema, _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordsToRemove? {
        guard let condition = schema.transforms.condition,
            let left = try filteredOut(by: schema, after: before, database)
        else { return nil }
        return try report(left.count, condition, beside: schema.columns, database)
    }

    /// The report on `count` records removed by `condition`; nil if nothing is stored.
    fileprivate func report(
        _ count: Int, _ condition: RecordExpression, beside columns: [RecordColumn],
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> RecordsToRemove? {
        let stored = try table.countLiving(database)
        guard stored > 0 else { return nil }
        // Members in the filter that no stored record has: misspelt, or dropped.
        var unknown: [String] = []
        for name in condition.members(beside: columns) where try !isKnown(name, database) { unknown.append(name) }
        let names = unknown.prefix(5).map { "'\(PlainText.oneLine($0, limit: 80))'" }.joined(separator: ", ")
        return RecordsToRemove(
            stored: stored, count: count,
            caution: unknown.isEmpty ? nil : "'where' names \(names), which no stored record has")
    }

    private func isKnown(_ member: String, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        try database.exists(
            "SELECT 1 FROM \(table.rows) WHERE deleted_at IS NULL AND json_type(body, ?1) IS NOT NULL LIMIT 1",
            JSONPath(member: member).description)
    }
}
