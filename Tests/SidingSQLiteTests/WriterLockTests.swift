// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingSQLite

struct WriterLockTests {
    private let scratch = Scratch()

    private func counter(_ change: (inout DatabaseConfiguration) -> Void = { _ in }) async throws -> Database {
        let database = try await scratch.open(change)
        try await database.write { try $0.executeScript("CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY) STRICT") }
        return database
    }

    @Test func `two databases on one file write at once without a busy error`() async throws {
        let first = try await counter()
        let second = try await counter { $0.checkpointThreshold = 5 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for database in [first, second, first, second] {
                group.addTask { for _ in 0..<100 { try await database.write { try $0.insertNext() } } }
            }
            try await group.waitForAll()
        }
        #expect(try await first.integers("SELECT max(id), count(*) FROM t") == [400])
        #expect(try await first.check() == [])
    }

    @Test func `another process writes at the same time without a busy error`() async throws {
        let database = try await counter { $0.checkpointThreshold = 7 }
        async let child = #expect(processExitsWith: .success) { [path = scratch.database as String] in
            let database = try await Database.open(at: path)
            for round in 0..<200 {
                try await database.write { try $0.insertNext() }
                if round % 20 == 0 { try await database.checkpointIfNeeded(over: 0) }
            }
        }
        for _ in 0..<200 { try await database.write { try $0.insertNext() } }
        _ = await child
        #expect(
            try await database.integers("SELECT count(*) FROM t WHERE id = (SELECT max(id) FROM t) AND id = 400") == [1]
        )
        #expect(try await database.check() == [])
    }

    @Test func `the writer lock is held during a write and free after it, also after one that failed`() async throws {
        struct Stop: Error {}
        let database = try await counter()
        let path = scratch.database + ".writer"
        let isFree = try await database.write { _ in try tryLock(path) }
        #expect(!isFree)
        #expect(try tryLock(path))
        await #expect(throws: Stop.self) { try await database.write { _ in throw Stop() } }
        #expect(try tryLock(path))
        try await database.checkpointIfNeeded(over: 0)
        #expect(try tryLock(path))
    }

    @Test func `a wait that is too long names the process that holds the lock`() async throws {
        let database = try await counter { $0.writerLockTimeout = .milliseconds(20) }
        let lock = try hold(scratch.database + ".writer")
        let error = await failure { try await database.write { try $0.insertNext() } }
        #expect(error?.kind == .busy)
        #expect(error?.message.contains("held by process \(getpid()) (") == true, "\(String(describing: error))")
        lock.remove()
    }

    @Test func `cancelling a task ends its wait for the writer lock`() async throws {
        let database = try await counter { $0.writerLockTimeout = .seconds(600) }
        let lock = try hold(scratch.database + ".writer")
        let task = Task { await failure { try await database.write { try $0.insertNext() } } }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        lock.remove()
    }

    @Test func `a cancelled task can still write what it must give back`() async throws {
        let database = try await counter()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure { try await database.write { try $0.insertNext() } }
        }
        task.cancel()
        #expect(await task.value == nil)
        #expect(try await database.integers("SELECT count(*) FROM t") == [1])
    }

    @Test func `a removed lock file does not let two writers in`() async throws {
        let database = try await counter()
        let path = scratch.database + ".writer"
        unlink(path)
        let isFree = try await database.write { transaction in
            try transaction.insertNext()
            return try tryLock(path)
        }
        #expect(!isFree)
    }

    /// The kernel drops all locks of a process on a file when it closes any descriptor of that file.
    @Test(.enabled(if: shell != nil, "needs the sqlite3 shell on the PATH"))
    func `opening the file again in this process does not drop the locks of a write in progress`() async throws {
        let database = try await counter()
        try await database.write { transaction in
            try transaction.insertNext()
            // Everything that this library does with a file, by the parts that do it.
            let file = try DatabaseFile(at: scratch.database, createDirectory: true)
            try file.checkSafety(allowsNetworkFileSystem: false)
            try file.createIfMissing()
            try FileHeader(ofFileAt: file.path).check(
                applicationID: DatabaseConfiguration.sidingApplicationID, path: file.path)
            try Connection.openReader(file, DatabaseConfiguration()).close()
            #expect(file.size != 0)
            // The lock of the write lies on -shm; the one on the file itself keeps others from ending the WAL.
            #expect(isBusy("BEGIN IMMEDIATE", elsewhereOn: scratch.database))
            #expect(isBusy("PRAGMA journal_mode = DELETE", elsewhereOn: scratch.database))
        }
        #expect(!isBusy("BEGIN IMMEDIATE", elsewhereOn: scratch.database))
    }
}

extension Transaction {
    /// Fails if another writer gets between reading and writing.
    fileprivate func insertNext() throws {
        let last = try first("SELECT max(id) FROM t") { $0.int(0) } ?? 0
        try execute("INSERT INTO t(id) VALUES (?)", last + 1)
    }
}

private func tryLock(_ path: String) throws -> Bool {
    guard let lock = try FileLock.tryAcquire(path) else { return false }
    return lock.path == path
}

private let shell = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { String($0) + "/sqlite3" }.first { access($0, X_OK) == 0 }

/// Whether SQLite in another process finds the database locked against this: 5 is SQLITE_BUSY.
private func isBusy(_ sql: String, elsewhereOn path: String) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: shell ?? "")
    process.arguments = [path, sql]
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 5
}
