// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingSQLite

struct DamageTests {
    private let scratch = Scratch()

    @Test(.enabled(if: geteuid() == 0, "only root can mount a small file system"))
    func `on a full disk the error is clear, the stored rows stay, and writing continues when there is space`()
        async throws
    {
        let small = scratch.file("small")
        mkdir(small, 0o700)
        try #require(mount("tmpfs", small, "tmpfs", 0, "size=400k") == 0, "this system does not let root mount a tmpfs")
        defer { umount2(small, Int32(MNT_DETACH)) }
        let database = try await Database.open(at: small + "/store.db")
        try await database.write { try $0.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY, body BLOB) STRICT") }
        var kept = 0
        var error: SQLiteError?
        while error == nil, kept < 1_000 {
            error = await failure {
                try await database.write { _ = try $0.execute("INSERT INTO t(body) VALUES (zeroblob(5000))") }
            }
            if error == nil { kept += 1 }
        }
        #expect(kept > 5 && kept < 100)
        #expect(error?.kind == .full, "\(String(describing: error))")
        #expect(error?.description.contains("Free space") == true)
        #expect(try await database.integers("SELECT count(*) FROM t") == [Int64(kept)])
        #expect(mount("tmpfs", small, "tmpfs", UInt(MS_REMOUNT), "size=8m") == 0)
        try await database.write { _ = try $0.execute("INSERT INTO t(body) VALUES (zeroblob(5000))") }
        #expect(try await database.integers("SELECT count(*) FROM t") == [Int64(kept) + 1])
        #expect(try await database.check() == [])
        await database.close()
    }

    @Test func `when the file may not grow, the transaction that did not fit is undone as a whole`() async throws {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript(
                "CREATE TABLE t(body BLOB) STRICT; INSERT INTO t VALUES (zeroblob(10)); PRAGMA max_page_count = 12")
        }
        let error = await failure {
            try await database.write { transaction in
                for _ in 0..<100 { try transaction.execute("INSERT INTO t VALUES (zeroblob(5000))") }
            }
        }
        #expect(error?.symbol == "SQLITE_FULL")
        #expect(error?.kind == .full)
        #expect(try await database.integers("SELECT count(*) FROM t") == [1])
        #expect(try await database.check() == [])
    }

    private func sound() async throws -> [UInt8] {
        let database = try await scratch.open()
        try await database.write { transaction in
            try transaction.executeScript("CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT UNIQUE) STRICT")
            for id in 0..<40 {
                try transaction.execute("INSERT INTO t VALUES (?, printf('%.*c', 400, char(65 + ?)))", id, id)
            }
        }
        try await database.checkpointIfNeeded(over: 0)
        await database.close()
        return Array(try Data(contentsOf: URL(fileURLWithPath: scratch.database)))
    }

    /// Opens, checks and reads a damaged file: an error or a finding is right, a crash or other rows are not.
    private func outcome(of bytes: [UInt8], _ name: String) async throws -> (isNoticed: Bool, rows: Int64?) {
        let path = scratch.file(name)
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        defer { for suffix in ["", "-wal", "-shm", ".writer"] { unlink(path + suffix) } }
        do {
            let database = try await Database.open(at: path)
            let rows = try await database.integers("SELECT count(body) FROM t NOT INDEXED WHERE length(body) = 400")[0]
            let findings = try await database.check()
            await database.close()
            return (!findings.isEmpty, rows)
        } catch let error as SQLiteError {
            #expect(!error.description.isEmpty)
            return (true, nil)
        }
    }

    @Test func `a flipped byte is noticed or does no harm`() async throws {
        let sound = try await sound()
        let places = Array(0..<100) + Array(stride(from: 100, to: sound.count, by: 211))
        var noticed = 0
        for place in places {
            var bytes = sound
            bytes[place] ^= 0xFF
            let outcome = try await outcome(of: bytes, "flipped.db")
            if outcome.isNoticed { noticed += 1 } else { #expect(outcome.rows == 40, "byte \(place)") }
        }
        #expect(noticed > 30)
    }

    @Test func `a file that was cut short is refused or found damaged`() async throws {
        let sound = try await sound()
        for length in stride(from: 1, to: sound.count, by: 4_096) {
            let outcome = try await outcome(of: Array(sound[..<length]), "short.db")
            #expect(outcome.isNoticed, "\(length) of \(sound.count) bytes")
        }
    }
}
