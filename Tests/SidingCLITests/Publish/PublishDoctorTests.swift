// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgreSQLTestSupport
import SidingPostgreSQL
import Testing

/// What `siding doctor` says of the databases of `publish:`.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PublishDoctorTests {
    private let schema = "t\(UInt64.random(in: .min ... .max))"

    private func sandbox(_ address: String, password: String? = nil) throws -> Sandbox {
        let sandbox = try Sandbox()
        if let password { try sandbox.write(password, to: "hub.password") }
        let more = password == nil ? "" : ", password: { file: hub.password }"
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { shop: { base_url: "http://127.0.0.1:1" } }
            resources: { items: { path: /items, key: id } }
            publish: { fleet: { to: "\(address)", station: van-1, schema: \(schema)\(more) } }
            """)
        return sandbox
    }

    /// The lines about the hub.
    private func hub(_ outcome: Outcome) -> [String] {
        outcome.output.split(separator: "\n").map(String.init).filter { $0.contains(" hub ") }
    }

    @Test func `a hub that can be used is well, with the address, TLS and the version of libpq`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let sandbox = try sandbox(server.settings().address)
        let doctor = try await sandbox.siding("doctor")
        let lines = hub(doctor)
        #expect(doctor.status == 0 && lines.count == 2, "\(doctor.everything)")
        let first = "ok    hub         fleet: \(server.settings().address): signs in as siding, without TLS; libpq "
        #expect(lines.first?.hasPrefix(first) == true, "\(lines)")
        #expect(lines.last == "ok    hub         fleet: the role has all rights that a publication needs")
        let objects = try await sandbox.siding("doctor", "--json").objects().filter { $0["check"]?.string == "hub" }
        #expect(objects.map { $0["level"]?.string } == ["ok", "ok"])
    }

    @Test func `a role without rights, and a wrong password, have their exit codes and no password in a message`()
        async throws
    {
        let server = try PostgreSQLServer.shared.get()
        let address = server.settings(user: PostgreSQLServer.guardedRole).address
        for (password, status, text) in [
            (PostgreSQLServer.guardedPassword, Int32(69), "lacks CREATE on the database, for the schema"),
            ("another-secret", 77, "authentication failed"),
        ] {
            let doctor = try await sandbox(address, password: password).siding("doctor")
            let bad = hub(doctor).filter { $0.hasPrefix("bad ") }
            #expect(doctor.status == status && bad.count == 1, "\(doctor.everything)")
            #expect(bad.first?.contains(text) == true, "\(bad)")
            #expect(!doctor.everything.contains(password))
        }
        let sandbox = try sandbox(address, password: "x")
        try FileManager.default.removeItem(atPath: sandbox.file("hub.password"))
        let missing = try await sandbox.siding("doctor")
        #expect(missing.status == 78 && hub(missing).contains { $0.contains("hub.password") }, "\(missing.everything)")
    }

    @Test func `a hub that is down is a warning, as nothing is lost`() async throws {
        let server = try PostgreSQLServer()
        let sandbox = try sandbox(server.settings().address)
        server.stop()
        let doctor = try await sandbox.siding("doctor")
        #expect(doctor.status == 0, "\(doctor.everything)")
        #expect(hub(doctor).count == 1 && hub(doctor)[0].hasPrefix("warn  hub         fleet: "), "\(hub(doctor))")
    }
}
