import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingOrigin
import SidingSynchronization
import Testing

/// An origin that acts and says nothing, or loses what it was sent, but can be asked: one effect, and no person.
@Suite(.serialized)
struct QueueProbeTests {
    private static let tries = ProcessInfo.processInfo.environment["SIDING_PROOF"] == "1" ? 500 : 40

    /// An origin that keeps orders and finds them by `ref`, but whose answers to the first try of each are lost.
    private struct Orders {
        let service: Service
        let sandbox: Sandbox
        private let board = Board()

        private final class Board: Sendable {
            let state = Mutex<(kept: [String], seen: Set<String>)>(([], []))

            /// Whether the request is one for its order's first time.
            func isFirst(_ order: String) -> Bool { state.withLock { $0.seen.insert(order).inserted } }
            func keep(_ order: String) { state.withLock { $0.kept.append(order) } }
            var kept: [String] { state.withLock { $0.kept } }
        }

        /// - Parameter keepsLost: whether the origin acts on a try whose answer is lost.
        init(keepsLost: Bool) async throws {
            service = try await Service.start(items: 1)
            sandbox = try Sandbox.with(
                service, source: "retry: { inline: 2, base: 1ms, cap: 2ms }",
                more: """
                    writes:
                      orders:
                        create: { path: /orders }
                        unknown: { probe: { path: /orders, query: { ref: "{entry}" } }, after: 1ms }
                    """)
            service.listen { [board] _, request in
                guard request.path == "/orders" else { return nil }
                guard request.method == "POST" else {
                    let found = board.kept.filter { $0.contains(#""ref":"\#(request.target.suffix(26))""#) }
                    return .json("[\(found.joined(separator: ","))]")
                }
                let order = String(decoding: request.body, as: UTF8.self)
                let isFirst = board.isFirst(order)
                if !isFirst || keepsLost { board.keep(order) }
                var answer = OriginResponse.json(order, status: .created)
                if isFirst { answer.fault = .closeBeforeHead }
                return answer
            }
        }

        var kept: [String] { board.kept }
        var posts: Int { service.origin.requests.filter { $0.path == "/orders" && $0.method == "POST" }.count }

        func enqueue(_ count: Int) async throws {
            let store = try await SQLiteStore.open(at: sandbox.file("test.db"))
            for _ in 0..<count {
                _ = try await store.enqueue(
                    WriteRequest(
                        to: "shop", .post, HTTPURL("\(service.url)/orders"), body: Array("{}".utf8),
                        probe: WriteProbe(
                            "/orders?ref={entry}", mark: JSONPath(member: "ref"), after: .milliseconds(1))))
            }
            await store.close()
        }
    }

    @Test func `What the origin did without a word is found there: one effect, no second send`() async throws {
        let orders = try await Orders(keepsLost: true)
        let sent = try await orders.sandbox.siding("send", "orders.create", "-d", #"{"n":1}"#)
        #expect(sent.status == 75)
        let id = try #require(sent.lines.first.map(String.init))
        let shown = try await orders.sandbox.siding("queue", "show", id)
        #expect(shown.output.contains("it may have reached the origin"))
        #expect(shown.output.contains("ask the origin whether it has it"))
        #expect(shown.output.contains("GET /orders?ref=\(id) finds out whether it arrived"))
        #expect(try await orders.sandbox.siding("queue", "run", "--watch").status == 0)
        let done = try await orders.sandbox.siding("queue", "show", id, "--json").object()
        #expect(done["state"]?.string == "done" && done["unknown_since"] == nil)
        #expect(orders.kept == [#"{"n":1,"ref":"\#(id)"}"#])
        #expect(orders.posts == 1)
        await orders.service.origin.stop()
    }

    @Test func `What never got there is sent again, and waited for, without a person`() async throws {
        let orders = try await Orders(keepsLost: false)
        let sent = try await orders.sandbox.siding("send", "orders.create", "-d", #"{"n":1}"#, "--wait")
        #expect(sent.status == 0)
        #expect(orders.kept.count == 1)
        #expect(orders.posts == 2)
        await orders.service.origin.stop()
    }

    @Test(arguments: [true, false])
    func `Of many lost writes each acts once`(keepsLost: Bool) async throws {
        let orders = try await Orders(keepsLost: keepsLost)
        try await orders.enqueue(Self.tries)
        // By name, each is tried although the source has failed so often by then: sent, asked about, and sent again.
        for _ in 0..<(keepsLost ? 2 : 3) {
            _ = try await orders.sandbox.siding(["queue", "retry", "--all"], limit: .seconds(600))
        }
        #expect(try await orders.sandbox.siding("queue", "list", "--json").output == "")
        #expect(
            try await orders.sandbox.siding("queue", "list", "--json", "--state", "done").lines.count == Self.tries)
        #expect(orders.kept.count == Self.tries)
        #expect(orders.posts == (keepsLost ? Self.tries : 2 * Self.tries))
        await orders.service.origin.stop()
    }
}
