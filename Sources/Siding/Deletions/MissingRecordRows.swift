internal import SidingSQLite

/// The rows of `siding_absences`.
enum MissingRecordRows {
    static func load(_ resource: Int64, _ transaction: borrowing Transaction) throws -> RecordIDs {
        RecordIDs(
            try transaction.query(
                "SELECT record FROM siding_absences WHERE resource = ?1 ORDER BY record", resource
            ) { $0.int(0) })
    }

    /// - Returns: those of `ids` that had been lacked.
    static func forget(
        _ ids: [Int64], of resource: Int64, _ transaction: borrowing Transaction
    ) throws -> [Int64] {
        let hasAny = try transaction.first(
            "SELECT 1 FROM siding_absences WHERE resource = ?1 LIMIT 1", resource
        ) { _ in true }
        guard hasAny == true else { return [] }
        var forgotten: [Int64] = []
        for id in ids {
            let count = try transaction.execute(
                "DELETE FROM siding_absences WHERE resource = ?1 AND scope = '' AND record = ?2", resource, id)
            if count > 0 { forgotten.append(id) }
        }
        return forgotten
    }

    static func replace(
        _ before: RecordIDs, with now: RecordIDs, of resource: Int64, _ transaction: borrowing Transaction
    ) throws {
        for id in before.subtracting(now).ids {
            try transaction.execute(
                "DELETE FROM siding_absences WHERE resource = ?1 AND scope = '' AND record = ?2", resource, id)
        }
        for id in now.subtracting(before).ids {
            try transaction.execute(
                "INSERT INTO siding_absences (resource, scope, record) VALUES (?1, '', ?2)", resource, id)
        }
    }
}
