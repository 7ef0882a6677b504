internal import SidingSynchronization

/// File operations outside of SQLite, by path only. No other code of a process may open and close a database file that the
/// process has open in SQLite, as that drops its locks (https://sqlite.org/howtocorrupt.html §2.2).
enum DatabaseFiles {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func remove(_ path: String) { unlink(path) }

    /// Seconds since the file was modified; nil if there is none.
    static func age(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? time(nil) - status.st_mtim.tv_sec : nil
    }

    /// Whether the file holds a database. An empty file, as `touch` or `mktemp` leaves it, does not.
    static func holdsDatabase(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return exists(path) }
        return status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
    }

    /// The file's size in bytes; 0 if there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
