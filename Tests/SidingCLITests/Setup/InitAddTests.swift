// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import Testing

/// `siding init --add URL`: one more resource in a file that stays its user's.
@Suite(.serialized)
struct InitAddTests {
    private let environment = OriginGuard.environment

    /// A config as a user writes it, for an origin.
    private func written(_ origin: Origin) -> String {
        """
        # Ours, since 2024.
        version: 1
        database: { path: test.db }    # on the fast disk

        sources:
            api:
                base_url: \(origin.url.origin)/v2    # the new one

        resources:
            users: { path: /users, records: "$.items[*]", key: id }    # all of them
            # teams: { path: /teams }

        """
    }

    private func config(of sandbox: Sandbox) throws -> String {
        try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
    }

    @Test func `the source of the same origin and path is reused, and no line of the file changes`() async throws {
        let origin = try await OriginGuard.open.start()
        let sandbox = try Sandbox()
        try sandbox.config(written(origin))
        let added = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/events")
        #expect(
            added.error == """
                events: 3 records
                    key: $.uuid, different in all 3 records
                    one page: nothing on it shows that there are more
                added 'events' of source 'api' to siding.yaml; next: 'siding plan --fetch events', 'siding sync events'

                """)
        let text = try config(of: sandbox)
        #expect(text.hasPrefix(written(origin)), "\(text)")
        #expect(
            text.contains("\n    events:\n        path: /events\n        key: uuid    # different in all 3 records\n"),
            "\(text)")
        let mode = try FileManager.default.attributesOfItem(atPath: sandbox.file("siding.yaml"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0, "\(sync.everything)")
        #expect(try await sandbox.count("users") == 2)
        #expect(try await sandbox.count("events") == 3)
        await origin.stop()
    }

    @Test func `a URL that another resource has is refused, and a name that is taken gets a number`() async throws {
        let origin = try await OriginGuard.open.start()
        let sandbox = try Sandbox()
        try sandbox.config(written(origin))
        let same = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/users")
        #expect(same.status == 64 && same.error.contains("already, as resource 'users'"), "\(same.everything)")
        #expect(try config(of: sandbox) == written(origin) && origin.requests.isEmpty)
        let other = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/users?state=all", "--json")
        #expect(try other.object()["resource"] == .string("users_2"))
        #expect(try other.object()["source"] == .string("api"))
        #expect(try config(of: sandbox).contains("\n    users_2:\n        path: /users?state=all\n"))
        #expect(try await sandbox.siding("sync").status == 0)
        await origin.stop()
    }

    @Test func `another origin becomes a source with a name of its own, and the others name theirs`() async throws {
        let (origin, second) = (try await OriginGuard.open.start(), try await OriginGuard.bearer.start())
        let sandbox = try Sandbox()
        #expect(try await sandbox.siding("init", "\(origin.url.origin)/v2/users").status == 0)
        let url = "\(second.url.origin)/v2/events"
        let asked = try await sandbox.siding("init", "--add", url)
        #expect(asked.status == 77, "\(asked.everything)")
        #expect(
            asked.error.contains(
                "nothing was added. Set ORIGIN_2_TOKEN, then run: siding init --add --bearer-env ORIGIN_2_TOKEN \(url)"),
            "\(asked.error)")
        #expect(try !config(of: sandbox).contains(second.url.origin))
        let added = try await sandbox.siding(
            "init", "--add", "--bearer-env", "ORIGIN_TOKEN", url, environment: environment)
        #expect(added.status == 0 && added.error.contains("of source 'origin-2'"), "\(added.everything)")
        let text = try config(of: sandbox)
        #expect(
            text.contains("\n  users:\n    source: origin\n") && text.contains("\n  events:\n    source: origin-2\n"))
        let sync = try await sandbox.siding("sync", environment: environment)
        #expect(sync.status == 0, "\(text)\n\(sync.everything)")
        #expect(origin.requests.allSatisfy { $0.headerFields[.authorization] == nil })
        await origin.stop()
        await second.stop()
    }

    @Test func `other credentials for the same origin are another source, and equal ones are not`() async throws {
        let origin = try await OriginGuard.bearer.start()
        let sandbox = try Sandbox()
        let url = "\(origin.url.origin)/v2"
        let first = try await sandbox.siding(
            "init", "--bearer-env", "ORIGIN_TOKEN", "\(url)/users", environment: environment)
        #expect(first.status == 0, "\(first.everything)")
        let equal = try await sandbox.siding(
            "init", "--add", "--bearer-env", "ORIGIN_TOKEN", "\(url)/events", "--json", environment: environment)
        #expect(try equal.object()["source"] == .string("origin"))
        let other = try await sandbox.siding(
            "init", "--add", "--bearer-env", "ORIGIN_KEY", "\(url)/events", "--json", environment: environment)
        #expect(try other.object()["source"] == .string("origin-2"))
        #expect(try other.object()["resource"] == .string("events_2"))
        #expect(try await sandbox.siding("check", environment: environment).status == 0)
        await origin.stop()
    }

    @Test func `a source that signs in is reused with its token`() async throws {
        let door = Door()
        let service = try await Service.start(behind: door)
        let sandbox = try Sandbox()
        try sandbox.write(door.state.withLock(\.secret) + "\n", to: "secret")
        let source = service.oauth("oauth2_client", "client_id: my app, client_secret: { file: secret }")
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              shop: { base_url: \(service.url), \(source) }
            resources:
              all: { path: /all, key: id }

            """)
        let added = try await sandbox.siding("init", "--add", "\(service.url)/items")
        #expect(added.status == 0, "\(added.everything)")
        #expect(door.given == 1)
        let sync = try await sandbox.siding("sync", "items")
        #expect(sync.status == 0, "\(sync.everything)")
        #expect(door.given == 1)
        #expect(try await sandbox.count("items") == 20)
        await service.origin.stop()
    }

    @Test(arguments: [
        "resources: { users: { path: /users, key: id } }", "resources: &all\n  users: { path: /users, key: id }",
    ])
    func `a file that cannot be extended is refused before anything is requested, and stays`(_ resources: String)
        async throws
    {
        let origin = try await OriginGuard.open.start()
        let sandbox = try Sandbox()
        let text = "version: 1\nsources: { api: { base_url: \"\(origin.url.origin)/v2\" } }\n\(resources)\n"
        try sandbox.config(text)
        let added = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/events")
        #expect(added.status == 78 && added.error.contains("siding.yaml:3:1: 'resources' is not written in lines"))
        #expect(try config(of: sandbox) == text && origin.requests.isEmpty)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == ["siding.yaml"])
        await origin.stop()
    }

    @Test func `a page that shows no config adds nothing`() async throws {
        let origin = try await OriginGuard.open.start()
        let sandbox = try Sandbox()
        try sandbox.config(written(origin))
        let added = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/nothing")
        #expect(added.status == 69, "\(added.everything)")
        #expect(try config(of: sandbox) == written(origin))
        #expect(try FileManager.default.subpathsOfDirectory(atPath: sandbox.path) == ["siding.yaml"])
        await origin.stop()
    }

    @Test func `a file that another program changes meanwhile keeps that change, exit 74`() async throws {
        let sandbox = try Sandbox()
        let path = sandbox.file("siding.yaml")
        let origin = try await Origin.start { _ in
            let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            try? (text + "# mine\n").write(toFile: path, atomically: true, encoding: .utf8)
            return .json(#"[{"id":1}]"#)
        }
        try sandbox.config(written(origin))
        let added = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/events")
        #expect(added.status == 74 && added.error.contains("changed meanwhile"), "\(added.everything)")
        #expect(try config(of: sandbox) == written(origin) + "# mine\n")
        await origin.stop()
    }

    @Test func `the config is the one that other commands take, and a link to it stays`() async throws {
        let origin = try await OriginGuard.open.start()
        let sandbox = try Sandbox()
        let none = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/events")
        #expect(none.status == 78 && none.error.contains("'siding init'"), "\(none.everything)")
        try sandbox.write(written(origin), to: "real.yaml")
        try FileManager.default.createSymbolicLink(atPath: sandbox.file("two.yaml"), withDestinationPath: "real.yaml")
        let added = try await sandbox.siding("init", "--add", "\(origin.url.origin)/v2/events", "-c", "two.yaml")
        #expect(added.status == 0, "\(added.everything)")
        #expect(added.error.contains("to two.yaml; next: 'siding plan --fetch events -c two.yaml'"), "\(added.error)")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: sandbox.file("two.yaml")) == "real.yaml")
        #expect(try String(contentsOfFile: sandbox.file("real.yaml"), encoding: .utf8).contains("\n    events:\n"))
        for arguments in [["--add"], ["--add", "--force", "\(origin.url.origin)/v2/events"]] {
            #expect(try await sandbox.siding(["init"] + arguments).status == 64)
        }
        await origin.stop()
    }
}
