// SPDX-License-Identifier: Apache-2.0
import CSQLite

extension Connection {
    /// Opens the read-write connection to a Siding database and creates the file if it is missing.
    ///
    /// The order matters for safety: check the file's place and owner, its header, set the connection's switches, check the
    /// application id under SQLite's lock, and only then write.
    /// - Throws: ``SQLiteError``; a file of another program is left unchanged.
    static func openWriter(
        _ file: DatabaseFile, _ configuration: DatabaseConfiguration, _ lock: WriterLock
    ) throws(SQLiteError) -> Connection {
        try checkLibrary(path: file.path)
        if let size = file.size, size > 0 {
            let header = try FileHeader(ofFileAt: file.path)
            if !header.isHalfMade { try header.check(applicationID: configuration.applicationID, path: file.path) }
        } else {
            try file.createIfMissing()
        }
        let connection = try Connection(opening: file.path, role: .writer)
        try connection.harden(configuration)
        if try connection.needsSetUp(configuration) {
            try lock.acquire()
            defer { lock.release() }
            try connection.setUp(configuration)
        }
        try connection.configure(configuration, role: .writer)
        try connection.watchWAL()
        return connection
    }

    /// Opens a read-only connection to a Siding database, which must exist. It may be another user's, or on a read-only file system.
    static func openReader(
        _ file: DatabaseFile, _ configuration: DatabaseConfiguration
    ) throws(SQLiteError) -> Connection {
        try checkLibrary(path: file.path)
        guard let size = file.size, size > 0, case let header = try FileHeader(ofFileAt: file.path), !header.isHalfMade
        else {
            throw SQLiteError(.cannotOpen, "there is no database", operation: "open the database", path: file.path)
        }
        try header.check(applicationID: configuration.applicationID, path: file.path)
        // Before the log is found to be empty: what moves from a log into the file later changes this.
        let content = file.content
        let mode = try ReadingMode(of: file)
        let connection = try Connection(opening: file.path, role: .reader, mode)
        if mode == .immutable, let content { connection.unlocked = (file, content) }
        try connection.harden(configuration)
        try connection.configure(configuration, role: .reader)
        return connection
    }

    /// Requires SQLite 3.40, the version in Debian 12, for STRICT tables, `->>` and RETURNING.
    private static func checkLibrary(path: String) throws(SQLiteError) {
        guard sqlite3_libversion_number() >= 3_040_000 else {
            throw SQLiteError(
                .other, "SQLite \(String(cString: sqlite3_libversion())) is too old, 3.40.0 or newer is needed",
                operation: "open the database", path: path)
        }
    }

    /// Whether the file is new or not yet in WAL mode. A file without an application id is new only if it has no page, or one
    /// page and no schema. The page count is read first: the id is written with the first page, so a file that another process
    /// is creating has both.
    ///
    /// - Throws: ``SQLiteError`` of kind `foreignFile` for another application id.
    private func needsSetUp(_ configuration: DatabaseConfiguration) throws(SQLiteError) -> Bool {
        let pages = try integer("PRAGMA page_count")
        if pages == 0 { return true }
        let found = Int32(truncatingIfNeeded: try integer("PRAGMA application_id"))
        if found == 0, pages == 1, try integer("SELECT COUNT(*) FROM sqlite_schema") == 0 { return true }
        guard found == configuration.applicationID else {
            throw SQLiteError(foreignFile: found, path: path)
        }
        return try run("PRAGMA journal_mode", operation: "open the database") != .text("wal")
    }

    /// Sets up a new database. The caller holds the writer lock; another process may have done it in the meantime.
    private func setUp(_ configuration: DatabaseConfiguration) throws(SQLiteError) {
        guard try needsSetUp(configuration) else { return }
        if try integer("PRAGMA application_id") == 0 {
            // `auto_vacuum` alone would write the first page. One transaction, before the WAL, writes it with the id, so that no
            // other process and no crash finds a Siding file without it.
            for step in [
                "PRAGMA page_size = 8192", "BEGIN",
                // Free pages can then be given back in steps; it costs no measurable time (Docs/Operating.md).
                "PRAGMA auto_vacuum = INCREMENTAL", "PRAGMA application_id = \(configuration.applicationID)", "COMMIT",
            ] { try run(step, operation: "set up a new database") }
        }
        let mode = try run("PRAGMA journal_mode = WAL", operation: "switch to write-ahead logging")
        guard mode == .text("wal") else {
            throw SQLiteError(
                .other, "write-ahead logging is not possible there", operation: "set up the database", path: path)
        }
    }

    /// Tracks the WAL's length from each commit; until the first commit it is estimated from the file's size.
    private func watchWAL() throws(SQLiteError) {
        let pageSize = try integer("PRAGMA page_size")
        // Each frame is a page with a header of 24 bytes (sqlite.org/fileformat2.html, section 4.1).
        pagesInWAL = sizeOfWAL / Int(max(pageSize, 512) + 24)
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue().pagesInWAL = Int(pages)
                return SQLITE_OK
            }, context)
    }
}

/// Settings of every connection, independent of how SQLite was built.
///
/// Sources: sqlite.org/security.html, sqlite.org/c3ref/c_dbconfig_defensive.html, sqlite.org/pragma.html.
extension Connection {
    /// Applies settings that do not read the file, so that they hold before its content can have any effect.
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
        // Off would forbid the JSON functions in views and indexes; foreign views are detected by comparing the schema.
        (SQLITE_DBCONFIG_TRUSTED_SCHEMA, true),
        (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false),
        (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (SQLITE_DBCONFIG_ENABLE_VIEW, true),
        (SQLITE_DBCONFIG_DQS_DML, false),
        (SQLITE_DBCONFIG_DQS_DDL, false),
        // Short commands stay cheap, and -wal and -shm remain for readers that cannot create them.
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

    /// Applies the settings of a connection whose file was found to be a Siding database.
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
