// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Dispatch
import Testing

@testable import SidingSQLite

struct CheckpointTests {
    private let scratch = Scratch()

    private func filled(threshold: Int) async throws -> Database {
        let database = try await scratch.open { $0.checkpointThreshold = threshold }
        try await database.write { try $0.executeScript("CREATE TABLE t(body BLOB) STRICT") }
        return database
    }

    private func write(_ pages: Int, to database: Database) async throws {
        try await database.write { _ = try $0.execute("INSERT INTO t VALUES (zeroblob(?))", pages * 8_192) }
    }

    @Test func `SQLite makes no checkpoint of its own on any connection`() async throws {
        let database = try await filled(threshold: 1_000_000)
        for _ in 0..<3 { try await write(700, to: database) }
        #expect(await database.walBytes > 2_100 * 8_192)
        let other = try await scratch.open { $0.checkpointThreshold = 1_000_000 }
        try await write(1, to: other)
        await other.close()
        await database.close()
        let third = try await scratch.open()
        #expect(await third.walBytes > 2_101 * 8_192)
        #expect(try await third.integers("SELECT count(*) FROM t") == [4])
    }

    @Test func `a commit past the threshold empties the WAL`() async throws {
        let database = try await filled(threshold: 50)
        try await write(20, to: database)
        #expect(await database.walBytes > 20 * 8_192)
        try await write(40, to: database)
        #expect(await database.walBytes == 0)
        try await write(1, to: database)
        #expect(await database.walBytes > 0)
    }

    @Test func `a checkpoint is made when it is needed, and not before`() async throws {
        let database = try await filled(threshold: 1_000)
        try await write(20, to: database)
        #expect(try await database.checkpointIfNeeded() == .notNeeded)
        #expect(try await database.checkpointIfNeeded(over: 1_000) == .notNeeded)
        #expect(try await database.checkpointIfNeeded(over: 10) == .done)
        #expect(await database.walBytes == 0)
        #expect(try await database.checkpointIfNeeded(over: 0) == .notNeeded)
    }

    @Test func `the WAL of an earlier process counts`() async throws {
        let earlier = try await filled(threshold: 1_000)
        try await write(60, to: earlier)
        await earlier.close()
        let database = try await scratch.open { $0.checkpointThreshold = 50 }
        #expect(try await database.checkpointIfNeeded() == .done)
    }

    @Test func `a checkpoint that may not wait leaves the WAL to the present writer`() async throws {
        let database = try await filled(threshold: 1_000)
        try await write(5, to: database)
        let writer = try hold(scratch.database + ".writer")
        #expect(try await database.checkpointIfNeeded(over: 0, waits: false) == .busy)
        #expect(await database.walBytes > 5 * 8_192)
        _ = consume writer
        #expect(try await database.checkpointIfNeeded(over: 0, waits: false) == .done)
        #expect(await database.walBytes == 0)
    }

    @Test func `behind a reader a checkpoint gives up at once, and later works`() async throws {
        let database = try await filled(threshold: 1_000)
        try await write(5, to: database)
        let reader = try await DatabaseReader.open(at: scratch.database)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let hold = DispatchSemaphore(value: 0)
        let reading = Task {
            try await reader.read { snapshot in
                let count = try snapshot.first("SELECT count(*) FROM t") { $0.int(0) }
                start.yield()
                hold.wait()
                return try snapshot.first("SELECT count(*) FROM t") { $0.int(0) } == count
            }
        }
        for await _ in started { break }
        try await write(5, to: database)
        #expect(try await database.checkpointIfNeeded(over: 0) == .busy)
        #expect(try await database.integers("PRAGMA busy_timeout") == [5_000])
        try await write(1, to: database)
        hold.signal()
        #expect(try await reading.value, "the reader saw one moment throughout")
        #expect(try await database.checkpointIfNeeded(over: 0) == .done)
        #expect(try await database.integers("SELECT count(*) FROM t") == [3])
    }

    @Test func `a commit counts although its checkpoint finds a reader`() async throws {
        let database = try await filled(threshold: 10)
        let reader = try await DatabaseReader.open(at: scratch.database)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let hold = DispatchSemaphore(value: 0)
        let reading = Task {
            try await reader.read { snapshot in
                _ = try snapshot.first("SELECT count(*) FROM t") { $0.int(0) }
                start.yield()
                hold.wait()
            }
        }
        for await _ in started { break }
        for _ in 0..<5 { try await write(20, to: database) }
        #expect(await database.walBytes > 100 * 8_192)
        hold.signal()
        try await reading.value
        try await write(20, to: database)
        #expect(await database.walBytes == 0)
        #expect(try await database.integers("SELECT count(*) FROM t") == [6])
    }
}
