// SPDX-License-Identifier: Apache-2.0
import SidingKit
import SidingOrigin
import SidingTesting
import Testing

/// A resource that a program only writes to, such as orders.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WrittenResourceTests {
    private struct Order: Codable, Sendable, Equatable { var id: Int, product: Int }

    private struct Draft: Codable, Sendable { var product: Int }

    @Test func `it is never requested, its pending creations can be read, and delivered ones are models`() async throws
    {
        let directory = try TemporaryDirectory()
        let origin = try await Origin.start { _ in .json(#"{"data":{"id":7}}"#, status: .created) }
        let shop = try Source(baseURL: origin.url.origin)
        let orders = try Resource<Order>("orders", from: shop, at: "/orders", key: \.id)
        let siding = try await Siding(
            store: .sqlite(path: directory.path(of: "shop.db")), resources: [], sources: [shop],
            transports: HTTPTransports())
        let entry = try await siding.create(Draft(product: 3), in: orders, sendsNow: false)
        #expect(entry.state == .queued && origin.requests.isEmpty)
        #expect(try await siding.pendingCreations(of: orders).map(\.key) == [entry.recordKey])
        #expect(try await siding.records(of: orders).array() == [])
        try await siding.drain()
        #expect(try await siding.pendingCreations(of: orders).isEmpty)
        #expect(try await siding.records(of: orders).array() == [Order(id: 7, product: 3)])
        #expect(origin.requests.map { "\($0.method) \($0.path)" } == ["POST /orders"])
        await siding.close()
        await origin.stop()
    }
}
