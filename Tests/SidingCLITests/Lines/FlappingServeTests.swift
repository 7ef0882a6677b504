import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingHTTP
import SidingOrigin
import SidingTesting
import Testing

/// `siding serve`, `siding sync` as cron would run it, and commands of a person, on one file while the line flaps.
@Suite(.serialized)
struct FlappingServeTests {
    @Test func `a daemon, cron and commands share a file while the line flaps: nothing fails, nothing is lost`()
        async throws
    {
        let line = try await FlappingLine()
        let store = try await Store.open(at: line.sandbox.file("test.db"), durability: .normal)
        let page = line.sandbox.file("page.sock")
        let ended = try await line.sandbox.siding(
            ["serve", "--listen", "unix:\(page)"], limit: FlappingLine.span + .seconds(300)
        ) { service in
            try await line.flap(store, beside: { try await Self.look(line) })
            try await Self.expectAgreement(line, page)
            service.send(SIGTERM)
        }
        #expect(ended.status == 0, "\(ended.everything.suffix(2_000))")
        try await line.expectAllThere(store)
        await store.close()
        await line.relay.stop()
        await line.origin.stop()
    }

    /// What a person runs meanwhile, without an error.
    private static func look(_ line: FlappingLine) async throws {
        for command in [
            ["status"], ["queue", "list"], ["runs", "list"], ["records", "count", "r1"], ["db", "check"],
        ] {
            let ended = try await line.sandbox.siding(command)
            #expect(ended.status == 0, "\(command): \(ended.everything)")
        }
    }

    /// The page, `/metrics` and `siding status --json` say the same.
    private static func expectAgreement(_ line: FlappingLine, _ socket: String) async throws {
        let status = try await line.sandbox.siding("status", "--json").object()
        let metrics = try await get("/metrics", socket)
        let page = try await get("/", socket)
        for resource in try #require(status["resources"]?.array) {
            let name = try #require(resource["resource"]?.string)
            let records = try #require(resource["records"]?.int)
            #expect(records == FlappingLine.records)
            #expect(
                metrics.contains(#"siding_resource_records{resource="\#(name)",source="far"} \#(records)"#),
                "\(metrics)")
            #expect(page.contains(">\(name)</a>"))
        }
        #expect(page.contains("\(FlappingLine.records)"))
    }

    private static func get(_ path: String, _ socket: String) async throws -> String {
        let transport = HTTPTransport(HTTPTransportConfiguration(settings: TransportSettings()))
        let url = try HTTPURL("http+unix://\(socket.replacing("/", with: "%2F"))\(path)")
        let reply = try await transport.send(url.request(.get, headerFields: [:]), body: .none)
        let text = String(decoding: try await reply.body.collect(upTo: 1 << 24), as: UTF8.self)
        await transport.shutdown()
        return text
    }
}
