// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

/// An error of the database file: ``kind`` for code that must choose, ``description`` for the user.
///
/// It never contains a bound value: SQL text keeps its placeholders, and values that SQLite quotes while a statement runs are
/// cut out of the message.
public struct SQLiteError: Error, Sendable, Hashable {
    /// The error kinds; each calls for a different reaction.
    public enum Kind: Sendable, Hashable {
        /// Another program holds the lock longer than the timeout.
        case busy
        /// No space on the device, over a quota, or at the database's own limit.
        case full
        /// The file, its file system or this connection cannot be written.
        case readOnly
        /// The operating system could not read or write (SQLITE_IOERR).
        case ioError
        /// The file is damaged (SQLITE_CORRUPT).
        case corrupt
        /// The file is no SQLite database (SQLITE_NOTADB).
        case notADatabase
        /// There is no such file or directory, or it cannot be opened (SQLITE_CANTOPEN).
        case cannotOpen
        /// The operating system denies access to this user.
        case permission
        /// A constraint of the schema failed; with its name as SQLite reports it (`siding_outbox_state`, `records.key`).
        case constraint(String)
        /// SQLite was asked to stop (SQLITE_INTERRUPT), and no other kind says why.
        case interrupted
        /// An ``Inspection`` reached its time limit.
        case timeLimit
        /// A newer program wrote the file; it was not changed.
        case tooNewSchema(found: Int, supported: Int)
        /// The database of another program; it was not changed.
        case foreignFile(applicationID: Int32)
        /// The file lies on a network file system, such as NFS, where SQLite's locks do not
        /// hold (sqlite.org/useovernet.html). The name is that of the file system.
        case networkFileSystem(String)
        /// A file or directory that another user could replace or read.
        case unsafeFile(String)
        /// The task was cancelled.
        case cancelled
        /// The program closed the database.
        case closed
        /// Everything else: invalid SQL, a limit, a misuse; ``SQLiteError/message`` says what.
        case other
    }

    /// For code that must choose what to do.
    public let kind: Kind
    /// SQLite's extended result code; 0 if SQLite was not involved.
    public let code: Int32
    /// The message of SQLite or the operating system.
    public let message: String
    /// The statement, with placeholders in place of values.
    public let sql: String?
    /// The attempted operation, completing "could not …".
    public let operation: String
    /// The path of the database, or of the file beside it that is meant.
    public let path: String

    /// The result code's name in SQLite's documentation, such as `SQLITE_BUSY_SNAPSHOT`; empty if ``code`` is 0.
    public var symbol: String { code == 0 ? "" : SQLiteResultCode.symbol(code) }

    /// An error found by this library.
    init(_ kind: Kind, _ message: String, operation: String, path: String, sql: String? = nil) {
        self.init(kind: kind, code: 0, message: message, sql: sql, operation: operation, path: path)
    }

    /// An error for another program's database.
    init(foreignFile applicationID: Int32, path: String) {
        let message = "its application id is 0x\(String(UInt32(bitPattern: applicationID), radix: 16))"
        self.init(.foreignFile(applicationID: applicationID), message, operation: "open the database", path: path)
    }

    /// An error reported by SQLite. `systemCode` is the operating system's error behind it (0: none).
    init(code: Int32, message: String, operation: String, path: String, sql: String? = nil, systemCode: Int32 = 0) {
        let kind = Self.kind(of: code, message: message, systemCode: systemCode)
        self.init(kind: kind, code: code, message: message, sql: sql, operation: operation, path: path)
    }

    /// An error reported by the operating system.
    init(errno systemCode: Int32, operation: String, path: String) {
        let kind = Self.kind(ofSystem: systemCode) ?? .cannotOpen
        let message = systemCode == EROFS ? "the file system is read-only" : String(cString: strerror(systemCode))
        self.init(kind, message, operation: operation, path: path)
    }

    /// The same error as part of a larger operation.
    func during(_ operation: String) -> SQLiteError {
        SQLiteError(kind: kind, code: code, message: message, sql: sql, operation: operation, path: path)
    }

    private init(kind: Kind, code: Int32, message: String, sql: String?, operation: String, path: String) {
        self.kind = kind
        self.code = code
        self.message = message
        self.sql = sql
        self.operation = operation
        self.path = path
    }
}

extension SQLiteError {
    private static func kind(ofSystem code: Int32) -> Kind? {
        switch code {
        case EACCES, EPERM: .permission
        case _ where SystemError(code).isFull: .full
        case EROFS: .readOnly
        case EIO: .ioError
        default: nil
        }
    }

    private static func kind(of code: Int32, message: String, systemCode: Int32) -> Kind {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: .busy
        case SQLITE_FULL: .full
        case SQLITE_READONLY, SQLITE_AUTH: .readOnly
        case SQLITE_IOERR: kind(ofSystem: systemCode) == .full ? .full : .ioError
        case SQLITE_CORRUPT: .corrupt
        case SQLITE_NOTADB: .notADatabase
        case SQLITE_CANTOPEN: kind(ofSystem: systemCode) ?? .cannotOpen
        case SQLITE_PERM: .permission
        case SQLITE_CONSTRAINT: .constraint(constraintName(in: message))
        case SQLITE_INTERRUPT: .interrupted
        default: .other
        }
    }

    /// The name in "CHECK constraint failed: name"; the whole message if there is no colon.
    private static func constraintName(in message: String) -> String {
        let mark = "constraint failed: "
        guard let start = message.indices.first(where: { message[$0...].hasPrefix(mark) }) else { return message }
        return String(message[start...].dropFirst(mark.count))
    }

    /// Cuts off values that SQLite quotes while a statement runs: "JSON path error near '…'", 'fts5: syntax error near "…"'.
    static func withoutQuotedValues(_ message: String) -> String {
        guard let quote = message.firstIndex(where: { "'\"[".contains($0) }) else { return message }
        return message[..<quote] + "…"
    }
}

