internal import SidingJSON
internal import SidingSQLite

/// Tells of records, one by one, whether a condition is true of them.
final class RecordCondition {
    /// What a condition says of a record.
    enum Verdict { case fits, leaves, unknown }

    private let text: String
    private var statement: Statement

    /// - Parameter columns: the declared ones, whose names the condition may use.
    init(
        _ condition: RecordExpression, beside columns: [RecordColumn],
        _ database: borrowing some Queryable & ~Copyable
    ) throws {
        // All or none: what holds a statement cannot be left half made.
        let prepared = try database.prepare(
            "SELECT fits IS TRUE, fits IS NULL FROM (SELECT \(condition.sql(beside: columns)) AS fits FROM (SELECT ?1 AS body))"
        )
        text = condition.description
        statement = prepared
    }

    /// Whether it is true of the record, false, or neither, as a member is missing.
    ///
    /// - Parameter key: the record's, by which a person finds it.
    /// - Throws: ``StoreError/Kind/contract`` where SQLite cannot compute it for this record.
    func verdict(for record: UnsafeRawBufferPointer, called key: @autoclosure () -> String) throws -> Verdict {
        do { return try value(for: record) } catch {
            guard error.kind == .other else { throw error }
            throw StoreError(
                .contract,
                "'where' (\(PlainText.oneLine(text, limit: 200))) cannot be computed for the record "
                    + "'\(PlainText.oneLine(key(), limit: 80))': \(error.message); change 'where', or what it does with "
                    + "such values")
        }
    }

    private func value(for record: UnsafeRawBufferPointer) throws(SQLiteError) -> Verdict {
        try statement.bindTextBytes(1, record)
        let hasRow = try statement.step()
        let (isTrue, isNull) = hasRow ? (statement.int(0) == 1, statement.int(1) == 1) : (false, true)
        statement.reset()
        return isTrue ? .fits : isNull ? .unknown : .leaves
    }

    /// Nil if it cannot be computed for the record.
    func verdict(for record: [UInt8]) throws -> Verdict? {
        do {
            return try record.withUnsafeBytes { try value(for: $0) }
        } catch let error as SQLiteError where error.kind == .other {
            return nil
        }
    }
}
