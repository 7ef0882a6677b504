// SPDX-License-Identifier: Apache-2.0
import Foundation
import Logging
import PostgreSQLTestSupport
import ServiceLifecycle
import Siding
import SidingChain
import SidingCredentials
import SidingHub
import SidingPostgreSQL
import SidingSynchronization
import SidingTesting
import TestSupport
import Testing

/// Publishing from a program: what it uses of the library is public.
@Suite(.timeLimit(.minutes(5))) struct PublishingTests {
    private static let records = #"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#

    /// A program with a copy of `issues`, and a hub with a schema of its own.
    private struct Program {
        let server: PostgreSQLServer
        let siding: Siding
        let issues: AnyResource
        let pages = Pages()
        var hub: HubTarget
        private let directory: TemporaryDirectory

        init() async throws {
            server = try PostgreSQLServer.shared.get()
            directory = try TemporaryDirectory()
            issues = AnyResource("issues", from: try Source(baseURL: "https://example.com"), at: "/issues", key: "id")
            siding = try await Siding(
                store: .sqlite(path: directory.path(of: "van.db")), resources: [issues], transports: pages,
                environment: RuntimeEnvironment(connectivity: TestConnectivity()))
            hub = HubTarget("fleet", to: server.settings().address, station: "van-17", resources: [issues])
            hub.schema = "t\(UInt64.random(in: .min ... .max))"
        }

        func sync(_ json: String) async throws {
            pages.page.withLock { $0 = json }
            try await siding.sync(issues)
        }

        func living() async throws -> [String] {
            guard try await server.rows("SELECT to_regclass('@.issues_live')", in: hub.schema) != ["-"] else {
                return []
            }
            return try await server.rows(
                "SELECT siding_station, siding_key FROM @.issues_live ORDER BY siding_key", in: hub.schema)
        }
    }

    @Test func `what a program syncs is in its hub, and a second publication sends nothing`() async throws {
        let program = try await Program()
        #expect(program.hub.mostDeleted == ["issues": 0.1] && program.hub.every == .seconds(60))
        try await program.sync(Self.records)
        let reports = try await program.siding.publish(to: program.hub)
        #expect(reports.map(\.resource) == ["issues"] && reports.map(\.rows) == [2])
        #expect(reports.allSatisfy { $0.error == nil && $0.behind == 0 && $0.misfits.isEmpty })
        #expect(try await program.living() == ["van-17 1", "van-17 2"])
        #expect(try await program.siding.publish(to: program.hub, resources: [program.issues]).map(\.rows) == [0])
        #expect(try await program.siding.publish(to: program.hub, resources: []) == [])
        await program.siding.close()
    }

    @Test func `a hub that is another one is refused until the program adopts it`() async throws {
        var program = try await Program()
        try await program.sync(Self.records)
        try await program.siding.publish(to: program.hub)
        program.hub.schema += "b"
        let refused = try await program.siding.publish(to: program.hub)
        #expect(refused.map(\.error?.kind) == [.foreign] && refused.map(\.behind) == [0])
        let adopted = try await program.siding.publish(to: program.hub, options: PublishOptions(adopts: true))
        #expect(adopted.map(\.rows) == [2] && adopted.first?.comparison != nil)
        #expect(try await program.living().count == 2)
        await program.siding.close()
    }

    @Test func `an error says what to do, and no password`() async throws {
        let program = try await Program()
        try await program.sync(Self.records)
        var hub = program.hub
        hub.address = program.server.settings(user: PostgreSQLServer.guardedRole).address
        hub.password = Secret("test") { "another-secret" }
        await #expect { try await program.siding.publish(to: hub) } throws: { error in
            let error = error as? HubError
            return error?.kind == .signIn && error?.name == "sign_in" && error?.description.contains("another") == false
        }
        hub.password = Secret("the hub's") { throw SecretError(reason: "it is locked away") }
        await #expect { try await program.siding.publish(to: hub) } throws: { error in
            (error as? HubError)?.kind == .config && "\(error)".contains("it is locked away")
        }
        hub.address = "host=/nowhere dbname=postgres"
        hub.password = nil
        await #expect { try await program.siding.publish(to: hub) } throws: { error in
            (error as? HubError)?.kind == .unavailable
        }
        await program.siding.close()
    }

    @Test func `one publication to a target is under way at a time, and none after the store is closed`() async throws {
        let program = try await Program()
        try await program.sync(Self.records)
        try await program.siding.store.withLease("publish:fleet", command: "publish fleet") { _ in
            await #expect { try await program.siding.publish(to: program.hub) } throws: { error in
                (error as? HubError)?.kind == .locked && "\(error)".contains("(publish fleet)")
            }
        } ifHeld: { _ in
        }
        #expect(try await program.siding.publish(to: program.hub).map(\.rows) == [2])
        await program.siding.close()
        await #expect { try await program.siding.publish(to: program.hub) } throws: { error in
            (error as? HubError)?.kind == .store(.closed)
        }
    }

    @Test func `a service publishes what has changed until it is asked to stop`() async throws {
        var program = try await Program()
        program.hub.every = .milliseconds(100)
        let log = RecordedLog()
        try await program.sync(Self.records)
        let services = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [program.siding.publishing(to: [program.hub], logger: log.logger)], logger: log.logger))
        async let ended: Void = services.run()
        while try await program.living().count != 2 { try await Task.sleep(for: .milliseconds(50)) }
        try await program.sync(#"[{"id":1,"title":"a"},{"id":2,"title":"b"},{"id":3,"title":"c"}]"#)
        while try await program.living().count != 3 { try await Task.sleep(for: .milliseconds(50)) }
        await services.triggerGracefulShutdown()
        try await ended
        #expect(!log.lines.contains { $0.level >= .warning }, "\(log.lines)")
        await program.siding.close()
    }
}
