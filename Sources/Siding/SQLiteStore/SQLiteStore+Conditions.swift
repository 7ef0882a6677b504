internal import SidingJSON
internal import SidingSQLite

extension SQLiteStore: ConditionStore {
    func leftOut(by shape: RecordShape, of resource: String) async throws(StoreError) -> LeftOutRecords? {
        // Most of the time there is no condition, or the same one, which is to hold up no writer.
        guard shape.transforms.condition != nil,
            let known = try await read({ try ResourceRow.load(named: resource, $0) }), shape != known.shape
        else { return nil }
        let now = clock.now
        return try await write { transaction in
            guard let known = try ResourceRow.load(named: resource, transaction) else { return nil }
            return try StoredRecordTransforms(resource: known.id, run: 0, now: now)
                .look(at: shape, after: known.shape, transaction)
        }
    }
}

extension StoredRecordTransforms {
    /// What a changed condition would leave out; nil where it is the one that records are kept by, or there are none.
    func look(
        at shape: RecordShape, after before: RecordShape, _ transaction: borrowing Transaction
    ) throws -> LeftOutRecords? {
        guard let condition = shape.transforms.condition,
            let left = try leftOut(by: shape, after: before, transaction)
        else { return nil }
        let stored = try transaction.first(
            "SELECT COUNT(*) FROM siding_records WHERE resource = ?1 AND deleted_at IS NULL", resource
        ) { Int($0.int(0)) }
        guard let stored, stored > 0 else { return nil }
        var unknown: [String] = []
        for name in condition.members(beside: shape.columns) where try !isKnown(name, transaction) {
            unknown.append(name)
        }
        return LeftOutRecords(stored: stored, count: left.count, unknownMembers: unknown)
    }

    private func isKnown(_ member: String, _ transaction: borrowing Transaction) throws -> Bool {
        try transaction.first(
            """
            SELECT 1 FROM siding_records
            WHERE resource = ?1 AND deleted_at IS NULL AND json_type(body, ?2) IS NOT NULL LIMIT 1
            """, resource, JSONPath(member: member).description
        ) { _ in true } ?? false
    }
}
