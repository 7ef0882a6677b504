// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// An origin that acts and says nothing, or loses what it was sent, but can be asked: one effect, and no person.
@Suite(.serialized)
struct QueueProbeTests {
    private static let tries = Proof.choose(short: 20, middle: 50, long: 500)

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
            let store = try await Store.open(at: sandbox.file("test.db"))
            for _ in 0..<count {
                _ = try await store.enqueue(
                    WriteRequest(to: "shop", .post, HTTPURL("\(service.url)/orders"), body: Array("{}".utf8))
                        .with(
                            \.probe,
                            WriteProbe(
                                "/orders?ref={entry}", mark: JSONPath(member: "ref"), after: .milliseconds(1))))
            }
            await store.close()
        }
    }

    @Test func `a probe finds a write whose answer was lost: one effect, no second send`() async throws {
        let orders = try await Orders(keepsLost: true)
        let sent = try await orders.sandbox.siding("send", "orders.create", "-d", #"{"n":1}"#)
        #expect(sent.status == 75)
        let id = try #require(sent.lines.first.map(String.init))
        let shown = try await orders.sandbox.siding("queue", "show", id)
        #expect(shown.output.contains("it may have reached the origin"))
        #expect(shown.output.contains("ask the origin whether the write arrived"))
        #expect(shown.output.contains("GET /orders?ref=\(id) finds out whether it arrived"))
        #expect(try await orders.sandbox.siding("queue", "run", "--watch").status == 0)
        let done = try await orders.sandbox.siding("queue", "show", id, "--json").object()
        #expect(done["state"]?.string == "done" && done["unknown_since"] == nil)
        #expect(orders.kept == [#"{"n":1,"ref":"\#(id)"}"#])
        #expect(orders.posts == 1)
        await orders.service.origin.stop()
    }

    @Test func `a write that never arrived is sent again, and waited for, without an operator`() async throws {
        let orders = try await Orders(keepsLost: false)
        let sent = try await orders.sandbox.siding("send", "orders.create", "-d", #"{"n":1}"#, "--wait")
        #expect(sent.status == 0)
        #expect(orders.kept.count == 1)
        #expect(orders.posts == 2)
        await orders.service.origin.stop()
    }

    // MARK: Keys of `unknown`

    /// A write whose answer is lost, of an origin that answers the question with `answer`.
    ///
    /// - Parameter unknown: what the config says of finding out.
    private func lost(
        _ unknown: String, answer: @escaping @Sendable (_ id: String) -> OriginResponse
    ) async throws -> (service: Service, sandbox: Sandbox, id: String) {
        let service = try await Service.start(items: 0)
        let sandbox = try Sandbox.with(
            service, source: "retry: { inline: 0, base: 1ms, cap: 2ms }",
            more: "writes: { orders: { create: { path: /orders }, unknown: { \(unknown) } } }")
        service.listen { number, request in
            guard request.method == "POST" else { return answer(String(request.target.suffix(26))) }
            var lost = OriginResponse.json("{}", status: .created)
            if number == 1 { lost.fault = .closeBeforeHead }
            return lost
        }
        let sent = try await sandbox.siding("send", "orders.create", "-d", "{}")
        #expect(sent.status == 75, "\(sent.everything)")
        return (service, sandbox, try #require(sent.lines.first.map(String.init)))
    }

    private func methods(_ service: Service) -> [String] { service.origin.requests.map(\.method) }

    @Test func `the record is looked up where the config says, and recognised by the declared member`() async throws {
        let probe = "probe: { path: /orders, query: { q: \"{entry}\" }, mark: $.meta.ref, records: \"$.found[*]\" }"
        let (service, sandbox, id) = try await lost(probe) { id in
            .json(#"{"near":[{"meta":{"ref":"x"}}],"found":[{"id":7,"meta":{"ref":"\#(id)"}}]}"#)
        }
        #expect(try await sandbox.siding("queue", "retry", id).status == 0)
        #expect(methods(service) == ["POST", "GET"])
        let body = try #require(service.origin.requests.first?.body)
        #expect(String(decoding: body, as: UTF8.self) == #"{"meta":{"ref":"\#(id)"}}"#)
        let done = try await sandbox.siding("queue", "show", id, "--json").object()
        #expect(done["state"]?.string == "done")
        await service.origin.stop()
    }

    @Test(arguments: [("1ms", ["POST", "GET", "POST"]), ("1h", ["POST", "GET"])])
    func `a missing record counts as not written once the settle delay of the config is over`(
        after: String, asked: [String]
    ) async throws {
        let probe = "probe: { path: /orders, query: { ref: \"{entry}\" } }"
        let (service, sandbox, id) = try await lost("\(probe), after: \(after)") { _ in .json("[]") }
        _ = try await sandbox.siding("queue", "retry", id)
        if after == "1ms" { #expect(try await sandbox.siding("queue", "retry", id).status == 0) }
        #expect(methods(service) == asked)
        let state = try await sandbox.siding("queue", "show", id, "--json").object()["state"]?.string
        #expect(state == (after == "1ms" ? "done" : "queued"))
        await service.origin.stop()
    }

    @Test(arguments: [("hold", "parked", ["POST", "GET"]), ("send", "done", ["POST", "GET", "POST"])])
    func `where the probe is inconclusive, the fallback of the config applies`(
        otherwise: String, state: String, asked: [String]
    ) async throws {
        let probe = "probe: { path: /orders, query: { ref: \"{entry}\" } }, after: 1ms"
        let (service, sandbox, id) = try await lost("\(probe), otherwise: \(otherwise)") { _ in
            OriginResponse(status: .forbidden)
        }
        _ = try await sandbox.siding("queue", "retry", id)
        if otherwise == "send" { #expect(try await sandbox.siding("queue", "retry", id).status == 0) }
        #expect(methods(service) == asked)
        #expect(try await sandbox.siding("queue", "show", id, "--json").object()["state"]?.string == state)
        await service.origin.stop()
    }

    @Test(arguments: [true, false])
    func `of many lost writes each acts once`(keepsLost: Bool) async throws {
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
