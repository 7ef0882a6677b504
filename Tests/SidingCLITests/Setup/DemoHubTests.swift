// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingSynchronization
import Testing

@testable import SidingCLI

/// `siding demo --hub`, with the PostgreSQL of this machine.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct DemoHubTests {
    /// A process that a demo in `sandbox` has started, or a child of one.
    private struct Descendant {
        let words: [String]
        let environment: [String: String]

        /// All that run now; by their home, which is the sandbox's.
        static func all(of sandbox: Sandbox) throws -> [Descendant] {
            try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { process in
                func texts(_ name: String) -> [String] {
                    let data = FileManager.default.contents(atPath: "/proc/\(process)/\(name)") ?? Data()
                    return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
                }
                guard Int32(process) != nil else { return nil }
                let pairs = texts("environ").compactMap { text in
                    text.firstIndex(of: "=").map { (String(text[..<$0]), String(text[text.index(after: $0)...])) }
                }
                let environment = Dictionary(pairs) { first, _ in first }
                guard environment["HOME"] == sandbox.path else { return nil }
                return Descendant(words: texts("cmdline"), environment: environment)
            }
        }
    }

    @Test func `the tour shows two stations, a crash, the recovery and a refused copy, and stops its server`()
        async throws
    {
        let sandbox = try Sandbox()
        let place = sandbox.file("tour")
        let demo = try await sandbox.siding(["demo", "--hub", "--directory", place], limit: .seconds(240))
        #expect(demo.status == 0, "\(demo.everything)")
        #expect(try Descendant.all(of: sandbox).map(\.words) == [])
        let shown = demo.output.matches(of: /(?m)^    ([a-z0-9-]*) ?\$ ([a-z_]+(?: (?:publish|sync|start|stop))?)/).map
        {
            "\($0.1): \($0.2)"
        }
        #expect(
            shown == [
                "hub: cd", "hub: export", "hub: initdb", "hub: pg_ctl start", "hub: createdb", "van-1: siding sync",
                "van-1: siding publish", "van-2: siding sync", "van-2: siding publish", "hub: psql", ": cp",
                "hub: pg_ctl stop", "van-1: siding sync", "van-1: siding publish", "van-1: siding publish",
                "hub: pg_ctl start", "van-1: siding publish", "hub: psql", "van-1-copy: siding publish",
            ])
        let codes = demo.output.matches(of: /\(exit (\d+)\)/).map { String($0.1) }.filter { $0 != "0" }
        #expect(codes == ["75", "69"])
        #expect(demo.output.contains("fleet: readings: 1 record behind\n"))
        #expect(demo.output.contains("fleet: readings: 1 record sent\n"))
        #expect(demo.output.contains(/van-1 +\| +18\.5\n/))
        #expect(!demo.hasControlCharacters)

        let hub = try #require(demo.output.firstMatch(of: /hub \$ cd (\S+)/)).1
        #expect(demo.output.contains("Its files stay in \(hub), those of the stations in \(place)."))
        #expect(FileManager.default.fileExists(atPath: "\(hub)/data/PG_VERSION"))
        #expect(!FileManager.default.fileExists(atPath: "\(hub)/data/postmaster.pid"))
        try FileManager.default.removeItem(atPath: String(hub))
        for station in ["van-1", "van-2"] {
            let config = "\(place)/\(station)/siding.yaml"
            let behind = try await sandbox.siding("publish", "--dry-run", "--config", config)
            #expect(behind.output == "fleet: readings: up to date\n", "\(behind.everything)")
        }
        let again = try await sandbox.siding("demo", "--hub", "--directory", place)
        #expect(again.status == 64 && again.error.contains("\(place)/van-1 exists already"), "\(again.everything)")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
    func `a tour that a signal ends leaves no server`(_ signal: Int32) async throws {
        let sandbox = try Sandbox()
        let hub = Mutex("")
        let demo = try await sandbox.siding(["demo", "--hub"], limit: .seconds(240)) { child in
            // The server has written its process id, by which it is stopped.
            while !child.isOver {
                let server = try Descendant.all(of: sandbox).first { $0.words.contains("-k") }
                if let environment = server?.environment, let data = environment["PGDATA"],
                    FileManager.default.fileExists(atPath: "\(data)/postmaster.pid")
                {
                    hub.withLock { $0 = environment["PGHOST"] ?? "" }
                    break
                }
                await Task.yield()
            }
            child.send(signal)
        }
        #expect(demo.status == 128 + signal, "\(demo.everything)")
        let directory = hub.withLock(\.self)
        #expect(directory.contains("/siding-"), "\(demo.everything)")
        if signal == SIGKILL {
            while try !Descendant.all(of: sandbox).isEmpty { await Task.yield() }
            try FileManager.default.removeItem(atPath: directory)
        } else {
            #expect(try Descendant.all(of: sandbox).map(\.words) == [])
            #expect(!FileManager.default.fileExists(atPath: directory))
        }
    }

    @Test func `the tours exclude each other`() async throws {
        let refused = try await Sandbox().siding("demo", "--hub", "--serve")
        #expect(refused.status == 64 && refused.error.contains("--hub, --serve and --relay exclude each other"))
    }

    @Test func `the newest PostgreSQL with all programs is found, and without one the error says what to install`()
        throws
    {
        let sandbox = try Sandbox()
        func install(_ folder: String, _ programs: [String]) throws {
            for program in programs {
                try sandbox.write("", to: "\(folder)/\(program)")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: sandbox.file("\(folder)/\(program)"))
            }
        }
        let all = ["initdb", "pg_ctl", "postgres", "createdb", "psql"]
        let path = "relative:\(sandbox.file("bin")):/nowhere"
        let error = #expect(throws: CommandError.self) {
            try PostgreSQLPrograms.folder(path: path, usr: sandbox.file("usr"))
        }
        #expect(error?.status == .config && error?.hint == "sudo apt install postgresql")
        // One alone, such as a client's, is not enough.
        try install("bin", ["psql"])
        try install("usr/lib/postgresql/17/bin", ["psql"])
        for folder in ["usr/lib/postgresql/9/bin", "usr/lib/postgresql/15/bin", "usr/pgsql-16/bin"] {
            try install(folder, all)
            #expect(try PostgreSQLPrograms.folder(path: path, usr: sandbox.file("usr")) == sandbox.file(folder))
        }
        try install("bin", all)
        #expect(try PostgreSQLPrograms.folder(path: path, usr: sandbox.file("usr")) == sandbox.file("bin"))
    }
}
