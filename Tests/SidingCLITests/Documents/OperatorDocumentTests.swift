// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import Testing

/// Pages for those who run Siding, with the commands in them.
@Suite struct OperatorDocumentTests {
    /// A sandbox with `count` issues of 500 bytes, in the database of a config without `database`.
    private static func withIssues(
        _ count: Int, _ body: (Sandbox, Origin) async throws -> Void
    ) async throws {
        let issues = Dataset.filled(count, size: 500)
        let origin = try await Origin.start(routes: [
            RecordListing("/issues", of: issues, paging: .link, pageSize: 1_000)
        ])
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            sources: { tracker: { base_url: \(origin.url.origin) } }
            resources: { issues: { path: /issues, key: id, paginate: link_header } }
            """)
        #expect(try await sandbox.siding("sync").status == 0)
        try await body(sandbox, origin)
        await origin.stop()
    }

    @Test func `the section about space shows what fills the file, and gives space back`() async throws {
        try await Self.withIssues(2_000) { sandbox, _ in
            let document = try RunnableDocument("Docs/Operating.md", section: "## Space")
            #expect(document.commands == ["siding db size", "siding db vacuum\n"])
            try await document.run(in: sandbox, [])
        }
    }

    @Test func `the command for the textfile collector writes the metrics that the page lists`() async throws {
        try await Self.withIssues(5) { sandbox, origin in
            let document = try RunnableDocument("Docs/Metrics.md")
            #expect(document.commands.count == 1)
            let changes = [
                ("/var/lib/prometheus/node-exporter", sandbox.path), ("https://api.example.com", origin.url.origin),
            ]
            try await document.run(in: sandbox, changes)
            let metrics = try String(contentsOfFile: sandbox.file("siding.prom"), encoding: .utf8)
            #expect(metrics.contains(/siding_resource_records\{[^}]*resource="issues"[^}]*\} 5\n/))
        }
    }

    @Test func `the service starts behind a proxy as the page says`() async throws {
        try await Self.withIssues(5) { sandbox, _ in
            try sandbox.write(String(repeating: "0123456789abcdef", count: 2), to: "token")
            let document = try RunnableDocument("Docs/Service.md")
            #expect(document.commands.count == 1)
            let changes = [
                ("/run/siding/siding.sock", sandbox.file("siding.sock")), ("/etc/siding/token", sandbox.file("token")),
            ]
            try await document.run(in: sandbox, changes)
        }
    }

    @Test func `the script for mail sends a notification's sentence as subject and body`() async throws {
        let page = try DocumentPages.text("Docs/Notifications.md")
        let script = try #require(page.firstMatch(of: /(?ms)^```bash\n(.*?)^```$/)).1
        let sandbox = try Sandbox()
        try sandbox.write(String(script), to: "alert")
        try sandbox.write("#!/bin/sh\nprintf '%s\\n' \"$@\" > mailed; cat >> mailed\n", to: "programs/mail")
        for program in ["alert", "programs/mail"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: sandbox.file(program))
        }
        let configs = page.matches(of: /(?ms)^```yaml\n(.*?)^```$/).map { String($0.1) }
        let config = try #require(configs.first { $0.contains("ops@example.com") })
        try sandbox.config(config.replacing("/usr/local/bin/alert", with: sandbox.file("alert")))
        let environment = ["PATH": "\(sandbox.file("programs")):/usr/bin:/bin"]
        let test = try await sandbox.siding("notify", "test", environment: environment)
        #expect(test.status == 0, "\(test.everything)")
        let mail = try String(contentsOfFile: sandbox.file("mailed"), encoding: .utf8).split(separator: "\n")
        try #require(mail.count == 5)
        #expect(mail[1].hasSuffix("this is a test of the hook; nothing is wrong"))
        #expect([mail[0], mail[2], mail[3], mail[4]] == ["-s", "ops@example.com", mail[1], "siding status"])
    }

    @Test func `the line that fails leads to the origin, as the section about lines says`() async throws {
        try await Self.withIssues(5) { sandbox, origin in
            let commands = try RunnableDocument("Docs/Networks.md", section: "## Try a line that fails").commands
            let command = try #require(commands.first).replacing("127.0.0.1:8080", with: "127.0.0.1:\(origin.url.port)")
            let words = try #require(ShellScript(command).commands.first)
            let relay = try await Program(
                SidingBinary.path(), Array(words.dropFirst()), in: sandbox.path, until: { $0.contains("Ctrl-C") })
            let address = try #require(relay.greeting.firstMatch(of: /http:\/\/127\.0\.0\.1:[0-9]+/)).0
            #expect(address != origin.url.origin)
            let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
            try sandbox.config(config.replacing(origin.url.origin, with: address))
            #expect(try await sandbox.siding("sync").status == 0)
            relay.stop()
        }
    }
}
