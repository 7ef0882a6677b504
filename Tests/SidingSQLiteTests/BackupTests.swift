// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingSQLite

struct BackupTests {
    private let scratch = Scratch()

    private func filled(_ rows: Int) async throws -> Database {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT) STRICT; PRAGMA user_version = 4")
            var insert = try transaction.prepare("INSERT INTO t(body) VALUES (printf('%.*c', 500, 'x'))")
            for _ in 0..<rows { try insert.step() }
        }
        return database
    }

    @Test func `a copy is one sound file with all rows, the id and the version`() async throws {
        let database = try await filled(1_000)
        try await database.backup(to: scratch.file("copies/copy.db"))
        #expect(scratch.names == ["copies", "store.db", "store.db-shm", "store.db-wal", "store.db.writer"])
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.file("copies"))
        #expect(names == ["copy.db"])
        let copy = try await Database.open(at: scratch.file("copies/copy.db"))
        #expect(try await copy.integers("SELECT count(*) FROM t") == [1_000])
        #expect(try await copy.integers("PRAGMA user_version") == [4])
        #expect(try await copy.check() == [])
    }

    @Test func `a copy made during writes holds all that was written before it began`() async throws {
        let database = try await filled(5_000)
        let writing = Task {
            while !Task.isCancelled {
                try await database.write { _ = try $0.execute("INSERT INTO t(body) VALUES (printf('%.*c', 500, 'y'))") }
            }
        }
        for number in 1...5 {
            let before = try await database.integers("SELECT count(*) FROM t")[0]
            try await database.backup(to: scratch.file("copy\(number).db"))
            let copy = try await DatabaseReader.open(at: scratch.file("copy\(number).db"))
            #expect(try await copy.read { try $0.first("SELECT count(*) FROM t") { $0.int(0) } } ?? 0 >= before)
            #expect(try await copy.check(quick: false) == [])
        }
        writing.cancel()
        _ = await writing.result
    }

    @Test func `a file that is there is not replaced`() async throws {
        let database = try await filled(1)
        try "precious".write(toFile: scratch.file("copy.db"), atomically: false, encoding: .utf8)
        let error = await failure { try await database.backup(to: scratch.file("copy.db")) }
        #expect(error?.kind == .cannotOpen)
        #expect(try String(contentsOfFile: scratch.file("copy.db"), encoding: .utf8) == "precious")
    }

    @Test func `files left by a killed copy are deleted by the next one`() async throws {
        let database = try await filled(1_000)
        for suffix in ["", "-journal", "-wal", "-shm"] {
            let path = scratch.file("copy.db.partial\(suffix)")
            try String(repeating: "left behind ", count: 1_000).write(toFile: path, atomically: false, encoding: .utf8)
        }
        try await database.backup(to: scratch.file("copy.db"))
        #expect(scratch.names.filter { $0.hasPrefix("copy") } == ["copy.db"])
        let copy = try await Database.open(at: scratch.file("copy.db"))
        #expect(try await copy.integers("SELECT count(*) FROM t") == [1_000])
    }

    @Test func `a copy that is cancelled leaves nothing behind`() async throws {
        let database = try await filled(1)
        let target = scratch.file("copy.db")
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await failure { try await database.backup(to: target) }
        }
        task.cancel()
        #expect(await task.value?.kind == .cancelled)
        #expect(!scratch.names.contains { $0.hasPrefix("copy") })
    }

    @Test func `a check finds rows that refer to missing rows`() async throws {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                "CREATE TABLE p(id INTEGER PRIMARY KEY) STRICT; CREATE TABLE c(p INTEGER REFERENCES p(id)) STRICT")
        }
        #expect(try await database.check(quick: true) == [])
        await database.close()
        try foreignProgram(scratch.database, "INSERT INTO c VALUES (7)")
        #expect(try await scratch.open().check() == ["c: row 1 refers to a row of p that is missing"])
    }
}
