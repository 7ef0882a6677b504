import CSQLite

extension SQLiteError: CustomStringConvertible {
    /// What failed, where and why, and what to do next.
    public var description: String {
        var text = "Could not \(operation) (\(path)): \(message)"
        if code != 0 { text += " [\(symbol)]" }
        if let last = text.last, !".!?".contains(last) { text += "." }
        if let advice { text += " " + advice }
        if kind == .other, let sql { text += " Statement: " + sql.prefix(300) }
        return text
    }

    private var advice: String? {
        switch kind {
        case .busy:
            "Another program has used the file for longer than the wait allows: let it finish, or stop it."
        case .full:
            "Free space on that disk and try again: nothing of this step was saved, all before it is safe."
        case .readOnly where code & 0xFF == SQLITE_AUTH:
            "This connection only reads: SELECT from tables and views."
        case .readOnly where ["SQLITE_READONLY_CANTINIT", "SQLITE_READONLY_DIRECTORY"].contains(symbol):
            "Unless another program has it open, SQLite must write beside it even to read: allow that, or read a backup."
        case .readOnly:
            "Make the file, its directory and its file system writable for the user who runs this."
        case .ioError:
            "The disk or its file system reported a fault: look at the system's log before anything else is written."
        case .corrupt:
            "The file is damaged: stop every program that uses it, keep a copy of all its files, and restore a backup."
        case .notADatabase:
            "The file was left as it is: check the path, or move the file away."
        case .cannotOpen:
            "Check that the path is right and that its directory exists."
        case .permission:
            "Run this as the file's owner, or give that user access to the file and its directory."
        case .constraint:
            "The change breaks a rule of the schema; nothing of this step was saved."
        case .timeLimit:
            "Make the statement smaller, or give it more time."
        case .tooNewSchema(let found, let supported):
            "It has schema \(found), this program knows \(supported): nothing was touched; use the newer program."
        case .foreignFile:
            "It belongs to another program and was left as it is: check the path."
        case .networkFileSystem:
            "SQLite's locks do not hold there: put the file on a local disk."
        case .unsafeFile:
            "Nothing was touched: correct it or use another path."
        case .interrupted, .cancelled, .other:
            nil
        }
    }
}
