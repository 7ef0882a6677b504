// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingOrigin
import SidingSynchronization
import Testing

/// Writes of a source whose secret cannot be read.
@Suite(.serialized)
struct MissingSecretTests {
    @Test(arguments: [[], ["--wait"]])
    func `with an unreadable secret a write is stored, reported, and sent once the secret is there`(
        more: [String]
    ) async throws {
        let shop = try await QueueShop(source: ", auth: { type: bearer, token: { file: missing.txt } }")
        let sent = try await shop.sandbox.siding(["send", "POST", "shop:/orders", "-d", "{}"] + more)
        #expect(sent.status == 75, "\(sent.everything)")
        #expect(sent.error.contains("not sent, as its source has a secret file missing.txt: "), "\(sent.error)")
        let id = try #require(sent.lines.first.map(String.init))
        let stored = try await shop.sandbox.siding("queue", "show", id, "--json").object()
        #expect(stored["state"]?.string == "queued" && stored["attempts"] == .number(0))
        // A run says what is wrong with the config.
        let run = try await shop.sandbox.siding("queue", "run")
        #expect(run.status == 78, "\(run.everything)")
        #expect(run.error.contains("missing.txt"), "\(run.error)")
        #expect(try await shop.state(id) == "queued")
        #expect(shop.service.targets == [])
        try shop.sandbox.write("token", to: "missing.txt")
        #expect(try await shop.sandbox.siding("queue", "retry", id).status == 0)
        #expect(shop.service.targets == ["/orders"])
        await shop.service.origin.stop()
    }

    @Test func `a missing secret of one source delays no write of another`() async throws {
        let shop = try await QueueShop(
            more: """
                writes: { orders: { source: shop, create: { path: /orders } } }
                """)
        let config = try String(contentsOfFile: shop.sandbox.file("siding.yaml"), encoding: .utf8)
        let bare = "bare: { base_url: \(shop.service.url), auth: { type: bearer, token: { env: NO_TOKEN } } }"
        try shop.sandbox.config(
            config.replacing("\nsources:\n", with: "\nsources:\n  \(bare)\n")
                .replacing("path: /items,", with: "source: shop, path: /items,"))
        let lost = try await shop.sandbox.siding("send", "POST", "bare:/lost", "-d", "{}")
        #expect(lost.status == 75, "\(lost.everything)")
        #expect(try await shop.sandbox.siding("send", "orders.create", "-d", "{}").status == 0)
        let id = try await shop.keep("kept")
        let run = try await shop.sandbox.siding("queue", "run")
        #expect(run.status == 78, "\(run.everything)")
        #expect(try await shop.state(id) == "done")
        #expect(shop.service.targets == ["/orders", "/kept"])
        await shop.service.origin.stop()
    }
}
