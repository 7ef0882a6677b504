// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing

/// What `siding serve` makes of SIGHUP.
@Suite(.serialized)
struct ServeReloadTests {
    private static func config(_ service: Service, _ resources: [String], database: String = "test.db") -> String {
        """
        version: 1
        database: { path: \(database) }
        sources:
          shop: { base_url: \(service.url), http: { concurrency: 2 } }
        resources:
        \(resources.map { "  \($0): { path: /\($0), key: id, max_age: 1ms }" }.joined(separator: "\n"))
        """
    }

    /// An origin that lists what its resources are called, and counts the listings.
    private static func listings(_ seen: Tally) async throws -> Service {
        let service = try await Service.start(items: 1)
        service.listen { _, request in
            seen.note(request.path)
            return .json(#"[{"id":1}]"#)
        }
        return service
    }

    @Test func `a new resource is synced at once, a removed one is not, and its records stay`() async throws {
        let seen = Tally()
        let service = try await Self.listings(seen)
        let sandbox = try Sandbox()
        try sandbox.config(Self.config(service, ["old"]))
        let ended = try await sandbox.serve { serving in
            try await seen.reaches(1, "/old")
            try sandbox.config(Self.config(service, ["old", "new"]))
            try await serving.reload()
            try await seen.reaches(1, "/new")
            try sandbox.config(Self.config(service, ["new"]))
            try await serving.reload()
            let new = seen("/new")
            var old = 0
            for number in 1...5 {
                try await serving.reload()
                try await seen.reaches(new + number, "/new")
                // The first ones may be of the run that was under way.
                if number == 2 { old = seen("/old") }
            }
            #expect(seen("/old") == old)
        }
        #expect(ended.status == 0, "\(ended.error)")
        try sandbox.config(Self.config(service, ["old"]))
        #expect(try await sandbox.count("old") == 1)
        await service.origin.stop()
    }

    @Test func `a service without a manager loads the config, too`() async throws {
        let seen = Tally()
        let service = try await Self.listings(seen)
        let sandbox = try Sandbox()
        try sandbox.config(Self.config(service, ["old"]))
        let ended = try await sandbox.siding(["serve", "--listen", "none"]) { child in
            try await seen.reaches(1, "/old")
            try sandbox.config(Self.config(service, ["new"]))
            child.send(SIGHUP)
            try await seen.reaches(1, "/new")
            child.send(SIGTERM)
        }
        #expect(ended.status == 0, "\(ended.error)")
        await service.origin.stop()
    }

    @Test(arguments: [
        ("path: /old", "pth: /old", "siding.yaml:6:10"),
        ("path: test.db", "path: other.db", "the database is another one"),
        ("/old, key: id", #"/old, key: id, where: "1 =""#, "siding.yaml:6:38"),
        ("version: 1", "version: 1\nversion: [", "siding.yaml:4:1: not YAML"),
        ("http: {", "auth: { type: bearer, token: { env: NO_SUCH_TOKEN } }, http: {", "NO_SUCH_TOKEN"),
    ])
    func `a config with faults is refused with all its faults, and the old one stays`(
        correct: String, wrong: String, reason: String
    ) async throws {
        let seen = Tally()
        let service = try await Self.listings(seen)
        let sandbox = try Sandbox()
        let good = Self.config(service, ["old"])
        try sandbox.config(good)
        let ended = try await sandbox.serve { serving in
            try await seen.reaches(1, "/old")
            try sandbox.config(good.replacing(correct, with: wrong))
            try await serving.reload()
            #expect(serving.manager.lines.last?.hasPrefix("STATUS=the new config is refused: ") == true)
            // It goes on: a change that is right is taken.
            try sandbox.config(Self.config(service, ["old", "new"]))
            try await serving.reload()
            #expect(serving.manager.lines.last == "STATUS=2 resources of siding.yaml, in \(sandbox.file("test.db"))")
            try await seen.reaches(1, "/new")
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(ended.error.contains("error: the new config is refused, and the old one stays config=siding.yaml"))
        #expect(ended.error.contains(reason), "\(ended.error)")
        #expect(!FileManager.default.fileExists(atPath: sandbox.file("other.db")))
        await service.origin.stop()
    }

    @Test func `a secret that cannot be read stops neither the service nor a change of other sources`() async throws {
        let seen = Tally()
        let service = try await Self.listings(seen)
        let sandbox = try Sandbox()
        let config: @Sendable ([String]) -> String = { resources in
            Self.config(service, resources)
                .replacing(
                    "resources:\n",
                    with:
                        "  bare: { base_url: \(service.url), auth: { type: bearer, token: { file: later } } }\nresources:\n"
                        + "  bared: { source: bare, path: /bared, key: id, max_age: 1ms }\n"
                ).replacing("{ path: /", with: "{ source: shop, path: /")
        }
        try sandbox.config(config(["old"]))
        let ended = try await sandbox.serve { serving in
            try await seen.reaches(1, "/old")
            try sandbox.config(config(["old", "new"]))
            try await serving.reload()
            try await seen.reaches(1, "/new")
            #expect(seen("/bared") == 0)
            try sandbox.write("token", to: "later")
            try await serving.reload()
            try await seen.reaches(1, "/bared")
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(ended.error.contains("warning: siding.yaml:5:"), "\(ended.error)")
        #expect(ended.error.contains("the secret file later cannot be read"), "\(ended.error)")
        await service.origin.stop()
    }

    @Test func `new credentials take effect, and old ones are no longer sent`() async throws {
        let seen = Tally()
        let service = try await Service.start(items: 1)
        service.listen { _, request in
            seen.note(request.headerFields[.authorization] ?? "none")
            return .json("[]")
        }
        let sandbox = try Sandbox()
        try sandbox.write("first", to: "one")
        try sandbox.write("second", to: "two")
        let config: @Sendable (String) -> String = { file in
            Self.config(service, ["old"]).replacing(
                "http: {", with: "auth: { type: bearer, token: { file: \(file) } }, http: {")
        }
        try sandbox.config(config("one"))
        let ended = try await sandbox.serve { serving in
            try await seen.reaches(1, "Bearer first")
            try sandbox.config(config("two"))
            try await serving.reload()
            try await seen.reaches(1, "Bearer second")
            let first = seen("Bearer first")
            try await serving.reload()
            try await seen.reaches(2, "Bearer second")
            #expect(seen("Bearer first") == first)
        }
        #expect(ended.status == 0, "\(ended.error)")
        await service.origin.stop()
    }

    @Test func `a new token takes effect, and one that is not a secret leaves the old one and the old config`()
        async throws
    {
        let seen = Tally()
        let service = try await Self.listings(seen)
        let sandbox = try Sandbox()
        let (first, second) = ("the-first-token-0123", "the-second-token-456")
        try sandbox.config(Self.config(service, ["old"]))
        try sandbox.write(first, to: "token")
        let port = try await Program.freePort()
        let ended = try await sandbox.serve("--listen", "127.0.0.1:\(port)", "--token-file", "token") { serving in
            #expect(try await Self.answer(first, port, sandbox) == "HTTP/1.1 200 OK")
            try sandbox.write("short", to: "token")
            try sandbox.config(Self.config(service, ["old", "new"]))
            try await serving.reload()
            #expect(
                serving.manager.lines.last?.hasPrefix("STATUS=the new config is refused: the token needs 16") == true)
            #expect(try await Self.answer(first, port, sandbox) == "HTTP/1.1 200 OK")
            #expect(seen("/new") == 0)
            try sandbox.write("\(second)\n", to: "token")
            try await serving.reload()
            try await seen.reaches(1, "/new")
            #expect(try await Self.answer(first, port, sandbox) == "HTTP/1.1 401 Unauthorized")
            #expect(try await Self.answer(second, port, sandbox) == "HTTP/1.1 200 OK")
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(!ended.error.contains("others can"), "\(ended.error)")
        await service.origin.stop()
    }

    /// The first line of the answer to a request with a token.
    private static func answer(_ token: String, _ port: Int, _ sandbox: Sandbox) async throws -> String {
        let request = #"GET /metrics HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer \#(token)\r\n\r\n"#
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(request)' >&3; head -n 1 <&3 | tr -d '\\r\\n'"
        return try await sandbox.run("/bin/bash", ["-c", script]).output
    }

    @Test func `SIGHUP a hundred times under load: no run is lost, and every write arrives once and in order`()
        async throws
    {
        let ledger = WriteLedger(seed: 17)
        let names = (1...5).map { "r\($0)" }
        let items = Dataset((1...40).map { Service.item($0) })
        let routes = names.map { RecordListing("/\($0)", of: items, pageSize: 10, validators: []) }
        let service = try await Service.start(items: 1, routes: routes + [ledger])
        let sandbox = try Sandbox()
        try sandbox.config(Self.config(service, names))
        for number in 1...60 {
            let lane = "l\(number % 6)"
            let sent = try await sandbox.siding(
                "send", "PUT", "shop:/lanes/\(lane)/\(number)", "-d", "{}", "-H", "X-Write-Key: \(number)", "--lane",
                lane, "--no-send")
            #expect(sent.status == 0, "\(sent.error)")
        }
        let child = Promise<Child>()
        let hangups = Tally()
        let generator = Mutex(SeededGenerator(seed: 17))
        // A signal for each request until there were a hundred, each with another config: of some resources, or a bad one.
        service.listen { number, _ in
            guard number <= 100, let child = try? await child.value() else { return nil }
            generator.withLock { generator in
                let chosen = names.filter { _ in Bool.random(using: &generator) }
                try? sandbox.config(Self.config(service, number == 100 ? names : chosen))
                child.send(SIGHUP)
            }
            hangups.note("sent")
            return nil
        }
        let ended = try await sandbox.serve(limit: .seconds(120)) { serving in
            child.fulfil(serving.child)
            while hangups("sent") < 100 {
                // Where nothing is due, as no resource was chosen, the next config comes from here.
                try await serving.manager.hears("READY=1")
                try sandbox.config(Self.config(service, names))
                serving.child.send(SIGHUP)
                try await Task.sleep(for: .milliseconds(50))
            }
            // With nothing to sync any more the run that is under way is the last one.
            try sandbox.config(Self.config(service, ["items"]).replacing("1ms", with: "1h"))
            try await serving.reload()
            while try await sandbox.siding("queue", "list", "--json").output != "" {}
            while try await sandbox.count() != 1 {}
            while try await sandbox.running() > 0 {}
        }
        #expect(ended.status == 0, "\(ended.error)")
        let runs = try await sandbox.siding("runs", "list", "--json", "--limit", "100000").objects()
        #expect(runs.count > 5)
        let outcomes = Set(runs.map { $0["outcome"]?.string ?? "none" })
        #expect(outcomes.isSubset(of: ["saved", "not_modified", "skipped"]), "\(outcomes)")
        #expect(runs.compactMap { $0["id"]?.int }.sorted() == Array(1...runs.count))
        #expect(ledger.entries.effects.count == 60)
        #expect(ledger.entries.duplicates == 0 && ledger.entries.inversions() == 0)
        #expect(try await sandbox.siding("db", "check").everything == "the database is sound\n")
        await service.origin.stop()
    }
}

extension Sandbox {
    /// How many runs have no end.
    fileprivate func running() async throws -> Int {
        try await siding("runs", "list", "--json", "--limit", "100000").objects().count {
            $0["outcome"]?.string == nil
        }
    }
}
