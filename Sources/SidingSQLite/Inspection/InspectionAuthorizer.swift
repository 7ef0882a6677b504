// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// Restricts a statement typed by the user to reading tables and views and to functions without side effects.
///
/// SQLite calls the authorizer while it compiles (sqlite.org/c3ref/set_authorizer.html), so a refused statement never starts.
/// The read-only connection alone is not enough: it could still attach, and so create, another file.
final class InspectionAuthorizer {
    private let replacement: Inspection.ViewReplacement?
    /// The names, in lower case, of the views that replace others.
    private let names: Set<String>
    /// The first hidden table that the statement tried to read.
    private(set) var hiddenTable: String?

    init(_ replacement: Inspection.ViewReplacement?) {
        self.replacement = replacement
        names = Set((replacement?.views ?? [:]).keys.map { $0.lowercased() })
    }

    /// Creates the replacing views, before the user's statement is compiled.
    func createViews(on connection: Connection) throws(SQLiteError) {
        guard let replacement else { return }
        // For SQLite, TEMP views are writes, though they change no file.
        let operation = "look back"
        try connection.run("PRAGMA temp_store = MEMORY", operation: operation)
        try connection.run("PRAGMA query_only = OFF", operation: operation)
        for (name, selection) in replacement.views {
            let view: SQL = "CREATE TEMP VIEW \(identifier: name) AS \(selection)"
            try connection.run(view.text, operation: operation)
        }
        try connection.run("PRAGMA query_only = ON", operation: operation)
    }

    /// Installs the authorizer, which must outlive its use by the connection.
    func install(on connection: Connection) {
        sqlite3_set_authorizer(
            connection.handle,
            { context, action, first, second, database, view in
                guard let context else { return SQLITE_DENY }
                let authorizer = Unmanaged<InspectionAuthorizer>.fromOpaque(context).takeUnretainedValue()
                guard InspectionAuthorizer.allows(action, first: first, second: second) else { return SQLITE_DENY }
                guard action == SQLITE_READ, let first else { return SQLITE_OK }
                let isHidden = authorizer.hides(
                    String(cString: first), of: database.map { String(cString: $0) },
                    by: view.map { String(cString: $0) })
                return isHidden ? SQLITE_DENY : SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private static func allows(_ action: Int32, first: UnsafePointer<CChar>?, second: UnsafePointer<CChar>?) -> Bool {
        switch action {
        case SQLITE_SELECT, SQLITE_READ, SQLITE_RECURSIVE: true
        // Every virtual table (json_each, FTS5) needs these when it declares its columns and checks for changes. A typed UPDATE of
        // the schema is refused nevertheless: only reading statements are accepted, and the connection is defensive.
        case SQLITE_UPDATE: first.map { String(cString: $0) == "sqlite_master" } ?? false
        case SQLITE_PRAGMA: first.map { String(cString: $0) == "data_version" } ?? false && second == nil
        // The name of a function is the second argument.
        case SQLITE_FUNCTION: second.map { !refused.contains(String(cString: $0).lowercased()) } ?? false
        default: false
        }
    }

    /// Whether the table is hidden from the view or statement that reads it.
    ///
    /// - Parameters:
    ///   - database: `main` or `temp`; nil for a bare name of which no column is read.
    ///   - view: the innermost view that reads the table.
    private func hides(_ table: String, of database: String?, by view: String?) -> Bool {
        guard let replacement, database != "temp", replacement.hidden.contains(table.lowercased()) else { return false }
        if let view, replacement.readers.contains(view) { return false }
        // A bare name refers to the replacing view.
        if database == nil, names.contains(table.lowercased()) { return false }
        // If a view of the file reads it, report the view's name.
        hiddenTable = hiddenTable ?? view.flatMap { replacement.hidden.contains($0.lowercased()) ? $0 : nil } ?? table
        return true
    }

    /// Functions that load code, reach files or write logs; some exist only in other builds or in the shell.
    private static let refused: Set<String> = [
        "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "fsdir", "lsmode", "sqlite_log", "zipfile",
        "eval", "sqlar_compress", "sqlar_uncompress",
    ]
}
