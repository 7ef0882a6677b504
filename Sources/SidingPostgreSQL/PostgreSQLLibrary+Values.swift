// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// A `PQconninfoOption` (libpq-fe.h). Pointers and one integer: Swift and C lay it out alike.
struct PostgreSQLOption {
    var keyword: UnsafePointer<CChar>?
    var environmentVariable: UnsafePointer<CChar>?
    var defaultValue: UnsafePointer<CChar>?
    var value: UnsafePointer<CChar>?
    var label: UnsafePointer<CChar>?
    /// `*` marks a password.
    var display: UnsafePointer<CChar>?
    var displaySize: Int32
}

/// Values of libpq-fe.h. Those of its enumerations are part of its binary interface and never change.
enum PostgreSQLCode {
    static let connectionIsOK: Int32 = 0
    static let connectionIsBad: Int32 = 1

    static let pollingFailed: Int32 = 0
    static let pollingReads: Int32 = 1
    static let pollingWrites: Int32 = 2
    static let pollingIsDone: Int32 = 3

    static let emptyQuery: Int32 = 0
    static let commandIsDone: Int32 = 1
    static let rows: Int32 = 2
    static let copyOut: Int32 = 3
    static let copyIn: Int32 = 4
    static let copyBoth: Int32 = 8

    static let inTransaction: Int32 = 2
    static let inFailedTransaction: Int32 = 3

    static let defaultVerbosity: Int32 = 1
    static let verbose: Int32 = 2

    /// PG_DIAG_SQLSTATE, PG_DIAG_MESSAGE_PRIMARY and PG_DIAG_MESSAGE_HINT (postgres_ext.h).
    static let sqlStateField = Int32(UInt8(ascii: "C"))
    static let messageField = Int32(UInt8(ascii: "M"))
    static let hintField = Int32(UInt8(ascii: "H"))
}

extension PostgreSQLLibrary {
    /// Begins a connection; the name of the server is looked up here and blocks. Nil only without memory.
    func startConnection(_ parameters: [PostgreSQLAddress.Parameter]) -> Connection? {
        let texts = parameters.map { (strdup($0.keyword), strdup($0.value)) }
        defer {
            for (keyword, value) in texts {
                free(keyword)
                free(value)
            }
        }
        // Both lists end with a null pointer. 1: the first dbname may be a URI or a conninfo string.
        return PQconnectStartParams(
            texts.map { Text($0.0) } + [nil], texts.map { Text($0.1) } + [nil], 1)
    }

    /// The connection's error; empty if there is none.
    func errorMessage(_ connection: Connection) -> String {
        PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    }

    /// A field of an error, by its PG_DIAG code.
    func errorField(_ result: Result, _ field: Int32) -> String? {
        PQresultErrorField(result, field).map { String(cString: $0) }
    }

    /// Copies options that have a value, and frees the list.
    func takeOptions(_ list: Options?) -> [PostgreSQLAddress.Option] {
        guard let list else { return [] }
        defer { PQconninfoFree(list) }
        var options: [PostgreSQLAddress.Option] = []
        var next = list.assumingMemoryBound(to: PostgreSQLOption.self)
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.value {
                options.append(
                    PostgreSQLAddress.Option(
                        keyword: String(cString: keyword), value: String(cString: value),
                        isSecret: next.pointee.display.map { $0.pointee == CChar(UInt8(ascii: "*")) } ?? false))
            }
            next += 1
        }
        return options
    }
}
