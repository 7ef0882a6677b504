// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding
@testable import SidingCLI

@Suite struct DurabilityTests {
    /// `full` waits at each commit for the disk, `normal` at checkpoints (https://sqlite.org/pragma.html#pragma_synchronous).
    @Test(arguments: [("full", 2), ("normal", 1)])
    func `the database is written as durably as the config says`(synchronous: String, value: Int64) async throws {
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db, synchronous: \(synchronous) }
            sources: { shop: { base_url: "https://shop.example" } }
            resources: { items: { path: /items, key: id } }
            """)
        let options = try GlobalOptions.parse(["--config", sandbox.file("siding.yaml")])
        let workspace = try Workspace.load(options, environment: ["HOME": sandbox.path])
        let read = try await workspace.withStore(.readWriteCreate) { store in
            try await store.write { try $0.first("PRAGMA synchronous") { $0.int(0) } }
        }
        #expect(read == value)
    }
}
