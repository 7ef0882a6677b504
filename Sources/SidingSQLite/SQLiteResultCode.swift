/// The names that SQLite's own pages use for its result codes, so that a message can be looked up.
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
