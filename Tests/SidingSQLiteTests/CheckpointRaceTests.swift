// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Testing

@testable import SidingSQLite

/// The WAL-reset race (sqlite.org/wal.html, "WAL-reset bug"; SQLite 3.7.0 to 3.51.2): a checkpoint has read where the WAL
/// ends, and before it reads how much of that is in the database, a commit begins the WAL anew. The checkpoint then notes
/// as done what it has not done, and later commits are lost.
@Suite(.serialized)
struct CheckpointRaceTests {
    private let scratch = Scratch()
    private static let rows = 40

    /// A store whose WAL is in the database as a whole, which makes the next commit begin it anew, and a connection that
    /// has not seen the latest commits, which makes its checkpoint read the WAL's header again.
    private func ready() async throws -> (checkpointer: Database, committer: Committer) {
        let checkpointer = try await scratch.open { $0.checkpointThreshold = 1_000_000 }
        try await checkpointer.write { try $0.executeScript("CREATE TABLE t(n INTEGER, body BLOB) STRICT") }
        let committer = try Committer(scratch.database)
        for number in 1...Self.rows { #expect(committer.insert(number)) }
        #expect(committer.copyAll())
        return (checkpointer, committer)
    }

    /// What is wrong with the file, as a program sees that opens it after everyone has gone.
    private func damage(expecting count: Int) async -> [String] {
        do {
            let database = try await scratch.open()
            let rows = try await database.integers("SELECT count(*) FROM t")
            let found = try await database.check()
            await database.close()
            return rows == [Int64(count)] ? found : found + ["\(rows) rows in place of \(count)"]
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `no commit falls between a checkpoint's look at the WAL and its work`() async throws {
        let (checkpointer, committer) = try await ready()
        let lock = scratch.database + ".writer"
        let window = try await checkpointer.window {
            WindowVisit(
                committed: committer.insert(Self.rows + 1),
                tookWriterLock: isFree(lock))
        }
        // So that there is something to do: this is the commit of the one who makes the checkpoint.
        #expect(try await checkpointer.checkpointIfNeeded(over: 0) == .done)
        let visit = try #require(window.visit, "the checkpoint did not come by")
        #expect(!visit.committed, "SQLite's own write lock was free")
        #expect(!visit.tookWriterLock, "the writer lock was free")
        #expect(committer.insert(Self.rows + 1))
        committer.close()
        await checkpointer.close()
        #expect(await damage(expecting: Self.rows + 1) == [])
    }

    @Test func `with the checkpoints that SQLite makes by itself, one does, and commits are lost`() async throws {
        let (checkpointer, committer) = try await ready()
        let window = try await checkpointer.window {
            WindowVisit(committed: committer.insert(Self.rows + 1), tookWriterLock: false)
        }
        #expect(try await checkpointer.passiveCheckpoint() == SQLITE_OK)
        #expect(try #require(window.visit).committed, "the window is where the race was")
        committer.close()
        // A program that comes later believes what is noted, and builds on pages as they were before the latest commits.
        for number in 2...10 {
            let later = try Committer(scratch.database)
            _ = later.insert(Self.rows + number)
            later.close()
        }
        await checkpointer.close()
        let damage = await damage(expecting: Self.rows + 10)
        #expect(damage.isEmpty == Self.isMended, "\(damage)")
    }

    /// Whether this SQLite has the mending: 3.51.3, and what was carried back to older lines.
    private static var isMended: Bool {
        switch sqlite3_libversion_number() {
        case 3_044_006..<3_045_000, 3_050_007..<3_051_000, 3_051_003...: true
        default: false
        }
    }
}

/// A program that knows nothing of the writer lock, and waits for nobody.
private final class Committer: @unchecked Sendable {
    private let connection: Connection

    init(_ path: String) throws {
        connection = try Connection(opening: path, role: .writer)
        try connection.harden(DatabaseConfiguration())
        connection.setBusyTimeout(.zero)
    }

    /// Whether SQLite took the commit.
    func insert(_ number: Int) -> Bool {
        sqlite3_exec(
            connection.handle, "INSERT INTO t VALUES (\(number), zeroblob(9000))", nil, nil, nil) == SQLITE_OK
    }

    /// Copies the WAL into the database, and lets it stand.
    func copyAll() -> Bool {
        sqlite3_wal_checkpoint_v2(connection.handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil) == SQLITE_OK
    }

    func close() { connection.close() }
}

private func isFree(_ path: String) -> Bool {
    guard let lock = try? FileLock.tryAcquire(path) else { return false }
    _ = consume lock
    return true
}

/// What came of a visit to the window.
private struct WindowVisit: Sendable {
    let committed: Bool
    let tookWriterLock: Bool
}

/// The moment between a checkpoint's two looks: there SQLite gives mapped pages back (`xUnfetch` of the database file),
/// where the WAL's header has changed.
private final class CheckpointWindow: Sendable {
    typealias Method =
        @convention(c) (UnsafeMutablePointer<sqlite3_file>?, sqlite3_int64, UnsafeMutableRawPointer?)
        -> Int32
    private struct State {
        var body: (@Sendable () -> WindowVisit)?
        var visit: WindowVisit?
        var methods: UnsafeMutablePointer<sqlite3_io_methods>
        var original: Method?
    }

    /// The window that is open: a C function has no other way to know it.
    private nonisolated(unsafe) static var current: State?

    var visit: WindowVisit? { Self.current?.visit }

    init(_ connection: Connection, _ body: @escaping @Sendable () -> WindowVisit) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        guard let file, let original = file.pointee.pMethods else { return }
        methods.initialize(to: original.pointee)
        Self.current = State(body: body, methods: methods, original: original.pointee.xUnfetch)
        methods.pointee.xUnfetch = { file, offset, page in
            if let body = CheckpointWindow.current?.body {
                CheckpointWindow.current?.body = nil
                CheckpointWindow.current?.visit = body()
            }
            return CheckpointWindow.current?.original?(file, offset, page) ?? SQLITE_OK
        }
        file.pointee.pMethods = UnsafePointer(methods)
    }
}

extension Database {
    /// Runs `body` once in the next checkpoint's window.
    fileprivate func window(_ body: @escaping @Sendable () -> WindowVisit) throws -> CheckpointWindow {
        CheckpointWindow(try openConnection(), body)
    }

    /// A checkpoint as `wal_autocheckpoint` makes it.
    fileprivate func passiveCheckpoint() throws -> Int32 {
        sqlite3_wal_checkpoint_v2(try openConnection().handle, "main", SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
