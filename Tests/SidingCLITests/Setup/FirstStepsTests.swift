// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized)
struct FirstStepsTests {
    @Test func `init, check, plan, sync and status work in an empty directory`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "--example", "local")
        #expect(made.status == 0)
        #expect(made.error.contains("siding.yaml"))
        let text = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
            .replacing("http://127.0.0.1:8080/api", with: service.url)
        try sandbox.config(text.replacing("records: \"$.items[*]\"", with: "records: \"$[*]\""))

        let check = try await sandbox.siding("check")
        #expect(check.status == 0)
        #expect(check.everything == "")
        let plan = try await sandbox.siding("plan")
        #expect(plan.status == 0)
        #expect(plan.output.contains("items: GET \(service.url)/items?per_page=100"))
        #expect(plan.output.contains("because: "))
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0)
        #expect(sync.everything == "")
        #expect(service.targets.first == "/items?per_page=100")
        let status = try await sandbox.siding("status")
        #expect(status.status == 0)
        #expect(status.output.contains("items"))
        #expect(status.output.contains("queue: empty"))
        #expect(try await sandbox.siding("doctor").status == 0)
        #expect(try await sandbox.differences(from: service.items) == [])
        await service.origin.stop()
    }

    /// What the examples name; nobody's.
    private static let secrets = [
        "GITLAB_TOKEN": "t", "HUBSPOT_ACCESS_TOKEN": "t", "JIRA_EMAIL": "ada@example.com", "JIRA_API_TOKEN": "t",
        "SHOPIFY_ACCESS_TOKEN": "t", "STRIPE_SECRET_KEY": "t", "ZENDESK_USER": "ada@example.com/token",
        "ZENDESK_API_TOKEN": "t",
    ]

    @Test(arguments: [
        "blog", "github", "gitlab", "hackernews", "hubspot", "jira", "local", "odata", "pokeapi", "shopify", "stripe",
        "zendesk",
    ])
    func `every example is valid as it stands`(name: String) async throws {
        let sandbox = try Sandbox()
        #expect(try await sandbox.siding("init", "--example", name).status == 0)
        let check = try await sandbox.siding(["check"], environment: Self.secrets)
        #expect(check.status == 0, "\(check.error)")
        let plan = try await sandbox.siding(["plan", "--json"], environment: Self.secrets)
        #expect(plan.status == 0, "\(plan.error)")
        #expect(
            plan.output.contains(#""reason":"first sync: nothing is stored yet""#)
                || plan.output.contains("new listing"))
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.file("siding.yaml"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func `init says so where the next commands would take another config`() async throws {
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", environment: ["SIDING_CONFIG": "/srv/siding.yaml"])
        #expect(made.status == 0)
        #expect(made.error.contains("SIDING_CONFIG names /srv/siding.yaml"))
        #expect(try await !Sandbox().siding("init").error.contains("SIDING_CONFIG"))
    }

    @Test func `init --list says which examples there are, and writes nothing`() async throws {
        let sandbox = try Sandbox()
        let list = try await sandbox.siding("init", "--list")
        #expect(list.status == 0)
        #expect(list.output.contains("stripe      customers, subscriptions and events\n"))
        #expect(list.output.split(separator: "\n").count == 13)
        let objects = try await sandbox.siding("init", "--list", "--json")
        #expect(objects.output.hasPrefix(#"{"example":"blog","summary":"posts and comments"#))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == [])
        let unknown = try await sandbox.siding("init", "--example", "nothing")
        #expect(unknown.status == 64)
        #expect(unknown.error.contains("there are: blog, github, gitlab,"))
    }

    @Test func `init overwrites only with --force`() async throws {
        let sandbox = try Sandbox()
        try sandbox.config("mine")
        let outcome = try await sandbox.siding("init")
        #expect(outcome.status == 64)
        #expect(outcome.error.contains("--force"))
        #expect(try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8) == "mine")
        #expect(try await sandbox.siding("init", "--force").status == 0)
        #expect(try await sandbox.siding("check").status == 0)
    }

    @Test func `plan sends no request and makes no file, before the first sync and after`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        let first = try await sandbox.siding("plan")
        #expect(first.status == 0)
        #expect(service.targets == [])
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == ["siding.yaml"])

        service.origin.inject(.status(500), skipping: 2)
        #expect(try await sandbox.siding("sync").status == 75)
        let sent = service.targets.count
        let before = try FileManager.default.subpathsOfDirectory(atPath: sandbox.path).sorted()
        let second = try await sandbox.siding("plan", "--json").object()
        #expect(second["url"] == .string("\(service.url)/items?page=3"))
        #expect(service.targets.count == sent)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path).sorted() == before)
        #expect(try await sandbox.siding("sync").status == 0)
        let third = try await sandbox.siding("plan")
        #expect(third.output.lowercased().contains("if-none-match"))
        await service.origin.stop()
    }

    @Test func `the schema of the config is one JSON value`() async throws {
        let schema = try await Sandbox().siding("check", "--schema")
        #expect(schema.status == 0)
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(schema.output.utf8))
        #expect(value["$schema"] != nil)
        #expect(value["properties"]?["resources"] != nil)
    }

    @Test func `version and help are data on standard output, exit 0`() async throws {
        let sandbox = try Sandbox()
        let version = try await sandbox.siding("--version")
        #expect(version.status == 0)
        #expect(version.output.wholeMatch(of: /siding \d+\.\d+\.\d+\n/) != nil)
        let help = try await sandbox.siding("--help")
        #expect(help.status == 0)
        #expect(help.error == "")
        #expect(help.output.replacing("\n", with: " ").contains("siding demo"))
    }

    @Test(
        arguments: [
            "import",
            "init", "check", "demo", "plan", "sync", "send", "publish", "status", "records", "records list",
            "records get",
            "records count", "records history", "records why", "search", "query", "export", "queue", "queue list",
            "queue show",
            "queue run", "queue retry", "queue hold",
            "queue release", "queue drop", "queue edit", "queue resolve", "queue purge", "runs", "runs list",
            "runs show", "db", "db path", "db check", "db migrate",
            "db backup", "db size", "db vacuum", "serve", "notify", "notify list", "notify test", "doctor", "auth",
            "auth status", "auth forget", "schema", "quarantine", "quarantine list",
            "quarantine show", "quarantine retry", "quarantine drop", "state", "state show", "state set", "state reset",
        ])
    func `every command explains itself, exit 0, without a config`(command: String) async throws {
        let words = command.split(separator: " ").map(String.init)
        let help = try await Sandbox().siding(words + ["--help"])
        #expect(help.status == 0)
        #expect(help.error == "")
        #expect(help.output.contains("USAGE: siding \(command)"))
    }

    @Test func `every command that the help names is in the list above`() async throws {
        let help = try await Sandbox().siding("--help").output
        let named = Set(help.matches(of: /\n  ([a-z]+) {2,}/).map { String($0.1) })
        #expect(
            named == [
                "import",
                "init", "check", "demo", "plan", "sync", "send", "publish", "status", "records", "search", "query",
                "queue",
                "runs", "db",
                "doctor", "auth", "schema", "quarantine", "state", "export", "serve", "notify",
            ])
    }

    @Test func `the help of siding lists the options of all commands, that of a command the usual ones`() async throws {
        func options(_ help: String) -> [String] {
            help.matches(of: /\n +(?:-[a-z], )?--([a-z-]+)/).map { String($0.1) }
        }
        let sandbox = try Sandbox()
        let usual = ["config", "json", "quiet", "verbose", "version", "help"]
        #expect(try await options(sandbox.siding("runs", "show", "--help").output) == usual)
        let hidden = try await options(sandbox.siding("runs", "show", "--help-hidden").output)
        let listed = try await options(sandbox.siding("--help").output)
        #expect(listed.prefix(7) == ["config", "json", "quiet", "verbose", "log-format", "utc", "no-color"])
        #expect(Set(hidden) == Set(listed).subtracting(["licenses"]))
    }

    @Test func `the demo shows the whole tour and says where its files are`() async throws {
        let sandbox = try Sandbox()
        let demo = try await sandbox.siding("demo", "--directory", sandbox.file("tour"))
        #expect(demo.status == 0)
        #expect(demo.output.matches(of: /\(exit 75\)/).count == 2)
        #expect(demo.output.contains("the origin got it twice, and has one new reading"))
        // Every command that it shows, in the order of the story.
        let shown = demo.output.matches(of: /\$ siding ([a-z]+(?: (?:history|why|list|show|run|check))?)/).map {
            String($0.1)
        }
        #expect(
            shown == [
                "sync", "query", "search", "sync", "records history", "records why", "sync", "queue show", "send",
                "query", "queue list", "queue run", "query", "runs list", "status", "db check",
            ])
        #expect(demo.output.contains("The files stay in \(sandbox.file("tour"))"))
        #expect(!demo.hasControlCharacters)
        let config = sandbox.file("tour/siding.yaml")
        #expect(
            try await sandbox.siding("records", "count", "stations", "--config", config, "--json").object()["count"]
                == .number(240))
        #expect(try await sandbox.siding("db", "check", "--config", config).status == 0)
        let again = try await sandbox.siding("demo", "--directory", sandbox.file("tour"))
        #expect(again.status == 0, "\(again.error)")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `a demo that a signal stops ends with its code, and leaves no directory`(_ signal: Int32) async throws {
        let sandbox = try Sandbox()
        let place = sandbox.file("tmp")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let demo = try await sandbox.siding(["demo"], environment: ["TMPDIR": place]) { child in
            // The first sync has begun.
            while !child.isOver,
                try !FileManager.default.subpathsOfDirectory(atPath: place).contains(where: { $0.hasSuffix("demo.db") })
            {
                await Task.yield()
            }
            child.send(signal)
        }
        #expect(demo.status == 128 + signal, "\(demo.error)")
        #expect(!demo.error.contains("ended with"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
    }

    @Test func `a demo whose port is taken leaves no directory`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox()
        let place = sandbox.file("tmp")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        let port = service.origin.url.port
        let demo = try await sandbox.siding(["demo", "--serve", "--port", "\(port)"], environment: ["TMPDIR": place])
        #expect(demo.status == 74 && demo.error.contains("--port chooses another port"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == [])
        await service.origin.stop()
    }

    @Test func `the demo serves until it is stopped, and its line can be cut and restored`() async throws {
        let sandbox = try Sandbox()
        let manager = try ServiceManager(sandbox.file("notify"))
        defer { manager.stop() }
        let demo = try await sandbox.siding(
            [
                "demo", "--serve", "--listen", "unix:\(sandbox.file("page.sock"))", "--port", "0", "--directory",
                sandbox.file("tour"),
            ],
            environment: ["NOTIFY_SOCKET": manager.address]
        ) { child in
            try await manager.hears("READY=1")
            let config = ["--config", sandbox.file("tour/siding.yaml")]
            while try await !sandbox.siding(["records", "count", "stations"] + config).output.contains(" 240 ") {}
            child.send(SIGUSR1)
            let reading = ["send", "readings.create", "-d", #"{"station_id":7,"temperature_c":19.5}"#] + config
            while try await sandbox.siding(reading).status != 75 {}
            child.send(SIGUSR1)
            // It sends the write, too; the service holds the resource now and then.
            while try await sandbox.siding(["sync", "readings", "--wait-lock", "10s"] + config).status != 0 {}
            // The service may have claimed it when the line came back.
            while try await sandbox.siding(["queue", "list", "--json"] + config).output != "" {}
            child.send(SIGTERM)
        }
        #expect(demo.status == 0, "\(demo.error)")
        #expect(demo.output.contains("The page: unix:\(sandbox.file("page.sock"))"))
        let lines = demo.output.matches(of: /The line to the weather service is (cut|back)/).map { String($0.1) }
        #expect(lines == ["cut", "back"])
    }

    @Test func `the config is found by option, environment, directory and home, in this order`() async throws {
        let sandbox = try Sandbox()
        let text =
            "version: 1\ndatabase: { path: NAME.db }\nsources: { s: { base_url: http://127.0.0.1:9 } }\n"
            + "resources: { r: { path: /r, key: id } }\n"
        func path(_ arguments: String..., environment: [String: String] = [:]) async throws -> String {
            let outcome = try await sandbox.siding(["db", "path"] + arguments, environment: environment)
            return URL(filePath: outcome.output.trimmingCharacters(in: .newlines)).lastPathComponent
        }
        try sandbox.write(text.replacing("NAME", with: "home"), to: ".config/siding/siding.yaml")
        #expect(try await path() == "home.db")
        try sandbox.config(text.replacing("NAME", with: "here"))
        #expect(try await path() == "here.db")
        try sandbox.write(text.replacing("NAME", with: "environment"), to: "e.yaml")
        #expect(try await path(environment: ["SIDING_CONFIG": "e.yaml"]) == "environment.db")
        try sandbox.write(text.replacing("NAME", with: "option"), to: "o.yaml")
        #expect(try await path("--config", "o.yaml", environment: ["SIDING_CONFIG": "e.yaml"]) == "option.db")
    }

    @Test func `a limited sync leaves checkpoint and validators alone, and a fresh resource is skipped`() async throws {
        let service = try await Service.start()
        let sandbox = try Sandbox.with(service)
        #expect(try await sandbox.siding("sync", "--limit", "15").status == 0)
        #expect(try await sandbox.count() == 15)
        service.origin.forgetRequests()
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(service.targets.count == 4)
        #expect(service.origin.requests.allSatisfy { $0.headerFields[.ifNoneMatch] == nil })
        #expect(try await sandbox.differences(from: service.items) == [])
        service.origin.forgetRequests()
        let fresh = try await sandbox.siding("sync", "--max-age", "1h", "--json")
        #expect(fresh.status == 0)
        #expect(try fresh.object()["outcome"] == .string("skipped"))
        #expect(service.targets == [])
        await service.origin.stop()
    }
}
