// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgreSQLTestSupport
import SidingOrigin
import SidingPostgreSQL
import SidingSynchronization
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

    @Test func `--check says whether the hub has what the station has, and changes nothing`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let (service, sandbox) = try await fleet(server)
        let before = try await sandbox.siding("publish", "--check")
        #expect(
            before.status == 0
                && before.output == "fleet: items: not compared: nothing is published yet; 5 records behind\n",
            "\(before.everything)")
        #expect(try await sandbox.siding("publish").status == 0)
        service.items.put(Service.item(2, title: "changed"))
        #expect(try await sandbox.siding("sync").status == 0)
        let same = try await sandbox.siding("publish", "fleet", "items", "--check")
        #expect(
            same.status == 0 && same.output == "fleet: items: 4 records, the same on both sides; 1 record behind\n",
            "\(same.everything)")
        for change in [
            "DELETE FROM @.items WHERE siding_key IN ('1', '4')",
            "UPDATE @.items SET siding_body = '{}' WHERE siding_key = '3'",
            "INSERT INTO @.items VALUES ('van-1', '9', '{}', 1, now())",
        ] { _ = try await rows(server, change) }
        let different = try await sandbox.siding("publish", "--check")
        #expect(
            different.status == 65
                && different.output == "fleet: items: 1 record the same; 2 missing there (1, 4); 1 differs (3); "
                    + "1 too many there (9); 1 record behind\n",
            "\(different.everything)")
        #expect(different.error.contains("siding publish fleet items --adopt"), "\(different.everything)")
        let json = try await sandbox.siding("publish", "--check", "--json")
        #expect(json.status == 65, "\(json.everything)")
        let object = try json.object()
        #expect(object["same"] == .number(1) && object["behind"] == .number(1))
        #expect(object["missing"]?["count"] == .number(2) && object["surplus"]?["count"] == .number(1))
        #expect(try await sandbox.siding("publish", "--check", "--adopt").status == 64)
        #expect(try await sandbox.siding("publish", "--adopt").status == 0)
        #expect(try await sandbox.siding("publish", "--check").output.hasSuffix("5 records, the same on both sides\n"))
        _ = try await rows(server, "DELETE FROM @.siding_positions")
        let foreign = try await sandbox.siding("publish", "--check")
        #expect(foreign.status == 69 && foreign.error.contains("no position of this station"), "\(foreign.everything)")
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

    @Test func `a second publication of the same file is told about the first, with exit 11`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let (service, sandbox) = try await fleet(server)
        let proxy = try CommitProxy(to: server.directory, breaks: .pause)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        try sandbox.config(config.replacing(server.directory, with: proxy.directory))
        let first = try await sandbox.siding(["publish"]) { _ in
            await proxy.sawCommit.value()
            let second = try await sandbox.siding("publish")
            #expect(second.status == 11 && second.error.contains("another publication"), "\(second.everything)")
            let json = try await sandbox.siding("publish", "--json").output
            #expect(json.contains(#""error":{"code":11,"name":"locked","#), "\(json)")
            proxy.release()
        }
        #expect(first.status == 0, "\(first.everything)")
        #expect(try await rows(server, Self.living).count == 5)
        await service.origin.stop()
    }

    @Test(arguments: ["22003", "23514", "54000"])
    func `a resource whose records the hub refuses stops no other one`(state: String) async throws {
        let server = try PostgreSQLServer.shared.get()
        let service = try await Service.start(items: 5)
        let sandbox = try Sandbox()
        let target = "to: \"\(server.settings().address)\", station: van-1, schema: \(schema)"
        let columns = "columns: { title: text }"
        try sandbox.config(
            service.config(resource: columns, more: "  others: { path: /items, key: id, \(columns) }")
                + "\npublish: { fleet: { \(target) } }\n")
        try #require(try await sandbox.siding("sync").status == 0)
        try #require(try await sandbox.siding("publish").status == 0)
        for statement in [
            "CREATE FUNCTION @.refuse() RETURNS trigger LANGUAGE plpgsql AS "
                + "$$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '\(state)'; END $$",
            "CREATE TRIGGER refuse BEFORE INSERT ON @.items FOR EACH ROW EXECUTE FUNCTION @.refuse()",
        ] { _ = try await rows(server, statement) }
        service.items.put(Service.item(2, title: "changed"))
        try #require(try await sandbox.siding("sync").status == 0)
        let partial = try await sandbox.siding("publish")
        #expect(
            partial.status == 3 && partial.error.contains("items: refused (SQLSTATE \(state))"), "\(partial.everything)"
        )
        #expect(try await rows(server, "SELECT title FROM @.others WHERE siding_key = '2'") == ["changed 2"])
        #expect(try await rows(server, "SELECT title FROM @.items WHERE siding_key = '2'") == ["item 2"])
        _ = try await rows(server, "DROP TRIGGER refuse ON @.items")
        #expect(try await sandbox.siding("publish").status == 0)
        #expect(try await rows(server, "SELECT title FROM @.items WHERE siding_key = '2'") == ["changed 2"])
        await service.origin.stop()
    }
}
