import Foundation
import Testing

@testable import SidingSQLite

struct DatabaseFileTests {
    private let scratch = Scratch()

    @Test(arguments: [0o000, 0o022, 0o777] as [mode_t])
    func `files are 0600 and directories 0700 whatever the umask`(mask: mode_t) async {
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
    func `another user's file is refused`() async throws {
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
    func `a network file system is refused unless it is asked for`(type: Int, name: String) throws {
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
    func `without permission the operating system's refusal is told`() async throws {
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
    func `in a read-only directory nothing is written and the error says why`() async throws {
        try await scratch.open().close()
        for name in scratch.names { chown(scratch.file(name), 65_534, 65_534) }
        for name in ["-wal", "-shm", ".writer"] { unlink(scratch.database + name) }
        chmod(scratch.path, 0o755)
        await #expect(processExitsWith: .success) { [path = scratch.database as String] in
            setgid(65_534)
            setuid(65_534)
            let writing = await failure { try await Database.open(at: path).write { _ in } }
            #expect(writing?.kind == .readOnly, "\(String(describing: writing))")
            let reading = await failure {
                try await DatabaseReader.open(at: path).read {
                    try $0.query("SELECT 1 FROM sqlite_schema") { $0.int(0) }
                }
            }
            #expect(reading?.kind == .readOnly, "\(String(describing: reading))")
            #expect(reading?.description.contains("backup") == true)
        }
        #expect(scratch.names == ["store.db"])
    }
}
