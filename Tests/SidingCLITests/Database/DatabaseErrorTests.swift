// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized)
struct DatabaseErrorTests {
    private static var isRoot: Bool { geteuid() == 0 }

    /// Every command that opens the database ends with 74, in words and as one object.
    private func refusal(_ sandbox: Sandbox, _ commands: [[String]] = [["sync"], ["status"]]) async throws -> String {
        var said = ""
        for command in commands {
            let words = try await sandbox.siding(command)
            #expect(words.status == 74, "\(command)")
            #expect(words.output == "")
            #expect(words.error.hasPrefix("siding: "))
            said += words.error
            let object = try await sandbox.siding(command + ["--json"])
            #expect(object.status == 74, "\(command)")
            #expect(try object.object()["error"]?["code"] == .number(74))
        }
        return said
    }

    private func config(_ path: String, _ service: Service) -> String {
        service.config().replacing("path: test.db", with: "path: \(path)")
    }

    @Test func `a file in the place of the database's folder exits 74 and names the path`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        try sandbox.write("a file", to: "data")
        try sandbox.config(config("data/test.db", service))
        #expect(try await refusal(sandbox, [["sync"]]).contains("data"))
        #expect(service.targets == [])
    }

    @Test func `a folder in which nothing can be made exits 74 before any request`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        try sandbox.config(config("/proc/siding/test.db", service))
        #expect(try await refusal(sandbox, [["sync"]]).contains("/proc/siding"))
        #expect(service.targets == [])
    }

    @Test(.enabled(if: DatabaseErrorTests.isRoot, "mounting needs root"))
    func `a read-only file system exits 74 for sync, and stored records can still be read`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        try sandbox.config(config("disk/test.db", service))
        try await Mount.with(sandbox.file("disk"), options: "size=8m", in: sandbox) { disk in
            #expect(try await sandbox.siding("sync").status == 0)
            try await disk.remount("ro")
            #expect(try await refusal(sandbox, [["sync"]]).contains("disk/test.db): the file system is read-only."))
            #expect(try await sandbox.differences(from: service.items) == [])
        }
        await service.origin.stop()
    }

    @Test(.enabled(if: DatabaseErrorTests.isRoot, "mounting needs root"), arguments: [false, true])
    func `a copy on a read-only medium is read without the files beside it`(isBackup: Bool) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.sqlite(sandbox.file("test.db"), "PRAGMA wal_checkpoint(TRUNCATE);")
        try await Mount.with(sandbox.file("disk"), options: "size=8m", in: sandbox) { disk in
            let copy = sandbox.file("disk/test.db")
            if isBackup {
                #expect(try await sandbox.siding("db", "backup", copy).status == 0)
            } else {
                try FileManager.default.copyItem(atPath: sandbox.file("test.db"), toPath: copy)
            }
            try await disk.remount("ro")
            try sandbox.config(config("disk/test.db", service))
            for command in [
                ["status"], ["query", "select count(*) from items"], ["records", "list", "items"],
                ["export", "items"], ["runs", "list"], ["queue", "list"], ["db", "check"],
            ] {
                let outcome = try await sandbox.siding(command)
                #expect(outcome.status == 0, "\(command): \(outcome.error)")
            }
            #expect(try await sandbox.differences(from: service.items) == [])
            #expect(try await refusal(sandbox, [["sync"]]).contains("the file system is read-only"))
        }
        await service.origin.stop()
    }

    @Test func `a directory in the database's place exits 74`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        try sandbox.write("", to: "test.db/file")
        #expect(try await refusal(sandbox).contains("test.db"))
    }

    @Test func `a foreign SQLite file is refused and left as it was`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        try await sandbox.sqlite(sandbox.file("test.db"), "CREATE TABLE mine(a); INSERT INTO mine VALUES (1);")
        let before = try Data(contentsOf: URL(filePath: sandbox.file("test.db")))
        let said = try await refusal(sandbox)
        #expect(said.contains("test.db"))
        #expect(said.contains("another program"))
        #expect(try Data(contentsOf: URL(filePath: sandbox.file("test.db"))) == before)
        #expect(service.targets == [])
    }

    @Test(arguments: ["This is a text, not a database.\n", String(repeating: "no database ", count: 1_000)])
    func `a text file is refused and left as it was`(text: String) async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        try sandbox.write(text, to: "test.db")
        #expect(try await refusal(sandbox).contains("test.db"))
        #expect(try String(contentsOfFile: sandbox.file("test.db"), encoding: .utf8) == text)
    }

    @Test func `a database of a newer version is refused and left as it was`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.sqlite(sandbox.file("test.db"), "PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE);")
        let before = try Data(contentsOf: URL(filePath: sandbox.file("test.db")))
        let said = try await refusal(sandbox)
        #expect(said.contains("999"))
        #expect(said.contains("newer"))
        #expect(try Data(contentsOf: URL(filePath: sandbox.file("test.db"))) == before)
    }

    @Test func `a schema with an addition is refused, and the addition is named`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.sqlite(
            sandbox.file("test.db"),
            "CREATE TRIGGER planted AFTER INSERT ON siding_records_items BEGIN DELETE FROM siding_records_items; END;")
        #expect(try await refusal(sandbox).contains("planted"))
    }

    @Test func `db check reports a damaged database with 74`() async throws {
        let service = try await Service.start(items: 400, pageSize: 100)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        try await sandbox.sqlite(sandbox.file("test.db"), "PRAGMA wal_checkpoint(TRUNCATE);")
        let file = try FileHandle(forUpdating: URL(filePath: sandbox.file("test.db")))
        let size = try file.seekToEnd()
        try file.seek(toOffset: size / 2)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 8_192))
        try file.close()
        let outcome = try await sandbox.siding("db", "check")
        #expect(outcome.status == 74)
        #expect(outcome.everything != "")
    }

    @Test(.enabled(if: DatabaseErrorTests.isRoot, "mounting needs root"))
    func `a full disk exits 74, keeps the saved pages, and with room again the sync continues`() async throws {
        let service = try await Service.start(items: 4_000, pageSize: 100)
        let sandbox = try Sandbox()
        try sandbox.config(config("disk/test.db", service))
        try await Mount.with(sandbox.file("disk"), options: "size=1500k", in: sandbox) { disk in
            let full = try await sandbox.siding("sync")
            #expect(full.status == 74)
            #expect(full.error.contains("full"))
            #expect(try await sandbox.siding("status").output.contains("; the disk is full, with "))
            try await disk.remount("size=64m")
            #expect(try await sandbox.siding("db", "check").status == 0)
            let saved = try #require(try await sandbox.count())
            #expect(saved > 0 && saved < 4_000 && saved % 100 == 0, "whole pages: \(saved)")
            service.origin.forgetRequests()
            #expect(try await sandbox.siding("sync").status == 0)
            #expect(service.targets.count == 40 - saved / 100)
            #expect(try await sandbox.differences(from: service.items) == [])
        }
        await service.origin.stop()
    }

    @Test(.enabled(if: DatabaseErrorTests.isRoot, "mounting needs root"))
    func `on a disk that fills up, a write whose id was printed is stored and not sent, exit 75`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        try sandbox.config(
            service.config(source: "retry: { inline: 0 }").replacing("path: test.db", with: "path: disk/test.db"))
        try await Mount.with(sandbox.file("disk"), options: "size=1300k", in: sandbox) { disk in
            var stored = 0
            for _ in 0..<8 {
                let sent = try await sandbox.siding("send", "POST", "shop:/orders", "-d", "{}")
                if sent.output.isEmpty {
                    #expect(sent.status == 74 && sent.error.contains("full"), "\(sent.error)")
                } else {
                    stored += 1
                    let isTold = sent.error.contains("not sent")
                    #expect(isTold && (sent.status == 75 || sent.error.contains("is stored")), "\(sent.everything)")
                }
            }
            #expect(stored > 0 && stored < 8)
            #expect(!service.targets.contains("/orders"))
            let doctor = try await sandbox.siding("doctor")
            #expect(doctor.status == 74)
            #expect(doctor.output.contains("the disk is full, with "), "\(doctor.output)")
            try await disk.remount("size=64m")
            #expect(try await !sandbox.siding("doctor").output.contains("the disk is full"))
            _ = try await sandbox.siding("queue", "retry", "--all")
            #expect(service.targets.count { $0 == "/orders" } == stored)
        }
        await service.origin.stop()
    }

    @Test(.enabled(if: DatabaseErrorTests.isRoot, "mounting needs root"), arguments: ["24k", "80k", "140k"])
    func `a disk too small for an empty database exits 74, and with room the first sync works`(size: String)
        async throws
    {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        try sandbox.config(config("disk/test.db", service))
        try await Mount.with(sandbox.file("disk"), options: "size=\(size)", in: sandbox) { disk in
            #expect(try await refusal(sandbox, [["sync"]]).contains("Free space on that disk"))
            try await disk.remount("size=8m")
            #expect(try await sandbox.siding("sync").status == 0)
            #expect(try await sandbox.differences(from: service.items) == [])
        }
        await service.origin.stop()
    }

    @Test func `looking where nothing was stored yet exits 66 and says what to do`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        for command in [["status"], ["records", "list", "items"], ["queue", "list"], ["query", "select 1"]] {
            let outcome = try await sandbox.siding(command)
            #expect(outcome.status == 66)
            #expect(outcome.error.contains("'siding sync' makes it"))
        }
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("test.db")))
    }

    @Test func `database and lock files are for their owner alone`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        try sandbox.config(service.config().replacing("database: { path: test.db }", with: ""))
        #expect(try await sandbox.siding("sync").status == 0)
        let folder = sandbox.file(".local/state/siding")
        #expect(try permissions(folder) == 0o700)
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            #expect(try permissions("\(folder)/\(name)") & 0o077 == 0, "\(name)")
        }
        await service.origin.stop()
    }

    private func permissions(_ path: String) throws -> Int {
        try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }
}

/// A file system of its own for a test.
struct Mount {
    let path: String
    let sandbox: Sandbox

    /// Mounts a tmpfs at `path` while `work` runs.
    static func with(
        _ path: String, options: String, in sandbox: Sandbox, _ work: (Mount) async throws -> Void
    ) async throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let mount = Mount(path: path, sandbox: sandbox)
        try await mount.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "\(options),mode=0700", "siding-test", path])
        do { try await work(mount) } catch {
            try await mount.unmount()
            throw error
        }
        try await mount.unmount()
    }

    func remount(_ options: String) async throws {
        try await run("/usr/bin/mount", ["-o", "remount,\(options)", path])
    }

    private func unmount() async throws { try await run("/usr/bin/umount", [path]) }

    private func run(_ program: String, _ arguments: [String]) async throws {
        let outcome = try await sandbox.run(program, arguments)
        try #require(outcome.status == 0, "\(program): \(outcome.error)")
    }
}
