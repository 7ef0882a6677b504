// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgreSQLTestSupport
import SidingOrigin
import SidingPostgreSQL
import SidingTesting
import TestSupport
import Testing

/// `siding publish`, from records of an origin to rows of a real PostgreSQL server.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PublishTests {
    private let schema = "t\(UInt64.random(in: .min ... .max))"

    /// An origin with five items, and a sandbox that has synced and publishes them.
    private func fleet(
        _ server: PostgreSQLServer, more: String = ""
    ) async throws -> (service: Service, sandbox: Sandbox) {
        let service = try await Service.start(items: 5)
        let sandbox = try Sandbox()
        let target = "to: \"\(server.settings().address)\", station: van-1, schema: \(schema)\(more)"
        let resource = "columns: { title: text }, deletes: { detect: complete_listing }"
        try sandbox.config(service.config(resource: resource) + "\npublish: { fleet: { \(target) } }\n")
        try #require(try await sandbox.siding("sync").status == 0)
        return (service, sandbox)
    }

    private func rows(_ server: PostgreSQLServer, _ sql: String) async throws -> [String] {
        try await server.rows(sql, in: schema)
    }

    private static let living = "SELECT siding_key || ' ' || title FROM @.items_live ORDER BY siding_key"

    @Test func `records of a sync are rows of the hub, and a second publication sends nothing`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let (service, sandbox) = try await fleet(server)
        let foreseen = try await sandbox.siding("publish", "--dry-run")
        #expect(foreseen.status == 0 && foreseen.output == "fleet: items: 5 records behind\n", "\(foreseen.everything)")
        let first = try await sandbox.siding("publish", "-v")
        #expect(first.status == 0 && first.output == "fleet: items: 5 records sent\n", "\(first.everything)")
        #expect(try await rows(server, Self.living) == (1...5).map { "\($0) item \($0)" })
        let second = try await sandbox.siding("publish", "fleet", "items")
        #expect(second.status == 0 && second.everything == "", "\(second.everything)")
        service.items.put(Service.item(2, title: "changed"))
        #expect(try await sandbox.siding("sync").status == 0)
        let third = try await sandbox.siding("publish", "--json").object()
        #expect(third["target"]?.string == "fleet" && third["resource"]?.string == "items")
        #expect(third["rows"] == .number(1) && third["behind"] == .number(0))
        #expect(try await rows(server, Self.living).contains("2 changed 2"))
        await service.origin.stop()
    }

    @Test func `a hub that is down costs nothing but exit 75`() async throws {
        let server = try PostgreSQLServer()
        let (service, sandbox) = try await fleet(server)
        server.stop()
        let down = try await sandbox.siding("publish")
        #expect(down.status == 75, "\(down.everything)")
        #expect(
            down.error.hasPrefix("siding: fleet: ") && down.error.split(separator: "\n").count <= 2, "\(down.error)")
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(try await sandbox.siding("publish", "--dry-run").output == "fleet: items: 5 records behind\n")
        await service.origin.stop()
    }

    @Test func `what cannot be published has its exit code, and says what to do`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let (service, sandbox) = try await fleet(server, more: ", password: { file: missing }")
        for (arguments, status, text) in [
            (["fleat"], Int32(66), "it has: fleet"), (["fleet", "item"], 66, "it has: items"), ([], 78, "missing"),
            (["--distributed"], 64, "--ddl"),
        ] {
            let refused = try await sandbox.siding(["publish"] + arguments)
            #expect(
                refused.status == status && refused.everything.contains(text), "\(arguments): \(refused.everything)")
        }
        #expect(try await sandbox.siding("sync").status == 0, "a missing password of a hub stops no sync")
        let json = try await sandbox.siding("publish", "--json").output
        #expect(json.contains(#""error":{"code":78,"name":"config","#), "\(json)")
        try sandbox.config(service.config())
        let none = try await sandbox.siding("publish")
        #expect(none.status == 78 && none.error.contains("publish: {"), "\(none.everything)")
        await service.origin.stop()
    }

    @Test func `the statements of --ddl make the tables that a publication fills`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let (service, sandbox) = try await fleet(server)
        let printed = try await sandbox.siding("publish", "--ddl")
        #expect(printed.status == 0, "\(printed.everything)")
        for statement in printed.output.components(separatedBy: ";\n") where !statement.isEmpty {
            _ = try await rows(server, statement)
        }
        #expect(try await rows(server, Self.living) == [])
        #expect(try await sandbox.siding("publish").status == 0)
        #expect(try await rows(server, Self.living).count == 5)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(config.replacing("station: van-1", with: "station: van-2"))
        for option in [["--dry-run"], []] {
            let renamed = try await sandbox.siding(["publish"] + option)
            #expect(renamed.status == 69 && renamed.error.contains("'van-1'"), "\(renamed.everything)")
        }
        let distributed = try await sandbox.siding("publish", "--ddl", "--distributed").output
        #expect(distributed.contains("create_distributed_table('\"\(schema)\".\"items\"', 'siding_station')"))
        await service.origin.stop()
    }

    @Test func `a publisher that is killed at any moment leaves nothing lost and nothing doubled`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let (service, sandbox) = try await fleet(server)
        var generator = SeededGenerator(seed: Proof.seed ?? 36)
        for round in 1...Proof.choose(short: 8, middle: 20, long: 400) {
            for _ in 0..<20 {
                service.items.put(Service.item(Int.random(in: 1...60, using: &generator), title: "round \(round)"))
            }
            #expect(try await sandbox.siding("sync").status == 0)
            let moment = Int.random(in: 0...120, using: &generator)
            _ = try await sandbox.siding(["publish"]) { publisher in
                try await Task.sleep(for: .milliseconds(moment))
                publisher.send(SIGKILL)
            }
        }
        let last = try await sandbox.siding("publish")
        #expect(last.status == 0, "\(last.everything)")
        let records = try await sandbox.siding("query", "SELECT siding_key || ' ' || title AS row FROM items", "--json")
            .objects()
        #expect(try await Set(rows(server, Self.living)) == Set(records.compactMap { $0["row"]?.string }))
        await service.origin.stop()
    }
}
