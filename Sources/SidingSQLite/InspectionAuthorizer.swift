import CSQLite

/// What a statement that a person typed may do: read tables and views, and call functions that only compute.
///
/// SQLite asks while it compiles (sqlite.org/c3ref/set_authorizer.html), so a refused statement never starts. The
/// connection is read-only besides; but a read-only connection can still attach, and so create, another file.
enum InspectionAuthorizer {
    static func install(on connection: Connection) {
        sqlite3_set_authorizer(
            connection.handle,
            { _, action, first, second, _, _ in
                InspectionAuthorizer.allows(action, first: first, second: second) ? SQLITE_OK : SQLITE_DENY
            }, nil)
    }

    private static func allows(_ action: Int32, first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
        // What every virtual table (json_each, FTS5) asks when it declares its columns and looks for changes. An UPDATE
        // of the schema that is typed is refused all the same: the statement does not only read, the connection is
        // defensive.
        case SQLITE_UPDATE: first.map { String(cString: $0) == "sqlite_master" } ?? false
        case SQLITE_PRAGMA: first.map { String(cString: $0) == "data_version" } ?? false && second == nil
        // The name of a function is the second argument.
        case SQLITE_FUNCTION: second.map { !refused.contains(String(cString: $0).lowercased()) } ?? false
        default: false
        }
    }

    /// Functions that load code, reach files or write logs; some exist only in other builds or in the shell.
    private static let refused: Set<String> = [
        "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "fsdir", "lsmode", "sqlite_log", "zipfile",
        "eval", "sqlar_compress", "sqlar_uncompress",
    ]
}