extension SQLiteError: CustomStringConvertible {
    /// The operation, file and reason, and advice for the user.
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
            "Another program uses the file: let it finish, or stop it, and try again."
        case .full:
            "Free space on that disk and try again: nothing of this step was saved, all before it is safe."
        case .readOnly where code & 0xFF == SQLITE_AUTH:
            "This connection only reads: SELECT from tables and views."
        case .readOnly where ["SQLITE_READONLY_CANTINIT", "SQLITE_READONLY_DIRECTORY"].contains(symbol):
            "Unless another program has it open, SQLite must write beside it even to read: allow that, or read a backup."
        case .readOnly:
            "Make the file, its directory and its file system writable for the user who runs this, or read a backup."
        case .ioError:
            "The disk or its file system reported a fault: look at the system's log before anything else is written."
        case .corrupt:
            "The file is damaged: stop every program that uses it, keep a copy of all its files, and restore a backup."
        case .notADatabase:
            "The file was left as it is: check the path, or move the file away."
        case .cannotOpen:
            "Check that the path is right and that its directory exists."
        case .permission:
            "Run this as the file's owner, give that user access to the file and its directory, or read a backup."
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
        case .interrupted, .cancelled, .closed, .other:
            nil
        }
    }
}

/// Names of result codes as in SQLite's documentation, so that users can look them up.
///
/// Source: sqlite.org/rescode.html. An extended code is its primary code plus a detail in the bits above the eighth.
enum SQLiteResultCode {
    static func symbol(_ code: Int32) -> String {
        let primary = code & 0xFF
        guard let name = names[primary] else { return "SQLITE_RESULT_\(code)" }
        let detail = code >> 8
        guard detail != 0 else { return "SQLITE_" + name }
        return "SQLITE_" + name + "_" + (details[primary]?[detail] ?? String(detail))
    }

    private static let names: [Int32: String] = [
        0: "OK", 1: "ERROR", 2: "INTERNAL", 3: "PERM", 4: "ABORT", 5: "BUSY", 6: "LOCKED", 7: "NOMEM", 8: "READONLY",
        9: "INTERRUPT", 10: "IOERR", 11: "CORRUPT", 12: "NOTFOUND", 13: "FULL", 14: "CANTOPEN", 15: "PROTOCOL",
        16: "EMPTY", 17: "SCHEMA", 18: "TOOBIG", 19: "CONSTRAINT", 20: "MISMATCH", 21: "MISUSE", 22: "NOLFS",
        23: "AUTH", 24: "FORMAT", 25: "RANGE", 26: "NOTADB", 27: "NOTICE", 28: "WARNING", 100: "ROW", 101: "DONE",
    ]

    private static let details: [Int32: [Int32: String]] = [
        0: [1: "LOAD_PERMANENTLY", 2: "SYMLINK"],
        1: [1: "MISSING_COLLSEQ", 2: "RETRY", 3: "SNAPSHOT"],
        4: [2: "ROLLBACK"],
        5: [1: "RECOVERY", 2: "SNAPSHOT", 3: "TIMEOUT"],
        6: [1: "SHAREDCACHE", 2: "VTAB"],
        8: [1: "RECOVERY", 2: "CANTLOCK", 3: "ROLLBACK", 4: "DBMOVED", 5: "CANTINIT", 6: "DIRECTORY"],
        10: [
            1: "READ", 2: "SHORT_READ", 3: "WRITE", 4: "FSYNC", 5: "DIR_FSYNC", 6: "TRUNCATE", 7: "FSTAT",
            8: "UNLOCK", 9: "RDLOCK", 10: "DELETE", 11: "BLOCKED", 12: "NOMEM", 13: "ACCESS",
            14: "CHECKRESERVEDLOCK", 15: "LOCK", 16: "CLOSE", 17: "DIR_CLOSE", 18: "SHMOPEN", 19: "SHMSIZE",
            20: "SHMLOCK", 21: "SHMMAP", 22: "SEEK", 23: "DELETE_NOENT", 24: "MMAP", 25: "GETTEMPPATH",
            26: "CONVPATH", 27: "VNODE", 28: "AUTH", 29: "BEGIN_ATOMIC", 30: "COMMIT_ATOMIC",
            31: "ROLLBACK_ATOMIC", 32: "DATA", 33: "CORRUPTFS",
        ],
        11: [1: "VTAB", 2: "SEQUENCE", 3: "INDEX"],
        14: [1: "NOTEMPDIR", 2: "ISDIR", 3: "FULLPATH", 4: "CONVPATH", 5: "DIRTYWAL", 6: "SYMLINK"],
        19: [
            1: "CHECK", 2: "COMMITHOOK", 3: "FOREIGNKEY", 4: "FUNCTION", 5: "NOTNULL", 6: "PRIMARYKEY",
            7: "TRIGGER", 8: "UNIQUE", 9: "VTAB", 10: "ROWID", 11: "PINNED", 12: "DATATYPE",
        ],
        23: [1: "USER"],
        27: [1: "RECOVER_WAL", 2: "RECOVER_ROLLBACK"],
        28: [1: "AUTOINDEX"],
    ]
}
