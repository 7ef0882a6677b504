import CSQLite

/// What every connection is set to, whatever this SQLite was built with.
///
/// Sources: sqlite.org/security.html, sqlite.org/c3ref/c_dbconfig_defensive.html, sqlite.org/pragma.html.
extension Connection {
    /// Settings that do not look into the file, so that they hold before its content can have any effect.
    func harden(_ configuration: DatabaseConfiguration) throws(SQLiteError) {
        for (verb, on) in Self.switches {
            let code = siding_sqlite_switch(handle, verb, on ? 1 : 0, nil)
            guard code == SQLITE_OK else { throw error(code, "set the connection's switch \(verb)") }
        }
        for (limit, value) in Self.limits { sqlite3_limit(handle, limit, value) }
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: configuration.maximumValueBytes))
        setBusyTimeout(configuration.busyTimeout)
        // A PASSIVE checkpoint that overlaps a commit can lose it (sqlite.org/wal.html, "WAL-reset bug").
        sqlite3_wal_autocheckpoint(handle, 0)
    }

    private static let switches: [(verb: Int32, on: Bool)] = [
        (SQLITE_DBCONFIG_DEFENSIVE, true),
        // Off would refuse the JSON functions in views and indexes; foreign views are found by comparing the schema.
        (SQLITE_DBCONFIG_TRUSTED_SCHEMA, true),
        (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false),
        (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (SQLITE_DBCONFIG_ENABLE_VIEW, true),
        (SQLITE_DBCONFIG_DQS_DML, false),
        (SQLITE_DBCONFIG_DQS_DDL, false),
        // Short commands stay cheap, and -wal and -shm stay for readers that cannot make them.
        (SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ]

    private static let limits: [(limit: Int32, value: Int32)] = [
        (SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (SQLITE_LIMIT_ATTACHED, 0),
        (SQLITE_LIMIT_EXPR_DEPTH, 100),
        (SQLITE_LIMIT_COMPOUND_SELECT, 20),
    ]

    func setBusyTimeout(_ timeout: Duration) {
        sqlite3_busy_timeout(
            handle,
            Int32(clamping: timeout.components.seconds * 1_000 + timeout.components.attoseconds / 1_000_000_000_000_000)
        )
    }

    /// Settings of a connection to a file that was found to be ours.
    func configure(_ configuration: DatabaseConfiguration, role: Role) throws(SQLiteError) {
        var pragmas = [
            "cell_size_check = ON", "mmap_size = 0", "cache_size = -\(configuration.cacheBytes / 1024)",
        ]
        switch role {
        case .reader:
            pragmas.append("query_only = ON")
        case .writer:
            pragmas += [
                "foreign_keys = ON", "synchronous = \(configuration.synchronous.rawValue)", "secure_delete = ON",
                "journal_size_limit = \(configuration.journalSizeLimit)",
            ]
        case .destination:
            break
        }
        for pragma in pragmas { try run("PRAGMA " + pragma, operation: "open the database") }
    }

    func integer(_ sql: String) throws(SQLiteError) -> Int64 {
        guard case .integer(let value) = try run(sql, operation: "open the database") else { return 0 }
        return value
    }
}
