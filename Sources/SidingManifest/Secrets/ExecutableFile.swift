internal import SidingSynchronization

/// Checks whether a path is a program.
enum ExecutableFile {
    /// Whether `path` is a regular file that this user may run.
    static func isExecutable(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
}
