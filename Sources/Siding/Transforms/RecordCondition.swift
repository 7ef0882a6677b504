internal import SidingJSON
internal import SidingSQLite

/// Tells of records, one by one, whether a condition is true of them.
final class RecordCondition {
    private let text: String
    private var statement: Statement

    /// - Parameter columns: the declared ones, whose names the condition may use.
    init(
        _ condition: RecordExpression, beside columns: [RecordColumn],
        _ database: borrowing some Queryable & ~Copyable
    ) throws {
        // All or none: what holds a statement cannot be left half made.
        let prepared = try database.prepare(
            "SELECT \(condition.sql(beside: columns)) IS TRUE FROM (SELECT ?1 AS body)")
        text = condition.description
        statement = prepared
    }

    /// - Parameter key: the record's, by which a person finds it.
    /// - Throws: ``StoreError/Kind/contract`` where SQLite cannot compute it for this record.
    func holds(for record: UnsafeRawBufferPointer, called key: @autoclosure () -> String) throws -> Bool {
        do { return try value(for: record) } catch {
            guard error.kind == .other else { throw error }
            throw StoreError(
                .contract,
                "'where' (\(PlainText.oneLine(text, limit: 200))) cannot be computed for the record "
                    + "'\(PlainText.oneLine(key(), limit: 80))': \(error.message); change 'where', or what it does with "
                    + "such values")
        }
    }

    private func value(for record: UnsafeRawBufferPointer) throws(SQLiteError) -> Bool {
        try statement.bindTextBytes(1, record)
        let hasRow = try statement.step()
        let holds = hasRow && statement.int(0) == 1
        statement.reset()
        return holds
    }

    /// Whether it is computed for the record, and not true.
    func isFalse(for record: [UInt8]) throws -> Bool {
        do {
            return try record.withUnsafeBytes { try !value(for: $0) }
        } catch let error as SQLiteError where error.kind == .other {
            return false
        }
    }
}
