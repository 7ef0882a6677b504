import CSQLite

/// What a statement that a person typed may do: read tables and views, and call functions that only compute.
///
/// SQLite asks while it compiles (sqlite.org/c3ref/set_authorizer.html), so a refused statement never starts. The
/// connection is read-only besides; but a read-only connection can still attach, and so create, another file.
final class InspectionAuthorizer {
    private let disguise: Inspection.Disguise?
    /// The names of the views that stand in the place of others.
    private let names: Set<String>
    /// The first hidden table that the statement wanted to read.
    private(set) var hiddenTable: String?

    init(_ disguise: Inspection.Disguise?) {
        self.disguise = disguise
        names = Set((disguise?.views ?? [:]).keys.map { $0.lowercased() })
    }

    /// Makes the views that take the place of others, before anything typed is looked at.
    func disguise(_ connection: Connection) throws(SQLiteError) {
        guard let disguise else { return }
        // TEMP views are writes to SQLite, though of nothing that is in a file.
        let operation = "look back"
        try connection.run("PRAGMA temp_store = MEMORY", operation: operation)
        try connection.run("PRAGMA query_only = OFF", operation: operation)
        for (name, selection) in disguise.views {
            let view: SQL = "CREATE TEMP VIEW \(identifier: name) AS \(selection)"
            try connection.run(view.text, operation: operation)
        }
        try connection.run("PRAGMA query_only = ON", operation: operation)
    }

    /// It must live as long as the connection uses it.
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

    /// Whether a table may not be read here: only the readers of the disguise may.
    ///
    /// - Parameters:
    ///   - database: `main` or `temp`; nil for a bare name of which no column is read.
    ///   - view: the innermost view that reads it.
    private func hides(_ table: String, of database: String?, by view: String?) -> Bool {
        guard let disguise, database != "temp", disguise.hidden.contains(table.lowercased()) else { return false }
        if let view, disguise.readers.contains(view) { return false }
        // A bare name means the view in its place.
        if database == nil, names.contains(table.lowercased()) { return false }
        // A view of the file is named rather than what it reads.
        hiddenTable = hiddenTable ?? view.flatMap { disguise.hidden.contains($0.lowercased()) ? $0 : nil } ?? table
        return true
    }

    /// Functions that load code, reach files or write logs; some exist only in other builds or in the shell.
    private static let refused: Set<String> = [
        "load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "fsdir", "lsmode", "sqlite_log", "zipfile",
        "eval", "sqlar_compress", "sqlar_uncompress",
    ]
}
