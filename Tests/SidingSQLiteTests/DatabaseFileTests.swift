// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingSQLite

struct DatabaseFileTests {
    private let scratch = Scratch()

    @Test(arguments: [0o000, 0o022, 0o777] as [mode_t])
    func `files are 0600 and directories 0700 under any umask`(mask: mode_t) async {
        // The umask belongs to the process, so a child tries it.
        await #expect(processExitsWith: .success) { [mask = mask as mode_t, path = scratch.path as String] in
            umask(mask)
            let store = "\(path)/new/deep/store.db"
            let database = try await Database.open(at: store)
            try await database.write { try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY) STRICT") }
            try await database.backup(to: "\(path)/copies/copy.db")
            _ = try hold("\(path)/store.db.owners/one").path
            for name in ["", "-wal", "-shm", ".writer"] { #expect(mode(store + name) == "600") }
            for name in ["copies/copy.db", "store.db.owners/one"] { #expect(mode("\(path)/\(name)") == "600") }
            for name in ["new", "new/deep", "copies", "store.db.owners"] { #expect(mode("\(path)/\(name)") == "700") }
        }
    }

    @Test func `a slash is one by its byte, also before a combining accent`() async throws {
        let path = "\(scratch.path)/deep/\u{301}store.db"
        _ = try await Database.open(at: path)
        #expect(mode("\(scratch.path)/deep") == "700" && mode(path) == "600")
    }

    @Test func `a directory that everyone can write is refused, one with the sticky bit is not`() async throws {
        chmod(scratch.path, 0o777)
        let error = await failure { try await scratch.open() }
        guard case .unsafeFile? = error?.kind else { return #expect(error?.description == "unsafe file") }
        #expect(scratch.names == [])
        chmod(scratch.path, 0o1777)
        _ = try await scratch.open()
    }

    @Test func `a symbolic link in place of the file is refused, one on the way to it is followed`() async throws {
        let directory = scratch.file("real")
        mkdir(directory, 0o700)
        symlink(directory, scratch.file("way"))
        let database = try await Database.open(at: scratch.file("way/store.db"))
        #expect(database.path == directory + "/store.db")
        await database.close()

        symlink(directory + "/store.db", scratch.database)
        for open in [{ _ = try await scratch.open() }, { _ = try await DatabaseReader.open(at: scratch.database) }] {
            guard case .unsafeFile? = await failure(open)?.kind else {
                return #expect(Bool(false), "the link was followed")
            }
        }
    }

    @Test func `a link in place of the writer lock is refused`() async throws {
        try await scratch.open().close()
        unlink(scratch.database + ".writer")
        symlink(scratch.file("elsewhere"), scratch.database + ".writer")
        let database = try await scratch.open()
        let error = await failure { try await database.write { _ in } }
        #expect(error?.kind == .unsafeFile("symlink"))
        #expect(!scratch.names.contains("elsewhere"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `another user's file is refused for writing`() async throws {
        try await scratch.open().close()
        chown(scratch.database, 12_345, 12_345)
        let before = scratch.contents
        guard case .unsafeFile(let reason)? = await failure({ try await scratch.open() })?.kind else {
            return #expect(Bool(false), "the file was taken")
        }
        #expect(reason.contains("12345"))
        #expect(scratch.contents == before)
    }

    @Test(arguments: ["", "/", ".", "..", "/tmp/", "a\u{0}b"])
    func `a path that names no file is refused`(path: String) async {
        let error = await failure { try await Database.open(at: path) }
        #expect(error?.message == "the path does not name a file")
    }

    @Test func `a directory in place of the file is refused`() async {
        mkdir(scratch.database, 0o700)
        #expect(await failure { try await scratch.open() }?.kind == .cannotOpen)
    }

    @Test(arguments: [
        (0x6969, "NFS"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"), (0x517B, "SMB"), (0x0102_1997, "9p"),
    ])
    func `a network file system is refused unless it is allowed`(type: Int, name: String) throws {
        let file = try DatabaseFile(at: scratch.database, createDirectory: false)
        let error = #expect(throws: SQLiteError.self) {
            try file.checkSafety(allowsNetworkFileSystem: false, fileSystemType: { _ in type })
        }
        #expect(error?.kind == .networkFileSystem(name))
        try file.checkSafety(allowsNetworkFileSystem: true, fileSystemType: { _ in type })
    }

    @Test func `a local file system has a type, and it is not refused`() throws {
        let type = DatabaseFile.fileSystemType(of: scratch.path)
        #expect(type != 0)
        #expect(NetworkFileSystem.name(ofType: type) == nil)
        #expect(NetworkFileSystem.name(ofType: Int(Int32(bitPattern: 0xFF53_4D42))) == "CIFS")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `without permission the operating system's refusal is reported`() async throws {
        let directory = scratch.file("closed")
        mkdir(directory, 0o700)
        // Root may do everything, so a child gives that up.
        await #expect(processExitsWith: .success) { [path = directory as String] in
            setgid(65_534)
            setuid(65_534)
            for target in ["\(path)/store.db", "\(path)/deeper/store.db"] {
                let error = await failure { try await Database.open(at: target) }
                #expect(error?.kind == .permission)
                #expect(error?.description.contains("Permission denied") == true)
            }
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `a file without a log is read in an unwritable directory, and a write says why not`() async throws {
        try await scratch.open().close()
        for name in scratch.names { chown(scratch.file(name), 65_534, 65_534) }
        for name in ["-wal", "-shm", ".writer"] { unlink(scratch.database + name) }
        chmod(scratch.path, 0o755)
        await #expect(processExitsWith: .success) { [path = scratch.database as String] in
            setgid(65_534)
            setuid(65_534)
            let writing = await failure { try await Database.open(at: path).write { _ in } }
            #expect(writing?.kind == .readOnly, "\(String(describing: writing))")
            let found = try await DatabaseReader.open(at: path).read {
                try $0.query("SELECT 1 FROM sqlite_schema") { $0.int(0) }
            }
            #expect(found == [])
        }
        #expect(scratch.names == ["store.db"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func
        `what was read without locks from a file that was written meanwhile is refused, and the next read opens it anew`()
        async throws
    {
        try await scratch.open().close()
        for name in scratch.names { chown(scratch.file(name), 65_534, 65_534) }
        for name in ["-wal", "-shm", ".writer"] { unlink(scratch.database + name) }
        chmod(scratch.path, 0o755)
        await #expect(processExitsWith: .success) { [path = scratch.database as String] in
            setgid(65_534)
            setuid(65_534)
            let reader = try await DatabaseReader.open(at: path)
            for size in [1 << 20, 2 << 20] as [off_t] {
                let error = await failure {
                    try await reader.read {
                        _ = try $0.query("SELECT 1 FROM sqlite_schema") { $0.int(0) }
                        // As a checkpoint makes the file longer.
                        truncate(path, size)
                    }
                }
                #expect(error?.kind == .busy, "\(String(describing: error))")
                #expect(try await reader.read { try $0.query("SELECT 1 FROM sqlite_schema") { $0.int(0) } } == [])
            }
            let error = await failure {
                try await Inspection(of: path).run(
                    "SELECT 1", columns: { _ in _ = truncate(path, 3 << 20) }, row: { _ in })
            }
            #expect(error?.kind == .busy, "\(String(describing: error))")
        }
    }

    // MARK: Files of other users

    /// Reads the table `t` as another user, in a process of its own.
    private func expectOthersRead(_ rows: [Int64]) async {
        await #expect(processExitsWith: .success) { [path = scratch.database as String, rows = rows as [Int64]] in
            setgid(65_534)
            setuid(65_534)
            let reader = try await DatabaseReader.open(at: path)
            #expect(try await reader.read { try $0.query("SELECT id FROM t ORDER BY id") { $0.int(0) } } == rows)
            #expect(try await reader.check(quick: false) == [])
        }
    }

    /// A database that others may read, in a directory in which they may make files.
    private func shared() async throws -> Database {
        chmod(scratch.path, 0o1777)
        let database = try await scratch.open()
        try await database.write {
            try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY) STRICT; INSERT INTO t VALUES (1)")
        }
        for suffix in ["", "-wal", "-shm"] { chmod(scratch.database + suffix, 0o644) }
        return database
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
    func `another user reads beside the writer, after it, and without its log, and makes no file`() async throws {
        let database = try await shared()
        let names = scratch.names
        await expectOthersRead([1])
        try await database.write { _ = try $0.execute("INSERT INTO t VALUES (2)") }
        await expectOthersRead([1, 2])
        await database.close()
        await expectOthersRead([1, 2])
        #expect(scratch.names == names)

        let again = try await scratch.open()
        #expect(try await again.checkpointIfNeeded(over: 0) == .done)
        await again.close()
        await expectOthersRead([1, 2])
        for suffix in ["-shm", "-wal"] {
            unlink(scratch.database + suffix)
            await expectOthersRead([1, 2])
        }
        #expect(scratch.names == ["store.db", "store.db.writer"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become another user"), arguments: ["-wal", "-shm"])
    func `another user is not shown a file without the changes in its log`(suffix: String) async throws {
        try await shared().close()
        chmod(scratch.database + suffix, 0o600)
        await expectOthersFail(isDenied: true, naming: "store.db\(suffix)")
        unlink(scratch.database + "-shm")
        await expectOthersFail(isDenied: false, naming: "store.db-wal")
    }

    private func expectOthersFail(isDenied: Bool, naming name: String) async {
        await #expect(processExitsWith: .success) {
            [path = scratch.database as String, name = name as String, isDenied = isDenied as Bool] in
            setgid(65_534)
            setuid(65_534)
            let error = await failure { try await DatabaseReader.open(at: path) }
            #expect(error?.kind == (isDenied ? .permission : .readOnly), "\(String(describing: error))")
            #expect(error?.description.contains(name) == true && error?.description.contains("backup") == true)
        }
    }

    @Test(arguments: ["plain.db", "with space?&#%20.db", "ü.db"])
    func `the address of a file names that file`(name: String) {
        let path = "/tmp/deep er/\(name)"
        #expect(ReadingMode.plain.name(of: path) == path)
        let address = ReadingMode.immutable.name(of: path)
        #expect(address.hasPrefix("file:///tmp/deep%20er/") && address.hasSuffix(".db?immutable=1"))
        #expect(address.count { $0 == "?" } == 1 && !address.contains("#") && !address.contains("&"))
    }
}
