// SPDX-License-Identifier: Apache-2.0
/// What a statement returned. Values are in PostgreSQL's text form; nil is NULL.
package struct PostgreSQLResult: Sendable, Equatable {
    /// The names of the columns; empty for a statement without rows.
    package let columns: [String]
    package let rowCount: Int
    /// The number of inserted, updated, deleted, copied or selected rows; 0 for other statements.
    package let affectedRows: Int
    /// What was done, such as `INSERT 0 1` or `COMMIT`.
    let commandTag: String
    /// All values, row by row.
    private let values: [String?]

    /// Copies a result of libpq, which the caller still clears.
    init(_ result: PostgreSQLLibrary.Result, _ library: PostgreSQLLibrary) {
        columns = (0..<library.PQnfields(result)).map { column in
            library.PQfname(result, column).map { String(cString: $0) } ?? ""
        }
        rowCount = Int(library.PQntuples(result))
        commandTag = library.PQcmdStatus(result).map { String(cString: $0) } ?? ""
        affectedRows = library.PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
        var values: [String?] = []
        values.reserveCapacity(rowCount * columns.count)
        for row in 0..<Int32(rowCount) {
            for column in 0..<Int32(columns.count) {
                guard library.PQgetisnull(result, row, column) == 0 else {
                    values.append(nil)
                    continue
                }
                let bytes = UnsafeRawBufferPointer(
                    start: library.PQgetvalue(result, row, column),
                    count: Int(library.PQgetlength(result, row, column)))
                values.append(String(decoding: bytes, as: UTF8.self))
            }
        }
        self.values = values
    }

    /// The value at a row and a column, both from 0.
    package subscript(row: Int, column: Int) -> String? {
        precondition(column >= 0 && column < columns.count, "there is no such column")
        return values[row * columns.count + column]
    }

    /// All rows.
    package var rows: [[String?]] {
        (0..<rowCount).map { row in Array(values[row * columns.count..<(row + 1) * columns.count]) }
    }
}
