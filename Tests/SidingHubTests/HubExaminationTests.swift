// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingChain
import SidingCredentials
import SidingPostgreSQL
import Testing

@testable import Siding
@testable import SidingHub

/// What a station finds at a real server before it publishes.
@Suite(.timeLimit(.minutes(5))) struct HubExaminationTests {
    private static let records = #"[{"id":1,"title":"a","price":1}]"#

    /// The bench's target for a new role of the server.
    private func target(of bench: HubBench) async throws -> (HubTarget, role: String) {
        let role = "r\(UInt64.random(in: .min ... .max))"
        _ = try await bench.query("CREATE ROLE \(role) LOGIN")
        var target = bench.target
        target.address = bench.server.settings(user: role).address
        return (target, role)
    }

    @Test func `a role that may publish lacks nothing, before and after the first publication`() async throws {
        let bench = try await HubBench()
        let before = try await bench.target.examine()
        #expect(before.role == "siding" && !before.hasTLS && before.missingRights == [])
        #expect(before.libraryVersion.wholeMatch(of: /[0-9]+\.[0-9]+/) != nil)
        #expect(before.clockDifference < .seconds(30) && before.clockDifference > .seconds(-30))
        #expect(try await bench.query("SELECT to_regnamespace('@')") == ["-"], "it makes nothing")
        try await bench.sync(Self.records)
        try await bench.publish()
        #expect(try await bench.target.examine().missingRights == [])
    }

    @Test func `the hub's clock is compared with this one`() async throws {
        let bench = try await HubBench()
        let fast = WallClock { WallClock.system.now + .seconds(3_600) }
        let difference = try await bench.target.examine(clock: fast).clockDifference
        #expect(difference < .seconds(-3_570) && difference > .seconds(-3_630))
    }

    @Test func `a role without rights is told which it lacks`() async throws {
        let bench = try await HubBench()
        var (target, role) = try await target(of: bench)
        let schema = "\"\(target.schema)\""
        #expect(try await target.examine().missingRights == ["CREATE on the database, for the schema \(schema)"])
        try await bench.sync(Self.records)
        try await bench.publish()
        #expect(try await target.examine().missingRights == ["USAGE on the schema \(schema)"])
        _ = try await bench.query("GRANT USAGE ON SCHEMA @ TO \(role)")
        _ = try await bench.query("GRANT SELECT, INSERT ON @.issues, @.siding_positions TO \(role)")
        #expect(
            try await target.examine().missingRights == [
                "UPDATE on \(schema).siding_positions", "UPDATE on \(schema).\"issues\"",
            ])
        _ = try await bench.query("GRANT UPDATE ON @.issues, @.siding_positions TO \(role)")
        #expect(try await target.examine().missingRights == [])
        target.resources.append("readings")
        #expect(
            try await target.examine().missingRights == [
                "CREATE on the schema \(schema), for \(schema).\"readings\", \(schema).\"readings_live\""
            ])
    }

    @Test func `a role that may create tables in the schema, and no schema, publishes`() async throws {
        var bench = try await HubBench()
        try await bench.sync(Self.records)
        let (target, role) = try await target(of: bench)
        _ = try await bench.query("CREATE SCHEMA @")
        _ = try await bench.query("GRANT USAGE, CREATE ON SCHEMA @ TO \(role)")
        bench.target = target
        #expect(try await target.examine().missingRights == [])
        #expect(try await bench.publish().error == nil)
        #expect(try await bench.living() == ["van-1 1 a 1"])
        #expect(try await target.examine().missingRights == [])
    }

    @Test func `a wrong password, and a hub that is down, are told apart`() async throws {
        let server = try PostgreSQLServer()
        var bench = try await HubBench(on: server)
        bench.target.address = server.settings(user: PostgreSQLServer.guardedRole).address
        for (password, role) in [("another-secret", nil), (PostgreSQLServer.guardedPassword, "guarded")] {
            bench.target.password = Secret("test") { password }
            do {
                #expect(try await bench.target.examine().role == role)
            } catch {
                #expect(role == nil && error.kind == .signIn, "\(error)")
                #expect(!"\(error)\(error.hint ?? "")".contains(password))
            }
        }
        server.stop()
        await #expect { try await bench.target.examine() } throws: { ($0 as? HubError)?.kind == .unavailable }
    }
}
