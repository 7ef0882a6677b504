// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SystemPackage
import Testing

@testable import SidingCLI

/// A file that `siding export` makes is there when it is whole, and not before.
@Suite(.serialized)
struct AtomicFileTests {
    private func sandbox(filledTo count: Int = 0, size: Int = 200) async throws -> Sandbox {
        let service = try await Service.start(items: 3)
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync").status == 0)
        if count > 0 { try await sandbox.fill("items", to: count, size: size) }
        await service.origin.stop()
        return sandbox
    }

    private func text(_ sandbox: Sandbox, _ name: String) throws -> String {
        try String(contentsOfFile: sandbox.file(name), encoding: .utf8)
    }

    @Test func `until the last byte is on disk nothing stands in its place`() throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("out.csv")
        let file = try AtomicFile(path, replaces: false)
        try file.write(Array(repeating: 0x41, count: 200_000))
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(try sandbox.strangers().count == 1)
        try file.finish()
        file.abandon()
        #expect(try sandbox.strangers() == ["out.csv"])
        #expect(try text(sandbox, "out.csv").utf8.count == 200_000)

        let second = try AtomicFile(path, replaces: true)
        try second.write([0x42])
        second.abandon()
        #expect(try sandbox.strangers() == ["out.csv"])
        #expect(try text(sandbox, "out.csv").utf8.count == 200_000)
    }

    @Test func `a file made by another program meanwhile is not overwritten`() throws {
        let sandbox = try Sandbox()
        let file = try AtomicFile(sandbox.file("out.csv"), replaces: false)
        try sandbox.write("theirs", to: "out.csv")
        #expect(throws: CommandError.self) { try file.finish() }
        file.abandon()
        #expect(try sandbox.strangers() == ["out.csv"])
        #expect(try text(sandbox, "out.csv") == "theirs")
    }

    @Test func `an existing file is kept and exits 64, unless --force is given`() async throws {
        let sandbox = try await sandbox()
        try sandbox.write("mine", to: "out.csv")
        let refused = try await sandbox.siding("export", "items", "-o", "out.csv")
        #expect(refused.status == 64)
        #expect(refused.error.contains("--force"))
        #expect(try text(sandbox, "out.csv") == "mine")
        #expect(
            try await sandbox.siding("export", "items", "-o", "out.csv", "--json").object()["error"]?["name"]
                == .string("exists"))
        #expect(try await sandbox.siding("export", "items", "-o", "out.csv", "--force").status == 0)
        #expect(try text(sandbox, "out.csv").hasPrefix("id,title,price\n"))
        #expect(try sandbox.strangers() == ["out.csv"])
        // It is no more open than the one whose place it took.
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.file("out.csv"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `links stay links, and devices and pipes are written as they are`() async throws {
        let sandbox = try await sandbox()
        try sandbox.write("old", to: "data/real.csv")
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.file("link.csv"), withDestinationPath: "data/real.csv")
        #expect(try await sandbox.siding("export", "items", "-o", "link.csv").status == 64)
        #expect(try await sandbox.siding("export", "items", "-o", "link.csv", "--force").status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: sandbox.file("link.csv")) == "data/real.csv")
        #expect(try text(sandbox, "data/real.csv").hasPrefix("id,"))
        #expect(try sandbox.strangers(in: "data") == ["real.csv"])
        for path in ["/dev/stdout", "/dev/fd/1"] {
            let outcome = try await sandbox.siding("export", "items", "--format", "csv", "-o", path)
            #expect(outcome.status == 0, "\(outcome.error)")
            #expect(outcome.output.hasPrefix("id,title,price\n"))
        }
        #expect(try await sandbox.siding("export", "items", "-o", "/dev/null").status == 0)
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
        let full = try await sandbox.siding("export", "items", "-o", "/dev/full")
        #expect(full.status == 74)
    }

    @Test func `where no file can be made it exits 74 and names the place`() async throws {
        let sandbox = try await sandbox()
        for path in ["absent/out.csv", "/proc/out.csv", ".", "test.db/out.csv"] {
            let outcome = try await sandbox.siding("export", "items", "-o", path)
            #expect(outcome.status == 74, "\(path): \(outcome.error)")
            #expect(outcome.error.contains(path))
        }
        #expect(try sandbox.strangers() == [])
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func `a full disk exits 74 and leaves nothing there, or what was there`() async throws {
        let sandbox = try await sandbox(filledTo: 20_000)
        try await Mount.with(sandbox.file("disk"), options: "size=1m", in: sandbox) { disk in
            let full = try await sandbox.siding("export", "items", "-o", "disk/out.csv")
            #expect(full.status == 74)
            #expect(full.error.contains("No space left"))
            #expect(try sandbox.strangers(in: "disk") == [])
            try sandbox.write("mine", to: "disk/out.csv")
            let object = try await sandbox.siding("export", "items", "-o", "disk/out.csv", "--force", "--json")
            #expect(object.status == 74)
            #expect(try object.object()["error"]?["name"] == .string("full"))
            #expect(try sandbox.strangers(in: "disk") == ["out.csv"])
            #expect(try text(sandbox, "disk/out.csv") == "mine")
            try await disk.remount("size=64m")
            #expect(try await sandbox.siding("export", "items", "-o", "disk/out.csv", "--force").status == 0)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func `a signal leaves nothing in its place, and one that can be heard nothing at all`(signal: Int32) async throws {
        let sandbox = try await sandbox(filledTo: 40_000)
        func interruptedExport() async throws -> Outcome {
            try await sandbox.siding(["export", "items", "-o", "out.jsonl"]) { child in
                // It is under way once the first bytes are there.
                while !child.isOver {
                    let part = try sandbox.strangers().first.map(sandbox.file)
                    let size = part.flatMap { try? FileManager.default.attributesOfItem(atPath: $0)[.size] as? Int }
                    if size ?? 0 > 0 { break }
                    try Task.checkCancellation()
                }
                child.send(signal)
            }
        }
        func isWhole() -> Bool { (try? text(sandbox, "out.jsonl").split(separator: "\n").count) == 40_000 }
        var outcome = try await interruptedExport()
        // It may be faster than the signal, but not every time.
        for _ in 1...4 where isWhole() {
            try FileManager.default.removeItem(atPath: sandbox.file("out.jsonl"))
            outcome = try await interruptedExport()
        }
        #expect(outcome.status == 128 + signal, "\(outcome.error)")
        let left = try sandbox.strangers()
        #expect(!left.contains("out.jsonl"))
        #expect(left.count == (signal == SIGKILL ? 1 : 0))
        #expect(try await sandbox.siding("export", "items", "-o", "out.jsonl").status == 0)
        #expect(isWhole())
    }

    @Test func `memory does not grow with the records`() async throws {
        let sandbox = try await sandbox(filledTo: 120_000, size: 400)
        let pipe = sandbox.file("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let outcome = try await sandbox.siding(["export", "items", "-o", "pipe", "--with-meta"]) { child in
            let reading = try FileDescriptor.open(pipe, .readOnly)
            defer { try? reading.close() }
            var seen = 0
            var early: Int?
            var late: Int?
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = try chunk.withUnsafeMutableBytes { try reading.read(into: $0) }
                if count == 0 { break }
                seen += count
                // SQLite's cache of 16 MiB is full by then; and a pipe holds 64 KiB: the child still writes.
                if early == nil, seen > 25_000_000 { early = try Self.privateMemory(child) }
                if late == nil, seen > 60_000_000 { late = try Self.privateMemory(child) }
            }
            let growth = try #require(late) - #require(early)
            #expect(seen > 61_000_000)
            #expect(growth < 4_000, "\(growth) KiB more after 35 MB more")
        }
        #expect(outcome.status == 0, "\(outcome.error)")
    }

    /// In KiB, without what is mapped from files.
    private static func privateMemory(_ child: Child) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(child.processID)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
        return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    }
}
