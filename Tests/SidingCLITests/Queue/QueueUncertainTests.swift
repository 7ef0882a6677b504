// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingHTTP
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// An origin that acts and says nothing: with a key that it honours one effect, without one no second try.
@Suite(.serialized)
struct QueueUncertainTests {
    private static let tries = Proof.choose(short: 20, middle: 50, long: 500)

    /// An origin that acts on every `POST /orders` and never answers it, each time in another way.
    private struct Silent {
        let service: Service
        let sandbox: Sandbox
        private let generator = Box(SeededGenerator(seed: 11))

        private final class Box: Sendable {
            let value: Mutex<SeededGenerator>
            init(_ generator: SeededGenerator) { value = Mutex(generator) }
        }

        init() async throws {
            service = try await Service.start(items: 1)
            sandbox = try Sandbox.with(service, source: "retry: { inline: 2, base: 1ms, cap: 2ms }")
            service.listen { [generator] _, request in
                guard request.path == "/orders" else { return nil }
                let faults: [OriginFault] = [.closeBeforeHead, .resetBeforeHead, .garbageHead]
                var answer = OriginResponse.json("{}", status: .created)
                answer.fault = generator.value.withLock { faults.randomElement(using: &$0) }
                return answer
            }
        }

        func enqueue(_ count: Int, _ idempotency: Idempotency?) async throws {
            let store = try await Store.open(at: sandbox.file("test.db"))
            for _ in 0..<count {
                _ = try await store.enqueue(
                    WriteRequest(
                        to: "shop", .post, HTTPURL("\(service.url)/orders"), body: Array("{}".utf8),
                        idempotency: idempotency))
            }
            await store.close()
        }

        /// How often each key arrived.
        var arrivals: [String: Int] {
            let orders = service.origin.requests.filter { $0.path == "/orders" }
            return Dictionary(
                orders.compactMap { $0.headerFields[.idempotencyKey] }.map { ($0, 1) }, uniquingKeysWith: +)
        }
    }

    @Test func `without an honoured key, a write that may have arrived is parked and never sent again`() async throws {
        let silent = try await Silent()
        try await silent.enqueue(Self.tries, nil)
        let sandbox = silent.sandbox
        // By name, each is tried although the source has failed so often by then.
        let first = try await sandbox.siding(["queue", "retry", "--all"], limit: .seconds(600))
        #expect(first.status == 75)
        let parked = try await sandbox.siding("queue", "list", "--json").objects()
        #expect(parked.count == Self.tries)
        #expect(parked.allSatisfy { $0["state"]?.string == "parked" && $0["reason"]?.string == "uncertain" })
        #expect(silent.arrivals.count == Self.tries)

        for command in [
            ["queue", "run"], ["sync"], ["queue", "run", "--watch"], ["queue", "hold", "--all"], ["status"],
        ] {
            _ = try await sandbox.siding(command)
        }
        #expect(silent.arrivals.values.allSatisfy { $0 == 1 }, "a second send")
        #expect(try await sandbox.siding("queue", "list", "--json", "--state", "parked").lines.count == Self.tries)
        await silent.service.origin.stop()
    }

    @Test func `a command's own write is parked as well, exit 75, and reported as uncertain`() async throws {
        let silent = try await Silent()
        let sent = try await silent.sandbox.siding("send", "POST", "shop:/orders", "-d", "{}")
        #expect(sent.status == 75)
        #expect(sent.error.contains("parked: uncertain"))
        let id = try #require(sent.lines.first.map(String.init))
        let shown = try await silent.sandbox.siding("queue", "show", id)
        #expect(shown.output.contains("it may have reached the origin, and sending it twice could do harm"))
        // Only a person may say that it is to be sent once more; it carries the same key then.
        #expect(try await silent.sandbox.siding("queue", "retry", id).status == 75)
        #expect(Array(silent.arrivals.values) == [2])
        await silent.service.origin.stop()
    }

    @Test func `with a key that is honoured it is sent again under that key, and done once`() async throws {
        let ledger = WriteLedger(.init(lostAfter: 0.5), seed: 3)
        let service = try await Service.start(items: 1, routes: [ledger])
        let sandbox = try Sandbox.with(service, source: "retry: { inline: 2, base: 1ms, cap: 2ms }")
        let store = try await Store.open(at: sandbox.file("test.db"))
        for number in 1...Self.tries {
            _ = try await store.enqueue(
                WriteRequest(
                    to: "shop", .post, HTTPURL("\(service.url)/lanes/all/\(number)"), body: Array("{}".utf8),
                    idempotency: Idempotency()))
        }
        await store.close()
        for _ in 0..<Self.tries where try await !sandbox.siding("queue", "list", "--json").lines.isEmpty {
            _ = try await sandbox.siding("queue", "run")
        }
        let page = ledger.entries
        #expect(try await sandbox.siding("queue", "list", "--json", "--state", "done").lines.count == Self.tries)
        #expect(page.arrivals.count > Self.tries)
        #expect(page.effects.count == Self.tries)
        #expect(page.duplicates == 0)
        await service.origin.stop()
    }
}
