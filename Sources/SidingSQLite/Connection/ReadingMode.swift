// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// How a connection that only reads opens a database. It leaves nothing beside the file that the file's owner could not write.
///
/// Sources: sqlite.org/wal.html, "Read-Only Databases"; sqlite.org/uri.html; `readonly_shm` is described in SQLite's `os_unix.c`.
enum ReadingMode {
    /// With the files beside it, which SQLite makes if they are missing.
    case plain
    /// With the files beside it, which are there: SQLite reads them and writes to none.
    case withoutWriting
    /// The file alone and without locks: it has no log, and no writer has it open. One may open it later, so each read ends with
    /// ``Connection/checkUnchanged(_:)``.
    case immutable

    /// - Throws: ``SQLiteError`` of kind `permission` if this user may not read the log, and `readOnly` if the log has changes that
    ///   only a user who may write beside the file can read.
    init(of file: DatabaseFile) throws(SQLiteError) {
        let (log, memory) = (file.path + "-wal", file.path + "-shm")
        let hasBoth = FileSystem.exists(log) && FileSystem.exists(memory)
        if file.isOurs, hasBoth || access(FileSystem.parent(of: file.path), W_OK) == 0 {
            self = .plain
        } else if hasBoth {
            for path in [log, memory] where access(path, R_OK) != 0 {
                throw SQLiteError(errno: errno, operation: "open the database", path: path)
            }
            self = .withoutWriting
        } else if FileSystem.size(log) == 0 {
            // A writer makes its shared memory before it writes anything, and empties its log when it has moved it into the file.
            self = .immutable
        } else {
            throw SQLiteError(
                .readOnly,
                "its newest changes are in \(FileSystem.split(log).name), and SQLite must make "
                    + "\(FileSystem.split(memory).name) beside it to read them",
                operation: "open the database", path: file.path)
        }
    }

    /// The file's name for sqlite3_open_v2.
    func name(of path: String) -> String {
        switch self {
        case .plain: path
        case .withoutWriting: Self.address(of: path) + "?readonly_shm=1"
        case .immutable: Self.address(of: path) + "?immutable=1"
        }
    }

    private static func address(of path: String) -> String {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return "file://" + parts.map { PercentCoding.encode(String($0) ?? "") }.joined(separator: "/")
    }
}

extension Connection {
    /// Whether another program has written into the file since it was opened without locks. A file in its place is another one:
    /// nobody writes into that which is open.
    var isOverwritten: Bool {
        guard let (file, before) = unlocked, let now = file.content, now.identity == before.identity else {
            return false
        }
        return now != before
    }

    /// Whether the file is to be opened anew before the next read: another program has written into it, or begun to.
    var isOutdated: Bool {
        get throws(SQLiteError) {
            guard let (file, before) = unlocked, file.identity == before.identity else { return false }
            if isOverwritten { return true }
            return try ReadingMode(of: file) != .immutable
        }
    }

    /// - Throws: ``SQLiteError`` of kind `busy` if what was read may be of different commits.
    func checkUnchanged(_ operation: String) throws(SQLiteError) {
        guard isOverwritten else { return }
        throw SQLiteError(
            .busy, "another program wrote into it meanwhile, and this user cannot lock it", operation: operation,
            path: path)
    }
}
