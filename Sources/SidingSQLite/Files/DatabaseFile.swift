// SPDX-License-Identifier: Apache-2.0
import CSQLite
internal import SidingSynchronization

/// The location of a database on disk, checked before SQLite opens it.
struct DatabaseFile {
    /// The directory's real path plus the file's name.
    let path: String
    private let operation = "open the database"

    /// Resolves symbolic links in the directory (service managers create some), but not the file itself.
    init(at path: String, createDirectory: Bool) throws(SQLiteError) {
        let name = FileSystem.split(path).name
        guard !name.isEmpty, name != ".", name != "..", !path.utf8.contains(0) else {
            throw SQLiteError(.cannotOpen, "the path does not name a file", operation: operation, path: path)
        }
        let directory = FileSystem.parent(of: path)
        if createDirectory { try Self.create(directory, operation: operation) }
        guard let resolved = realpath(directory, nil) else {
            throw SQLiteError(errno: errno, operation: operation, path: path)
        }
        defer { free(resolved) }
        let real = String(cString: resolved)
        self.path = real == "/" ? "/\(name)" : "\(real)/\(name)"
    }

    var writerLockPath: String { path + ".writer" }

    /// The file's size in bytes; nil if it does not exist. `lstat` opens no file, so it is safe beside an open connection.
    var size: Int? { status.map { Int($0.st_size) } }

    /// Tells the file apart from another one at the same path.
    struct Identity: Equatable, Sendable {
        let device: dev_t
        let inode: ino_t
    }

    /// Nil if the file does not exist.
    var identity: Identity? { status.map { Identity(device: $0.st_dev, inode: $0.st_ino) } }

    /// What a write into the file changes, such as one of a checkpoint.
    struct Content: Equatable {
        let identity: Identity
        let size: off_t
        let seconds: Int
        let nanoseconds: Int
    }

    /// Nil if the file does not exist.
    var content: Content? {
        status.map {
            Content(
                identity: Identity(device: $0.st_dev, inode: $0.st_ino), size: $0.st_size,
                seconds: $0.st_mtim.tv_sec, nanoseconds: $0.st_mtim.tv_nsec)
        }
    }

    private var status: stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    /// Creates a directory that only its owner can enter, unless there is one.
    static func create(_ directory: String, operation: String) throws(SQLiteError) {
        do { try FileSystem.createPrivateDirectory(directory) } catch {
            throw SQLiteError(errno: error.code, operation: operation, path: directory)
        }
    }

    /// Whether this user may write the file whatever it contains: SQLite gives what root makes beside it to its owner.
    var isOurs: Bool { geteuid() == 0 || status.map { $0.st_uid == geteuid() } ?? true }

    /// Rejects files that another user could replace, and file systems without reliable locks.
    ///
    /// - Parameter isReading: accepts a file of another user, who lets this one read it.
    func checkSafety(
        allowsNetworkFileSystem: Bool, isReading: Bool = false, fileSystemType: (String) -> Int = Self.fileSystemType
    ) throws(SQLiteError) {
        let directory = FileSystem.parent(of: path)
        var place = stat()
        guard stat(directory, &place) == 0 else { throw SQLiteError(errno: errno, operation: operation, path: path) }
        if place.st_mode & S_IWOTH != 0, place.st_mode & S_ISVTX == 0 {
            throw unsafe("its directory is writable for everyone: chmod o-w \(directory)")
        }
        if let status { try checkFile(status, isReading) }
        if !allowsNetworkFileSystem, let name = NetworkFileSystem.name(ofType: fileSystemType(directory)) {
            throw SQLiteError(
                .networkFileSystem(name), "it lies on a network file system (\(name))", operation: operation, path: path
            )
        }
    }

    private func checkFile(_ status: stat, _ isReading: Bool) throws(SQLiteError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFLNK: throw unsafe("it is a symbolic link: give the path that it leads to")
        case S_IFDIR: throw SQLiteError(.cannotOpen, "it is a directory", operation: operation, path: path)
        default: throw unsafe("it is not a regular file")
        }
        guard isReading || status.st_uid == geteuid() else {
            throw unsafe(
                "it belongs to user \(status.st_uid), and this is user \(geteuid()): only its owner may write it, others may "
                    + "read what its mode lets them read")
        }
    }

    /// Rejects a file system that is mounted read-only. Other reasons show themselves when SQLite opens the file.
    func checkFileSystem() throws(SQLiteError) {
        for place in [path, FileSystem.parent(of: path)] where access(place, W_OK) != 0 && errno == EROFS {
            throw SQLiteError(errno: EROFS, operation: operation, path: path)
        }
    }

    /// Creates an empty file with mode 0600, whatever the umask, and closes it before SQLite opens it.
    ///
    /// SQLite gives its -wal and -shm files the mode of the database.
    func createIfMissing() throws(SQLiteError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            guard errno != EEXIST else { return }
            throw SQLiteError(errno: errno, operation: "create the database", path: path)
        }
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    private func unsafe(_ reason: String) -> SQLiteError {
        SQLiteError(.unsafeFile(reason), reason, operation: operation, path: path)
    }

    static func fileSystemType(of directory: String) -> Int {
        siding_file_system_type(directory)
    }
}

/// Recognizes file systems on which SQLite's locks and shared memory do not work (sqlite.org/howtocorrupt.html, section 2.1).
enum NetworkFileSystem {
    /// The name of a network file system by its `f_type` of `statfs(2)`; nil for a local one.
    ///
    /// FUSE is not listed: most of its file systems are local, and `f_type` does not distinguish them.
    static func name(ofType type: Int) -> String? {
        names[UInt32(truncatingIfNeeded: type)]
    }

    /// Source: linux/magic.h and the statfs(2) manual page.
    private static let names: [UInt32: String] = [
        0x0000_6969: "NFS", 0x0000_517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2", 0x0102_1997: "9p",
        0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x0000_564C: "NCP", 0x00C3_6400: "Ceph",
    ]
}
