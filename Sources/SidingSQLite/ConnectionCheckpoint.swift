import CSQLite
import Glibc

extension Connection {
    /// Bytes of the WAL file. `stat` opens nothing, so it is safe beside an open connection.
    var sizeOfWAL: Int {
        var status = stat()
        return lstat(path + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Moves the WAL into the database file; the caller holds the writer lock.
    ///
    /// Only TRUNCATE: it takes SQLite's own write lock, so that no commit overlaps it, where PASSIVE does not. It waits
    /// for nobody: behind a reader it would hold up all writers.
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
