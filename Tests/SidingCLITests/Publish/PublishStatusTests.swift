// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgreSQLTestSupport
import SidingOrigin
import SidingPostgreSQL
import Testing

/// `siding status` beside a real PostgreSQL server.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PublishStatusTests {
    private let schema = "t\(UInt64.random(in: .min ... .max))"

    private func sandbox(_ service: Service, _ address: String, more: String = "") throws -> Sandbox {
        let sandbox = try Sandbox()
        let target = "to: \"\(address)\", station: van-1, schema: \(schema)"
        let resource = "columns: { title: text }"
        try sandbox.config(service.config(resource: resource, more: more) + "\npublish: { fleet: { \(target) } }\n")
        return sandbox
    }

    /// The lines of the text about targets, and the target as JSON.
    private func status(_ sandbox: Sandbox) async throws -> (lines: [String], target: [String: JSONValue]) {
        let text = try await sandbox.siding("status")
        #expect(text.status == 0, "\(text.everything)")
        let json = try await sandbox.siding("status", "--json").object()
        let target = try #require(json["targets"]?.array?.first?.members)
        let lines = text.output.split(separator: "\n").map(String.init)
        return (lines.filter { $0.hasPrefix("target ") || $0.hasPrefix("  ") }, target)
    }

    @Test func `a target is behind, up to date and behind again`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(service, server.settings().address)
        try #require(try await sandbox.siding("sync").status == 0)
        var (lines, target) = try await status(sandbox)
        #expect(lines == ["target fleet: 5 records behind; never published"])
        #expect(Set(target.keys) == ["target", "station", "behind", "resources"])
        #expect(target["behind"] == .number(5) && target["station"]?.string == "van-1")

        try #require(try await sandbox.siding("publish").status == 0)
        (lines, target) = try await status(sandbox)
        #expect(lines.count == 1 && lines[0].hasPrefix("target fleet: up to date; published "), "\(lines)")
        #expect(Set(target.keys) == ["target", "station", "behind", "published_at", "resources"])

        service.items.put(Service.item(2, title: "changed"))
        try #require(try await sandbox.siding("sync").status == 0)
        (lines, target) = try await status(sandbox)
        #expect(lines.count == 1 && lines[0].hasPrefix("target fleet: 1 record behind, the oldest for "), "\(lines)")
        #expect(target["oldest_change_at"]?.string != nil && target["behind"] == .number(1))
        let resource = try #require(target["resources"]?.array?.first?.members)
        #expect(Set(resource.keys) == ["resource", "behind", "oldest_change_at", "published_at"])
        await service.origin.stop()
    }

    @Test func `the error of one resource is shown beside the success of another, until it is published`() async throws
    {
        let server = try PostgreSQLServer.shared.get()
        let other = RecordListing("/other", of: Dataset((1...2).map { Service.item($0) }), pageSize: 10)
        let service = try await Service.start(items: 5, routes: [other])
        let sandbox = try sandbox(
            service, server.settings().address, more: "  other: { path: /other, key: id, paginate: none }")
        try #require(try await sandbox.siding("sync").status == 0)
        try #require(try await sandbox.siding("publish", "fleet", "items").status == 0)
        _ = try await server.rows("CREATE TABLE @.other (x int)", in: schema)
        #expect(try await sandbox.siding("publish").status == 3)
        #expect(try await sandbox.siding("publish", "fleet", "items").status == 0)
        let (lines, target) = try await status(sandbox)
        #expect(lines.first?.hasPrefix("target fleet: 2 records behind; published ") == true, "\(lines)")
        #expect(lines.dropFirst().first?.hasPrefix("target fleet, other: failing for ") == true, "\(lines)")
        #expect(target["error"] == nil)
        let resources = try #require(target["resources"]?.array).compactMap(\.members)
        #expect(resources[0]["error"] == nil && resources[1]["failing_since"]?.string != nil)
        #expect(resources[1]["error"]?.members?["name"]?.string == "refused")
        #expect(try await sandbox.siding("status", "--strict").status == 5)

        _ = try await server.rows("DROP TABLE @.other CASCADE", in: schema)
        #expect(try await sandbox.siding("publish").status == 0)
        let (after, _) = try await status(sandbox)
        #expect(after.count == 1 && after[0].hasPrefix("target fleet: up to date; "), "\(after)")
        #expect(try await sandbox.siding("status", "--strict").status == 0)
        await service.origin.stop()
    }

    @Test func `a hub that is down is shown with its error, in the metrics too`() async throws {
        let service = try await Service.start(items: 5)
        let sandbox = try sandbox(service, "host=/nonexistent dbname=x user=x")
        try #require(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("publish").status == 75)
        let (lines, target) = try await status(sandbox)
        #expect(lines.first == "target fleet: 5 records behind; never published")
        #expect(lines.dropFirst().first?.hasPrefix("target fleet: waiting for ") == true, "\(lines)")
        #expect(target["error"]?.members?["name"]?.string == "unavailable")
        #expect(try await sandbox.siding("status", "--strict").status == 0, "it has not waited for an hour")
        #expect(try await sandbox.siding("sync", "--metrics-file", "m.prom").status == 0)
        let metrics = try String(contentsOfFile: sandbox.file("m.prom"), encoding: .utf8)
        #expect(metrics.contains("siding_publish_behind_records{target=\"fleet\"} 5\n"))
        #expect(metrics.contains("siding_publish_failing{target=\"fleet\"} 1\n"))
        await service.origin.stop()
    }
}
