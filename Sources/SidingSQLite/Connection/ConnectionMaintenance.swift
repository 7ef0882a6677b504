// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

extension Connection {
    /// Copies the database, as this connection sees it, to a new file; under a temporary name until it is complete.
    ///
    /// The copy is a single file without a WAL, so that it can be read from a read-only medium.
    func backup(to destination: String) throws(SQLiteError) {
        let operation = "back up to \(destination)"
        let target = try DatabaseFile(at: destination, createDirectory: true)
        let partial = try DatabaseFile(at: destination + ".partial", createDirectory: false)
        guard target.size == nil else {
            throw SQLiteError(.cannotOpen, "the file exists already", operation: operation, path: path)
        }
        // A copy that was killed leaves its files, and its journal would count as that of the new copy.
        Self.remove(partial)
        try partial.createIfMissing()
        do {
            try copy(to: partial.path, operation: operation)
            try publish(partial, as: target, operation: operation)
        } catch {
            Self.remove(partial)
            throw error
        }
    }

    private static func remove(_ copy: DatabaseFile) {
        for suffix in ["", "-journal", "-wal", "-shm"] { unlink(copy.path + suffix) }
    }

    private func copy(to path: String, operation: String) throws(SQLiteError) {
        let copy = try Connection(opening: path, role: .destination)
        defer { copy.close() }
        try copy.harden(DatabaseConfiguration())
        // One read transaction, so that commits of other connections do not restart the copy.
        try run("BEGIN", operation: operation)
        defer { _ = try? run("COMMIT", operation: operation) }
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, "main") else {
            throw copy.error(sqlite3_extended_errcode(copy.handle), operation)
        }
        var code = SQLITE_OK
        while code == SQLITE_OK, !Task.isCancelled { code = sqlite3_backup_step(backup, 1_000) }
        let finished = sqlite3_backup_finish(backup)
        guard code != SQLITE_OK else {
            throw SQLiteError(.cancelled, "the task was cancelled", operation: operation, path: self.path)
        }
        try checkUnchanged(operation)
        guard finished == SQLITE_OK else { throw copy.error(finished, operation) }
        try copy.run("PRAGMA journal_mode = DELETE", operation: operation)
    }

    /// Gives the finished copy its name.
    private func publish(
        _ partial: DatabaseFile, as target: DatabaseFile, operation: String
    ) throws(SQLiteError) {
        do {
            try FileSystem.moveWithoutReplacing(partial.path, to: target.path)
            try FileSystem.synchronizeDirectory(FileSystem.parent(of: target.path))
        } catch {
            throw SQLiteError(errno: error.code, operation: operation, path: path)
        }
    }

    /// Runs SQLite's integrity checks and returns the findings; empty if there are none.
    func findings(quick: Bool) throws(SQLiteError) -> [String] {
        var findings: [String] = []
        try eachRow("PRAGMA \(quick ? "quick_check" : "integrity_check")") { row in
            let finding = row.text(0)
            if finding != "ok" { findings.append(finding) }
        }
        try eachRow("PRAGMA foreign_key_check") { row in
            let rowID = row.optionalInt(1).map { "row \($0)" } ?? "a row"
            findings.append("\(row.text(0)): \(rowID) refers to a row of \(row.text(2)) that is missing")
        }
        try checkUnchanged("check the database")
        return findings
    }

    private func eachRow(_ sql: String, _ body: (borrowing Row) -> Void) throws(SQLiteError) {
        let statement = try prepare(sql)
        defer { giveBack(statement, for: sql) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: body(Row(of: statement))
            case SQLITE_DONE: return
            case let code: throw error(code, "check the database", sql: sql)
            }
        }
    }
}

extension Connection {
    /// The size of the WAL file in bytes. `stat` opens no file, so it is safe beside an open connection.
    var sizeOfWAL: Int {
        var status = stat()
        return lstat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Moves the WAL into the database file; the caller holds the writer lock.
    ///
    /// Always TRUNCATE: it takes SQLite's write lock, so that no commit overlaps it, which PASSIVE does not. It does not wait,
    /// as waiting for a reader would block all writers.
    func checkpoint(_ configuration: DatabaseConfiguration) throws(SQLiteError) -> CheckpointOutcome {
        sqlite3_busy_timeout(handle, 0)
        defer { setBusyTimeout(configuration.busyTimeout) }
        let code = sqlite3_wal_checkpoint_v2(handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
        switch code & 0xFF {
        case SQLITE_OK:
            pagesInWAL = 0
            return .done
        case SQLITE_BUSY, SQLITE_LOCKED:
            return .busy
        default:
            throw error(code, "checkpoint")
        }
    }
}
