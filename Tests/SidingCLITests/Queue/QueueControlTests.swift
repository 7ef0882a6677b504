// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

/// What the kill harness looks for is there where the queue's own means are taken away: it can see.
@Suite(.serialized)
struct QueueControlTests {
    /// Sends 60 keyed writes through a bad line, with the transports that `wrap` makes of the real ones.
    private func send(
        seed: UInt64, _ wrap: (any TransportFactory) -> any TransportFactory
    ) async throws -> WriteLedger.Page {
        let ledger = WriteLedger(.init(lostBefore: 0.1, lostAfter: 0.4), seed: seed)
        let service = try await Service.start(items: 1, routes: [ledger])
        let sandbox = try Sandbox()
        let store = try await Store.open(at: sandbox.file("test.db"))
        let source = Source(
            name: "shop", baseURL: try HTTPURL(service.url),
            retry: RetryPolicy(retries: 1, backoff: Backoff(base: .milliseconds(1), cap: .milliseconds(2)))
        )
        .with(\.idempotency, Idempotency())
        for number in 1...60 {
            _ = try await store.enqueue(
                WriteRequest(
                    to: "shop", .post, HTTPURL("\(service.url)/lanes/l\(number % 6)/\(number)"), body: Array("{}".utf8),
                    idempotency: source.idempotency
                )
                .with(\.lane, "l\(number % 6)"))
        }
        let http = HTTPTransports()
        let sender = WriteSender(store: store, sources: [source], transports: wrap(http))
        while try await !store.entries(QueueSelection()).isEmpty {
            try await store.endWaits(of: nil, because: .retryRequested)
            _ = try await sender.drain()
        }
        await http.shutdown()
        await store.close()
        await service.origin.stop()
        return ledger.entries
    }

    @Test func `with its own key each write is done once, although many were sent more often`() async throws {
        let page = try await send(seed: 7) { $0 }
        #expect(page.arrivals.count > 60)
        #expect(Set(page.arrivals).count == 60)
        #expect(page.effects.count == 60)
        #expect(page.duplicates == 0)
        #expect(page.inversions() == 0)
    }

    @Test func `with a fresh key for each try, writes are done twice, and the harness sees it`() async throws {
        let page = try await send(seed: 7) { FreshKeys(transports: $0) }
        #expect(Set(page.arrivals).count == page.arrivals.count)
        #expect(page.duplicates > 0)
    }
}

/// What a careless client does: a new key for each try.
private struct FreshKeys: TransportFactory, Transport {
    let transports: any TransportFactory
    var line: (any Transport)?

    func transport(for account: String, _ settings: TransportSettings) -> any Transport {
        FreshKeys(transports: transports, line: transports.transport(for: account, settings))
    }

    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        guard let line else { throw Failure(.internalFault, phase: .notSent) }
        var request = request
        request.headerFields[.idempotencyKey] = UUID().uuidString
        return try await line.send(request, body: body)
    }
}
