// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgreSQLTestSupport
import SidingOrigin
import SidingPostgreSQL
import SidingSynchronization
import Testing

/// `siding serve` publishes beside its syncs.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct PublishServiceTests {
    private let schema = "t\(UInt64.random(in: .min ... .max))"

    private func sandbox(_ service: Service, _ address: String) throws -> Sandbox {
        let sandbox = try Sandbox()
        let resource = "columns: { title: text }, max_age: 100ms"
        let target = "to: \"\(address)\", station: van-1, schema: \(schema), every: 100ms"
        try sandbox.config(service.config(resource: resource) + "\npublish: { fleet: { \(target) } }\n")
        return sandbox
    }

    private func titles(_ server: PostgreSQLServer) async throws -> [String] {
        let connection = try await server.open()
        defer { Task { await connection.close() } }
        guard try await connection.query("SELECT to_regclass('\"\(schema)\".items')")[0, 0] != nil else { return [] }
        let found = try await connection.query("SELECT title FROM \"\(schema)\".items_live ORDER BY siding_key")
        return found.rows.compactMap { $0[0] }
    }

    @Test func `what a service syncs is in the hub soon, and it stops in time`() async throws {
        let server = try PostgreSQLServer.shared.get()
        let service = try await Service.start(items: 2)
        let sandbox = try sandbox(service, server.settings().address)
        let ended = try await sandbox.serve { _ in
            while try await titles(server) != ["item 1", "item 2"] { try await Task.sleep(for: .milliseconds(50)) }
            service.items.put(Service.item(2, title: "new"))
            while try await titles(server) != ["item 1", "new 2"] { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(!ended.error.contains("cannot publish"), "\(ended.error)")
        await service.origin.stop()
    }

    @Test func `a hub that is down is told once, and syncs go on`() async throws {
        let service = try await Service.start(items: 2)
        let sandbox = try Sandbox()
        // Takes connections, and closes them at once.
        let listener = try UnixSocket.listen(in: sandbox.file(""))
        let attempts = Mutex(0)
        let closer = Thread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                attempts.withLock { $0 += 1 }
                close(client)
            }
        }
        closer.start()
        let target = "to: \"host=\(sandbox.file("")) dbname=x user=x\", every: 100ms"
        let resource = "max_age: 100ms"
        try sandbox.config(service.config(resource: resource) + "\npublish: { fleet: { \(target) } }\n")
        let ended = try await sandbox.serve { _ in
            while attempts.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(50)) }
            service.items.put(Service.item(3))
            while try await sandbox.count() != 3 { try await Task.sleep(for: .milliseconds(50)) }
        }
        #expect(ended.status == 0, "\(ended.error)")
        #expect(ended.error.components(separatedBy: "cannot publish").count == 2, "\(ended.error)")
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        await service.origin.stop()
    }
}
