#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The few things that are done with files beside SQLite, by name only: a database that a process has open must not be
/// opened and closed by anything else in it, or its locks are gone (https://sqlite.org/howtocorrupt.html §2.2).
enum DatabaseFiles {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func remove(_ path: String) { unlink(path) }

    /// Seconds since the file was written; nil where there is none.
    static func age(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? time(nil) - status.st_mtim.tv_sec : nil
    }

    /// Whether a database is there: a file without a byte is where one is to be made, as `touch` or `mktemp` leaves it.
    static func holdsDatabase(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return exists(path) }
        return status.st_mode & S_IFMT != S_IFREG || status.st_size > 0
    }

    /// The file's size in bytes; 0 where there is none.
    static func size(_ path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }
}
