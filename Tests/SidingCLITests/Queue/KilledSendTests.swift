// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingOrigin
import SidingSynchronization
import Testing

/// What becomes of a write whose sender was killed.
@Suite(.serialized)
struct KilledSendTests {
    @Test func `a sync reclaims the entry of a killed send`() async throws {
        let shop = try await QueueShop()
        let child = Promise<Child>()
        shop.service.listen { _, request in
            if request.method == "PUT" { try? await child.value().send(SIGKILL) }
            return request.method == "GET" ? nil : .json("{}", status: .created)
        }
        let killed = try await shop.sandbox.siding(["send", "PUT", "shop:/orders/4", "-d", "{}"]) { child.fulfil($0) }
        #expect(killed.status == 137)
        let id = try #require(killed.lines.first.map(String.init))
        #expect(try await shop.state(id) == "sending")
        shop.service.listen { _, request in request.method == "GET" ? nil : .json("{}", status: .created) }
        // Each look takes one step: it is taken up, and it is sent.
        for _ in 0..<2 { _ = try await shop.sandbox.siding("sync") }
        #expect(try await shop.state(id) == "done")
        await shop.service.origin.stop()
    }

    @Test(arguments: [["queue", "run"], ["sync"]])
    func `a write that a killed send may have delivered is reported as uncertain when it is parked`(
        command: [String]
    ) async throws {
        let shop = try await QueueShop()
        let child = Promise<Child>()
        shop.service.listen { _, request in
            if request.method == "POST" { try? await child.value().send(SIGKILL) }
            return nil
        }
        let killed = try await shop.sandbox.siding(["send", "POST", "shop:/orders", "-d", "{}"]) { child.fulfil($0) }
        #expect(killed.status == 137)
        let told = try await shop.sandbox.siding(command)
        #expect(told.status == 75)
        #expect(
            told.error.contains(
                "1 write parked: it may have arrived (uncertain); 'siding queue list --state parked --reason uncertain' shows it"
            ), "\(told.error)")
        #expect(!told.error.contains("without being sent"))
        #expect(shop.service.targets.count { $0 == "/orders" } == 1)
        await shop.service.origin.stop()
    }
}
