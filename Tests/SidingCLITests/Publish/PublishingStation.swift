// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import Siding
import SidingOrigin
import Testing

/// A station whose `siding` runs as a process, with an origin of its own.
struct PublishingStation: Sendable {
    let name: String
    let service: Service
    let sandbox: Sandbox
    private let address: String
    private static let schema = "siding"

    /// - Parameter address: of the hub.
    init(_ name: String, items: Int, to address: String) async throws {
        (self.name, self.address) = (name, address)
        service = try await Service.start(items: items)
        sandbox = try Sandbox()
        try declare("title: text")
    }

    /// Declares columns from the next sync on.
    func declare(_ columns: String) throws {
        let resource = "columns: { \(columns) }, deletes: { detect: complete_listing }"
        let target = "to: \"\(address)\", station: \(name), schema: \(Self.schema)"
        try sandbox.config(service.config(resource: resource) + "\npublish: { fleet: { \(target) } }\n")
    }

    /// Changes, deletes and brings back records, and syncs.
    func change(_ round: Int, _ generator: inout SeededGenerator) async throws {
        for _ in 0..<10 {
            service.items.put(Service.item(Int.random(in: 1...60, using: &generator), title: "round \(round)"))
        }
        for _ in 0..<2 { _ = service.items.remove(String(Int.random(in: 1...60, using: &generator))) }
        let synced = try await sandbox.siding("sync")
        #expect(synced.status == 0, "\(name): \(synced.everything)")
    }

    /// Compares the hub with the station's file.
    ///
    /// - Returns: the number of its rows.
    func expectInHub(_ server: PostgreSQLServer, columns: [String]) async throws -> Int {
        let rows = StationRows(resource: "items", columns: columns)
        let store = try await Store.open(at: sandbox.file("test.db"), access: .readOnly)
        let inFile = try await rows.inFile(store)
        await store.close()
        #expect(try await rows.inHub(server, schema: Self.schema, station: name) == inFile, "\(name)")
        return inFile.count
    }

    /// How many rows the hub has of all stations.
    static func count(in server: PostgreSQLServer) async throws -> [String] {
        try await server.rows("SELECT count(*) FROM @.items", in: schema)
    }
}
