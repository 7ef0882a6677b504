// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

/// Pages that the line cannot carry: 1 MiB each, over a line that breaks off behind 200 KiB, through the executable.
@Suite struct PageSizeSyncTests {
    private static let records = Proof.choose(short: 1_000, middle: 2_000, long: 4_000)
    private static let sizes = "size: { max: 1000, min: 10 }"

    private static let kinds: [(paging: OriginPaging, declared: String)] = [
        (.page(), "type: page, size_param: limit"), (.offset(), "type: offset"),
        (.link, "type: link_header, size_param: limit"),
        (.cursor(member: ["next"]), "type: cursor, path: $.next, param: cursor, size_param: limit"),
    ]

    private func line(
        _ paging: OriginPaging, _ declared: String
    ) async throws -> (sandbox: Sandbox, origin: Origin, relay: Relay, items: Dataset) {
        let items = Dataset.filled(Self.records, size: 1_040)
        let listing = RecordListing("/items", of: items, paging: paging, pageSize: 1_000, validators: [.etag])
        let origin = try await Origin.start(compresses: false) { await listing.answer($0) ?? .notFound }
        let relay = try await Relay.start(to: origin.url)
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              depot: { base_url: \(relay.url.origin), http: { idle_timeout: 400ms }, retry: { inline: 0, base: 1ms, cap: 1ms } }
            resources:
              items: { path: /items, key: id, paginate: { \(declared) } }
            """)
        return (sandbox, origin, relay, items)
    }

    /// - Returns: the exit code of each sync, up to the first 0.
    private func sync(_ sandbox: Sandbox, over relay: Relay, most runs: Int) async throws -> [Int32] {
        var statuses: [Int32] = []
        while statuses.count < runs, statuses.last != 0 {
            await relay.follow([
                LineStage(.up(), for: .bytes(200 << 10)), LineStage(.down(.cut), for: .time(.seconds(600))),
            ])
            statuses.append(try await sandbox.siding("sync").status)
        }
        return statuses
    }

    @Test(arguments: 0..<kinds.count)
    func `pages that the line never carries whole arrive in smaller ones, and each record once`(kind: Int) async throws
    {
        let (paging, declared) = Self.kinds[kind]
        let (sandbox, origin, relay, items) = try await line(paging, "\(declared), \(Self.sizes)")
        let statuses = try await sync(sandbox, over: relay, most: 60)
        #expect(statuses.last == 0)
        #expect(Set(statuses.dropLast()) == [75])
        #expect(try await sandbox.differences(from: items) == [])
        // Without an outage the next listing asks for the same pages, which have not changed.
        await relay.set(.up())
        let asked = origin.requests.count
        #expect(try await sandbox.siding("sync").status == 0)
        #expect(
            origin.requests.dropFirst(asked).allSatisfy {
                $0.target.contains("limit=") && !$0.target.contains("limit=1000")
            })
        await relay.stop()
        await origin.stop()
    }

    @Test func `without a range of sizes such pages never arrive`() async throws {
        let (sandbox, origin, relay, _) = try await line(.page(), "type: page, size_param: limit, size: 1000")
        #expect(try await !sync(sandbox, over: relay, most: 8).contains(0))
        await relay.stop()
        await origin.stop()
    }

    @Test func `plan shows the page size of the next request`() async throws {
        let (sandbox, origin, relay, _) = try await line(.page(), "type: page, size_param: limit, \(Self.sizes)")
        #expect(try await sandbox.siding("plan").output.contains("page=1&limit=1000"))
        _ = try await sync(sandbox, over: relay, most: 2)
        #expect(try await sandbox.siding("plan").output.contains("page=1&limit=500"))
        await relay.stop()
        await origin.stop()
    }
}
