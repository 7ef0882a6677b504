import Glibc

/// Directories that only their owner can enter.
enum PrivateDirectory {
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes the directory and those above it that are missing, with mode 0700 whatever the umask.
    static func create(at path: String, operation: String) throws(SQLiteError) {
        if mkdir(path, 0o700) == 0 {
            chmod(path, 0o700)
            return
        }
        switch errno {
        case EEXIST:
            return
        case ENOENT where path.contains("/") && path != "/":
            try create(at: parent(of: path), operation: operation)
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw SQLiteError(errno: errno, operation: operation, path: path)
            }
            chmod(path, 0o700)
        case let code:
            var status = stat()
            // Where a read-only or foreign directory stands already, making it fails in other ways than EEXIST.
            guard stat(path, &status) == 0 else { throw SQLiteError(errno: code, operation: operation, path: path) }
        }
    }
}
