// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

/// The pages of a database file.
public struct DatabaseSpace: Sendable, Hashable {
    /// Bytes of a page.
    public var pageSize: Int
    /// All pages of the file, free ones included.
    public var pages: Int
    /// Pages that hold nothing.
    public var freePages: Int
    /// Whether free pages can be given back in steps. A file is made with or without it.
    public var isIncremental: Bool

    /// The bytes of the free pages, which new rows use before the file grows.
    public var freeBytes: Int { freePages * pageSize }
}

extension Snapshot {
    /// The pages of the file.
    public func space() throws -> DatabaseSpace {
        func number(_ sql: SQL) throws -> Int { Int(try first(sql) { $0.int(0) } ?? 0) }
        return DatabaseSpace(
            pageSize: try number("PRAGMA page_size"), pages: try number("PRAGMA page_count"),
            freePages: try number("PRAGMA freelist_count"),
            // 2 is INCREMENTAL (sqlite.org/pragma.html#pragma_auto_vacuum).
            isIncremental: try number("PRAGMA auto_vacuum") == 2)
    }

    /// The bytes of each table with its indexes, by the table's name; nil if this SQLite has no dbstat table
    /// (sqlite.org/dbstat.html). Reads every page.
    public func tableSizes() throws -> [String: Int]? {
        guard try first("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'", map: { _ in true }) ?? false else {
            return nil
        }
        var sizes: [String: Int] = [:]
        try forEach(
            """
            SELECT COALESCE(s.tbl_name, d.name) AS name, SUM(d.pgsize) AS bytes
            FROM dbstat AS d LEFT JOIN sqlite_schema AS s ON s.name = d.name WHERE d.aggregate = 1 GROUP BY 1
            """
        ) { sizes[try $0.text("name")] = Int(try $0.int("bytes")) }
        return sizes
    }
}

extension Transaction {
    /// Moves pages from the end of the file into free ones and cuts the end off; the next checkpoint shortens the file.
    ///
    /// - Parameter pages: how many pages at most.
    public func giveBack(pages: Int) throws(SQLiteError) {
        var statement = try prepare("PRAGMA incremental_vacuum(\(integer: Int64(pages)))")
        // Each step moves a page.
        while try statement.step() {}
    }
}

extension Database {
    /// Rewrites the whole file without its free pages, so that later ones can be given back in steps (VACUUM).
    ///
    /// Writers wait until it ends. It needs the size of its contents twice: in the directory of temporary files, and beside the file.
    /// - Throws: ``SQLiteError``: `busy` if other processes have the file open, `full` if there is not enough room.
    public func rewrite() throws(SQLiteError) {
        let configuration = configuration
        try withWriter { connection throws(SQLiteError) in
            let operation = "rewrite the file"
            let others = LockHolder.users(ofDatabase: connection.path)
            guard others.isEmpty else {
                throw SQLiteError(
                    .busy, "it is in use by \(others.joined(separator: ", "))", operation: operation,
                    path: connection.path)
            }
            try connection.checkRoom(operation)
            // VACUUM attaches its copy, which no other connection may (SQLITE_LIMIT_ATTACHED), and its copy is too large for memory.
            let maintenance = try Connection(opening: connection.path, role: .writer)
            defer { maintenance.close() }
            try maintenance.harden(configuration)
            try maintenance.configure(configuration, role: .writer)
            sqlite3_limit(maintenance.handle, SQLITE_LIMIT_ATTACHED, 1)
            try maintenance.run("PRAGMA auto_vacuum = INCREMENTAL", operation: operation)
            try maintenance.run("VACUUM", operation: operation)
            _ = try maintenance.checkpoint(configuration)
        }
    }
}

extension Connection {
    /// - Throws: ``SQLiteError`` of kind `full` if the file system has no room for another copy of the contents.
    fileprivate func checkRoom(_ operation: String) throws(SQLiteError) {
        let pages = try integer("PRAGMA page_count") - integer("PRAGMA freelist_count")
        let needed = Int(pages * (try integer("PRAGMA page_size")))
        var status = statvfs()
        guard statvfs(FileSystem.parent(of: path), &status) == 0 else { return }
        let free = Int(status.f_bavail) * Int(status.f_frsize)
        guard free < needed else { return }
        throw SQLiteError(
            .full, "a copy of its contents needs \(needed >> 20) MiB, and \(free >> 20) MiB are free",
            operation: operation, path: path)
    }
}
