// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import Testing

/// Asking for changes only, with the binary, over a socket, into a file.
@Suite(.serialized)
struct IncrementalTests {
    /// An origin that lists what changed since a stamp, and a config that asks it so.
    private func start(
        _ cursor: String = "{ path: $.at, type: integer }",
        hearing listener: @escaping @Sendable (OriginRequest) async -> Void = { _ in }
    ) async throws -> (Origin, Dataset, Sandbox) {
        let items = Dataset((1...25).map(Self.item))
        let listing = RecordListing(
            "/items", of: items, paging: .link, pageSize: 10, sinceParameter: "since", validators: [.etag])
        let origin = try await Origin.start { request in
            await listener(request)
            return await listing.answer(request) ?? .notFound
        }
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { here: { base_url: "\(origin.url.origin)", retry: { inline: 0 } } }
            resources:
              items: { path: /items, key: id, query: { since: "{cursor}", until: "{until}" }, cursor: \(cursor) }
              plain: { path: /items, key: id }
              endless: { path: /items, key: id, query: { since: "{cursor}" }, cursor: \(cursor) }
            """)
        return (origin, items, sandbox)
    }

    private static func cursor(_ sandbox: Sandbox) async throws -> JSONValue? {
        try await sandbox.siding("state", "show", "items", "--json").object()["cursor"]
    }

    private static func item(_ number: Int) -> Dataset.Record {
        Dataset.Record(
            key: "\(number)", json: #"{"id":\#(number),"at":\#(100 + number)}"#, stamp: String(100 + number))
    }

    @Test func `a second sync requests changes, and state shows how far it has come`() async throws {
        let (origin, items, sandbox) = try await start()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(try await sandbox.siding("state", "show", "items", "--json").object()["cursor"] == .string("125"))
        items.put(Self.item(26))
        origin.forgetRequests()
        #expect(try await sandbox.siding("plan", "items").output.contains("changes since 125"))
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(origin.requests.map(\.target) == ["/items?since=125"])
        #expect(try await sandbox.siding("state").output.contains("126"))
        #expect(try await sandbox.siding("records", "count", "items").output.contains("26"))
        await origin.stop()
    }

    @Test func `where the high-water mark is the least value, the next sync requests from there`() async throws {
        let (origin, _, sandbox) = try await start("{ path: $.at, type: integer, keep: min }")
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(try await sandbox.siding("state", "show", "items", "--json").object()["cursor"] == .string("101"))
        origin.forgetRequests()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(origin.requests.first?.target == "/items?since=101")
        await origin.stop()
    }

    @Test func `an operator sets and resets the cursor`() async throws {
        let (origin, _, sandbox) = try await start()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(try await sandbox.siding("state", "set", "items", "107").status == 0)
        origin.forgetRequests()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(origin.requests.first?.target == "/items?since=107")
        #expect(try await sandbox.siding("state", "reset", "items", "--dry-run").error.contains("would be forgotten"))
        #expect(try await sandbox.siding("state", "show", "items", "--json").object()["cursor"] != nil)
        #expect(try await sandbox.siding("state", "reset", "items").status == 0)
        #expect(try await sandbox.siding("state", "show", "items", "--json").object()["cursor"] == nil)
        origin.forgetRequests()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(origin.requests.first?.target == "/items")
        await origin.stop()
    }

    @Test func `since and backfill request the given range, and the history shows it`() async throws {
        let (origin, _, sandbox) = try await start()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        origin.forgetRequests()
        #expect(try await sandbox.siding("sync", "items", "--since", "120").status == 0)
        #expect(try await sandbox.siding("sync", "items", "--backfill", "103..109").status == 0)
        #expect(origin.requests.map(\.target).contains("/items?since=120"))
        #expect(origin.requests.map(\.target).contains("/items?since=103&until=109"))
        #expect(try await sandbox.siding("runs", "list").output.contains("--backfill 103..109"))
        #expect(try await sandbox.siding("state", "show", "items", "--json").object()["cursor"] == .string("125"))
        await origin.stop()
    }

    @Test(arguments: [
        ["sync", "plain", "--since", "3"], ["sync", "items", "--since", "yesterday"],
        ["sync", "items", "--backfill", "3"], ["sync", "items", "--backfill", "9..3"],
        ["sync", "endless", "--backfill", "3..9"], ["sync", "items", "--since", "3", "--full"],
        ["state", "set", "plain", "3"],
        ["state", "set", "items", "x"],
    ])
    func `a value that is not one of the cursor's is a usage error`(_ arguments: [String]) async throws {
        let (origin, _, sandbox) = try await start()
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(try await sandbox.siding(arguments).status == 64)
        await origin.stop()
    }

    @Test func `a resource that was never synced cannot be set, and an unknown one is not found`() async throws {
        let (origin, _, sandbox) = try await start()
        #expect(try await sandbox.siding("sync", "plain").status == 0)
        #expect(try await sandbox.siding("state", "set", "items", "3").status == 66)
        #expect(try await sandbox.siding("state", "set", "nope", "3").status == 66)
        #expect(try await sandbox.siding("state", "show", "nope").status == 66)
        await origin.stop()
    }

    @Test func `a listing of changes that is killed between two pages loses no change`() async throws {
        let (third, place) = (Promise<Child>(), Promise<Sandbox>())
        let (origin, items, sandbox) = try await start("{ path: $.at, type: integer, order: asc }") { request in
            guard request.target.contains("since=125"), request.target.contains("page=3") else { return }
            // The pages before are saved while this one is under way.
            guard let stored = try? await place.value() else { return }
            while (try? await Self.cursor(stored)) == .string("125") {}
            try? await third.value().send(SIGKILL)
        }
        place.fulfil(sandbox)
        #expect(try await sandbox.siding("sync", "items").status == 0)
        for number in 26...60 { items.put(Self.item(number)) }
        origin.forgetRequests()
        #expect(try await sandbox.siding(["sync", "items"]) { third.fulfil($0) }.status == 137)
        #expect(try await Self.cursor(sandbox) != .string("125"))
        #expect(try await sandbox.siding("sync", "items").status == 0)
        #expect(try await sandbox.siding("records", "count", "items").output.contains("60"))
        #expect(try await Self.cursor(sandbox) == .string("160"))
        #expect(origin.requests.count { $0.target == "/items?since=125" } == 1)
        await origin.stop()
    }
}
