internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

extension Store {
    func leftOut(by schema: RecordSchema, of resource: String) async throws(StoreError) -> LeavingRecords? {
        // Most resources have no filter.
        guard schema.transforms.condition != nil else { return nil }
        let now = clock.now
        return try await read { snapshot in
            guard let known = try ResourceRow.load(named: resource, snapshot), schema != known.schema else {
                return nil
            }
            return try StoredRecordTransforms(resource: known.id, run: 0, now: now)
                .look(at: schema, after: known.schema, snapshot)
        }
    }

    func nullFiltered(of resource: String) async throws(StoreError) -> LeavingRecords? {
        let now = clock.now
        return try await read { snapshot in
            guard let known = try ResourceRow.load(named: resource, snapshot),
                let condition = known.schema.transforms.condition
            else { return nil }
            let count = try NullFilteredRecords(resource: known).count(snapshot)
            guard count > 0 else { return nil }
            return try StoredRecordTransforms(resource: known.id, run: 0, now: now)
                .report(count, condition, beside: known.schema.columns, snapshot)
        }
    }
}

extension StoredRecordTransforms {
    /// What a changed filter would remove; nil if it has not changed, or there are no records.
    func look(
        at schema: RecordSchema, after before: RecordSchema, _ database: borrowing some Queryable & ~Copyable
    ) throws -> LeavingRecords? {
        guard let condition = schema.transforms.condition,
            let left = try filteredOut(by: schema, after: before, database)
        else { return nil }
        return try report(left.count, condition, beside: schema.columns, database)
    }

    /// The report on `count` records removed by `condition`; nil if nothing is stored.
    fileprivate func report(
        _ count: Int, _ condition: RecordExpression, beside columns: [RecordColumn],
        _ database: borrowing some Queryable & ~Copyable
    ) throws -> LeavingRecords? {
        let stored = try RecordsTable.load(resource, database).countLiving(database)
        guard stored > 0 else { return nil }
        // Members in the filter that no stored record has: misspelt, or dropped.
        var unknown: [String] = []
        for name in condition.members(beside: columns) where try !isKnown(name, database) { unknown.append(name) }
        let names = unknown.prefix(5).map { "'\(PlainText.oneLine($0, limit: 80))'" }.joined(separator: ", ")
        return LeavingRecords(
            stored: stored, count: count,
            doubt: unknown.isEmpty ? nil : "'where' names \(names), which no stored record has")
    }

    private func isKnown(_ member: String, _ database: borrowing some Queryable & ~Copyable) throws -> Bool {
        let records = try RecordsTable.load(resource, database).rows
        return try database.first(
            "SELECT 1 FROM \(records) WHERE deleted_at IS NULL AND json_type(body, ?1) IS NOT NULL LIMIT 1",
            JSONPath(member: member).description
        ) { _ in true } ?? false
    }
}
