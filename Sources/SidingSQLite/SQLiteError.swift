import CSQLite
import Glibc

/// What went wrong in the database file, for the code that must choose (``kind``) and for the person who reads it
/// (``description``).
///
/// It never carries a bound value: SQL text is kept with its placeholders, and what SQLite quotes from a value while a
/// statement runs is cut out of the message.
public struct SQLiteError: Error, Sendable, Hashable {
    /// Few kinds, each of which asks for something else to be done.
    public enum Kind: Sendable, Hashable {
        /// Another program holds the lock, longer than the wait allowed.
        case busy
        /// No space on the device, over a quota, or at the database's own limit.
        case full
        /// The file, its file system or this connection cannot be written.
        case readOnly
        case ioError
        case corrupt
        case notADatabase
        case cannotOpen
        /// The operating system refuses this user.
        case permission
        /// A rule of the schema was broken; its name as SQLite says it (`siding_queue_state`, `records.key`).
        case constraint(String)
        case interrupted
        case timeLimit
        /// The file was written by a newer program; nothing was touched.
        case tooNewSchema(found: Int, supported: Int)
        /// Another program's database; nothing was touched.
        case foreignFile(applicationID: Int32)
        case networkFileSystem(String)
        /// File or directory that another user could exchange or read.
        case unsafeFile(String)
        case cancelled
        case other
    }

    public let kind: Kind
    /// SQLite's extended result code; 0 where the fault was found before SQLite was asked.
    public let code: Int32
    /// SQLite's or the operating system's words.
    public let message: String
    /// The statement, with placeholders in place of values.
    public let sql: String?
    /// What was being done, as in "could not …".
    public let operation: String
    public let path: String

    /// The result code's name, as SQLite's pages have it: `SQLITE_BUSY_SNAPSHOT`. Empty where ``code`` is 0.
    public var symbol: String { code == 0 ? "" : SQLiteResultCode.symbol(code) }

    /// A fault that is found by this library.
    init(_ kind: Kind, _ message: String, operation: String, path: String, sql: String? = nil) {
        self.init(kind: kind, code: 0, message: message, sql: sql, operation: operation, path: path)
    }

    /// A database that is another program's.
    init(foreignFile applicationID: Int32, path: String) {
        let message = "its application id is 0x\(String(UInt32(bitPattern: applicationID), radix: 16))"
        self.init(.foreignFile(applicationID: applicationID), message, operation: "open the database", path: path)
    }

    /// A fault that SQLite reports. `systemCode` is the operating system's part in it (0: none).
    init(code: Int32, message: String, operation: String, path: String, sql: String? = nil, systemCode: Int32 = 0) {
        let kind = Self.kind(of: code, message: message, systemCode: systemCode)
        self.init(kind: kind, code: code, message: message, sql: sql, operation: operation, path: path)
    }

    /// A fault that the operating system reports.
    init(errno systemCode: Int32, operation: String, path: String) {
        let kind = Self.kind(ofSystem: systemCode) ?? .cannotOpen
        self.init(kind, String(cString: strerror(systemCode)), operation: operation, path: path)
    }

    /// The same fault, told as part of something larger.
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
        case ENOSPC, EDQUOT, EFBIG: .full
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

    /// "CHECK constraint failed: name": what stands after the colon, or the whole message where there is none.
    private static func constraintName(in message: String) -> String {
        let mark = "constraint failed: "
        guard let start = message.indices.first(where: { message[$0...].hasPrefix(mark) }) else { return message }
        return String(message[start...].dropFirst(mark.count))
    }

    /// While a statement runs, SQLite quotes from values: "JSON path error near '…'", 'fts5: syntax error near "…"'.
    static func withoutQuotedValues(_ message: String) -> String {
        guard let quote = message.firstIndex(where: { "'\"[".contains($0) }) else { return message }
        return message[..<quote] + "…"
    }
}
