// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Evaluates a filter for single records.
final class RecordCondition {
    /// The result of the filter: true, false or NULL.
    enum FilterResult { case matches, filteredOut, null }

    private let text: String
    private var statement: Statement

    /// - Parameter columns: the declared columns, whose names the filter may use.
    init(
        _ condition: RecordExpression, beside columns: [RecordColumn],
        _ database: borrowing some Queryable & ~Copyable
    ) throws {
        // A class cannot be left partly initialized, so the statement is prepared first.
        let prepared = try database.prepare(
            "SELECT fits IS TRUE, fits IS NULL FROM (SELECT \(condition.sql(beside: columns)) AS fits FROM (SELECT ?1 AS body))"
        )
        text = condition.description
        statement = prepared
    }

    /// Evaluates the filter: true, false, or NULL, usually because a member is missing or null.
    ///
    /// - Parameter key: the record's key, for messages.
    /// - Throws: ``StoreError/Kind/contract`` if SQLite cannot evaluate it for this record.
    func result(for record: UnsafeRawBufferPointer, key: @autoclosure () -> String) throws -> FilterResult {
        do { return try value(for: record) } catch {
            guard error.kind == .other else { throw error }
            throw StoreError(
                .contract,
                "'where' (\(PlainText.oneLine(text, limit: 200))) cannot be computed for the record "
                    + "'\(PlainText.oneLine(key(), limit: 80))': \(error.message); change 'where' so that it "
                    + "allows such values")
        }
    }

    private func value(for record: UnsafeRawBufferPointer) throws(SQLiteError) -> FilterResult {
        // By position: this runs for each record of a page.
        try statement.bindTextBytes(1, record)
        let hasRow = try statement.step()
        let (isTrue, isNull) = hasRow ? (statement.int(0) == 1, statement.int(1) == 1) : (false, true)
        statement.reset()
        return isTrue ? .matches : isNull ? .null : .filteredOut
    }

    /// Nil if it cannot be computed for the record.
    func result(for record: [UInt8]) throws -> FilterResult? {
        do {
            return try record.withUnsafeBytes { try value(for: $0) }
        } catch let error as SQLiteError where error.kind == .other {
            return nil
        }
    }
}
