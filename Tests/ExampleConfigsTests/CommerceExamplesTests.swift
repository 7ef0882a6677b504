// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingManifest
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct CommerceExamplesTests {
    private static let customers = "GET https://api.stripe.com/v1/customers?limit=100"
    private static let events = "GET https://api.stripe.com/v1/events"

    @Test func `stripe: pages after the last record, and a restart where that record was deleted`() async throws {
        let bench = try await ExampleBench("stripe", secrets: ["STRIPE_SECRET_KEY": "rk_test_example"])
        let report = try await bench.sync("customers")
        #expect(report.result.outcome == .saved)
        #expect(report.warnings.contains { $0.hasPrefix("restarted") })
        let requests = bench.transport.takeRequests()
        #expect(
            requests.map(WatchedTransport.line) == [
                Self.customers, "\(Self.customers)&starting_after=cus_Gone", Self.customers,
                "\(Self.customers)&starting_after=cus_Two",
            ])
        // The first complete listing deletes nothing; the second asks about what it lacks.
        #expect(report.result.counters.deleted == 0)
        #expect(try await bench.sync("customers").result.counters.deleted == 1)
        #expect(
            bench.asked() == [
                Self.customers, "\(Self.customers)&starting_after=cus_Two",
                "GET https://api.stripe.com/v1/customers/cus_Gone",
            ])
        #expect(requests.allSatisfy { $0.headerFields[.authorization] == "Bearer rk_test_example" })
        #expect(requests.allSatisfy { $0.field("Stripe-Version") == "2024-06-20" })
        #expect(
            try await bench.rows("SELECT id, email, balance, created FROM customers ORDER BY id")
                == [
                    "cus_One|one@example.com|-500|2026-11-20T00:00:00.000Z", "cus_Three|-|0|2026-11-18T00:00:00.000Z",
                    "cus_Two|two@example.com|0|2026-11-19T00:00:00.000Z",
                ])

        #expect(try await bench.sync("events").result.counters.inserted == 2)
        #expect(bench.asked() == ["\(Self.events)?limit=100", "\(Self.events)?limit=100&starting_after=evt_2"])
        #expect(try await bench.cursor("events") == "1795262400")
        #expect(
            try await bench.rows("SELECT id, type, object, created FROM events ORDER BY created DESC LIMIT 1")
                == ["evt_2|customer.updated|cus_One|2026-11-21T12:00:00.000Z"])

        // Another request had the object in hand: 429 again, and the source is left alone for a minute.
        #expect(try await bench.sync("events").result.outcome == .queued)
        #expect(bench.asked() == ["\(Self.events)?created%5Bgte%5D=1795262100&limit=100"])
        bench.wall.advance(by: .seconds(61))
        #expect(try await bench.sync("subscriptions").result.outcome == .saved)
        _ = bench.asked()
        #expect(
            try await bench.rows("SELECT siding_parent, id, price, quantity FROM subscriptions_items") == [
                "sub_1|si_1|price_Basic|2"
            ])
        #expect(try await bench.sync("events").result.counters.inserted == 1)
        #expect(bench.asked() == ["\(Self.events)?created%5Bgte%5D=1795262100&limit=100"])
        #expect(try await bench.cursor("events") == "1795345200")

        let source = try #require(bench.config.sources.first)
        let write = WriteRequest(
            to: source.name, .post, try source.baseURL.appending(path: "/customers"),
            headerFields: [.contentType: "application/x-www-form-urlencoded"], body: Array("name=Ada".utf8),
            idempotency: source.idempotency
        )
        .with(\.key, "key-1")
        #expect(try await bench.send(write).state == .done)
        #expect(bench.transport.takeRequests().map { $0.field("Idempotency-Key") } == ["key-1"])

        // What a subscription was is still there.
        #expect(try await bench.sync("subscriptions").result.counters.updated == 1)
        #expect(try await bench.rows("SELECT status FROM subscriptions") == ["past_due"])
        #expect(try await bench.rows("SELECT body ->> '$.status' FROM siding_history") == ["active"])
        #expect(bench.transport.unused.isEmpty)
    }

    @Test func `shopify: page_info alone in next links, and a Retry-After of two seconds`() async throws {
        let bench = try await ExampleBench("shopify", secrets: ["SHOPIFY_ACCESS_TOKEN": "shpat_example"])
        let orders = "GET https://your-store.myshopify.com/admin/api/2026-10/orders.json"
        #expect(try await bench.sync("orders").result.counters.inserted == 3)
        let first = bench.transport.takeRequests()
        #expect(
            first.map(WatchedTransport.line) == [
                "\(orders)?limit=250&status=any", "\(orders)?limit=250&page_info=eyJsYXN0X2lkIjo0NTB9",
            ])
        #expect(first.allSatisfy { $0.field("X-Shopify-Access-Token") == "shpat_example" })
        #expect(
            try await bench.rows("SELECT id, name, total_price, customer_id, updated_at FROM orders ORDER BY id") == [
                "450|#1001|199.5|207|2026-11-20T15:00:00.000Z", "451|#1002|10.0|-|2026-11-19T15:00:00.000Z",
                "452|#1003|25.0|208|2026-11-18T15:00:00.000Z",
            ])
        #expect(
            try await bench.rows("SELECT siding_parent, sku, quantity, price FROM orders_lines ORDER BY 1, 2")
                == ["450|CAP-1|1|99.5", "450|CUP-2|2|50.0"])
        #expect(try await bench.cursor("orders") == "2026-11-20T10:00:00-05:00")
        // Two requests a second, and no more.
        bench.wall.advance(by: .seconds(2))

        #expect(try await bench.sync("orders").result.outcome == .queued)
        let since = "\(orders)?limit=250&status=any&updated_at_min=2026-11-20T14%3A55%3A00Z"
        #expect(bench.asked() == [since])
        let entry = try #require(try await bench.entries().first)
        #expect(entry.nextAttemptAt == bench.wall.now + .seconds(2))
        bench.wall.advance(by: .seconds(3))
        #expect(try await bench.sync("orders").result.counters.updated == 1)
        #expect(bench.asked() == [since])
        #expect(try await bench.rows("SELECT cancelled_at FROM orders WHERE id = 451") == ["2026-11-21T15:00:00.000Z"])
        #expect(bench.transport.unused.isEmpty)
    }
}
