// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingHTTP
import SidingTesting
import Testing

/// `siding serve`, `siding sync` as cron would run it, and commands of a person, on one file while the line flaps.
///
/// Without the right to make network namespaces only over the relay.
@Suite(.serialized)
struct FlappingServeTests {
    private static let span = min(FlappingLine.span, .seconds(300))

    @Test(arguments: FlappingLink.Kind.possible)
    func `a daemon, cron and commands share a file while the line flaps: nothing fails, nothing is lost`(
        over kind: FlappingLink.Kind
    ) async throws {
        let line = try await FlappingLine(over: kind, for: Self.span)
        let store = try await Store.open(at: line.sandbox.file("test.db"), durability: .normal)
        let page = line.sandbox.file("page.sock")
        let ended = try await line.siding(
            ["serve", "--listen", "unix:\(page)"], limit: Self.span * 2 + .seconds(300)
        ) { service in
            try await line.flap(
                store, beside: { try await Self.look(line) },
                // Two of three are made by this process, as by a program that embeds Siding.
                write: { try await $0.isMultiple(of: 3) ? line.send($0) : line.write($0, store) })
            try await line.expectAllThere(store)
            try await Self.leaveEntries(line)
            try await line.drained(store)
            try line.configure(maxAge: "1h")
            service.send(SIGHUP)
            try await Self.expectAgreement(line, page)
            service.send(SIGTERM)
        }
        #expect(ended.status == 0, "\(ended.everything.suffix(2_000))")
        #expect(!ended.error.contains("error: "), "\(ended.error)")
        #expect(try await store.entries(QueueSelection(states: [.sending])).isEmpty, "claimed")
        #expect(try await store.leases().isEmpty)
        await store.close()
        await line.stop()
    }

    /// What a person runs meanwhile, without an error.
    private static func look(_ line: FlappingLine) async throws {
        for command in [
            ["status"], ["queue", "list"], ["runs", "list"], ["records", "count", "r1"], ["db", "check"],
        ] {
            let ended = try await line.siding(command)
            // 5: a resource is older than its max_age.
            #expect(ended.status == 0 || command == ["status"] && ended.status == 5, "\(command): \(ended.everything)")
        }
    }

    /// One entry that waits, one that is held, one that was rejected.
    private static func leaveEntries(_ line: FlappingLine) async throws {
        let waiting = try await line.siding(["send", "POST", "near:/later", "-d", "{}"])
        #expect(waiting.status == 75, "\(waiting.everything)")
        let rejected = try await line.siding(["send", "POST", "far:/refused", "-d", "{}"])
        // 75: the answer took longer than the time limits of the line, which are short; the service sends it again.
        #expect([69, 75].contains(rejected.status), "\(rejected.everything)")
        let held = try await line.siding(["send", "POST", "near:/held", "-d", "{}", "--no-send", "--lane", "held"])
        let id = try #require(held.lines.first)
        #expect(try await line.siding(["queue", "hold", String(id)]).status == 0)
    }

    /// The page, `/metrics`, `/api/status` and `siding status --json` say the same, once the last sync has ended.
    private static func expectAgreement(_ line: FlappingLine, _ socket: String) async throws {
        func status() async throws -> ShownState {
            try await #require(ShownState(status: line.siding(["status", "--json"]).object()))
        }
        var (state, metrics, page, api) = (try await status(), "", "", "")
        while true {
            metrics = try await get("/metrics", socket)
            page = try await get("/", socket)
            api = try await get("/api/status", socket)
            let next = try await status()
            if next == state, state.resources.values.allSatisfy(\.isFresh) { break }
            state = next
        }
        #expect(state.resources.count == FlappingLine.resources)
        #expect(state.resources.values.allSatisfy { $0.records == FlappingLine.records })
        #expect(state.queue == ["queued": 1, "parked": 2])
        #expect(ShownState(metrics: metrics) == state, "\(metrics)")
        #expect(ShownState(page: page) == state, "\(page)")
        #expect(try ShownState(status: JSONDecoder().decode([String: JSONValue].self, from: Data(api.utf8))) == state)
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
