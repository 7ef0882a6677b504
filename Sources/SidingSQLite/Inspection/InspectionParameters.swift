// SPDX-License-Identifier: Apache-2.0
import CSQLite

extension Inspection {
    /// Thrown if the statement and the values for its parameters do not fit together.
    public struct ParameterMismatch: Error {
        /// The name of the parameter; nil for one without a name.
        public let name: String?
        /// Whether the statement has the parameter; if not, only a value was given.
        public let isInStatement: Bool
    }
}

extension Connection {
    /// Binds each parameter to the value of its name.
    ///
    /// - Throws: ``Inspection/ParameterMismatch`` for a parameter without a value, and for a value without a parameter.
    func bind(
        _ values: [String: SQLiteValue], to statement: OpaquePointer, sql: String
    ) throws {
        var unused = Set(values.keys)
        let count = sqlite3_bind_parameter_count(statement)
        for index in stride(from: Int32(1), through: count, by: 1) {
            let name = sqlite3_bind_parameter_name(statement, index).map { String(String(cString: $0).dropFirst()) }
            guard let name, let value = values[name] else {
                throw Inspection.ParameterMismatch(name: name, isInStatement: true)
            }
            unused.remove(name)
            let code = Self.bind(value, to: statement, at: index)
            guard code == SQLITE_OK else { throw error(code, "bind a parameter", sql: sql) }
        }
        if let name = unused.min() { throw Inspection.ParameterMismatch(name: name, isInStatement: false) }
    }

    private static func bind(_ value: SQLiteValue, to statement: OpaquePointer, at index: Int32) -> Int32 {
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let integer): sqlite3_bind_int64(statement, index, integer)
        case .real(let real): sqlite3_bind_double(statement, index, real)
        case .text(let text):
            text.withCString {
                sqlite3_bind_text(statement, index, $0, Int32(clamping: text.utf8.count), siding_sqlite_transient())
            }
        case .blob(let bytes):
            bytes.withUnsafeBytes {
                sqlite3_bind_blob(
                    statement, index, $0.baseAddress, Int32(clamping: $0.count), siding_sqlite_transient())
            }
        }
    }
}
