// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import SidingSynchronization
import SidingTesting
import Testing
import TestSupport

/// Copies over a line that fails at random: `siding sync`, each time in a process of its own, through a relay.
@Suite(.serialized)
struct ConvergenceTests {
    private static let pageSize = 50
    /// The most records in a commit, beside those of its last page (Decision 46).
    private static let mostInCommit = 500
    /// Nothing below needs so many runs.
    private static let mostRuns = 200

    /// A way of paging, and the `paginate:` for it.
    private typealias Kind = (paging: OriginPaging, declared: String)
    private static let kinds: [Kind] = [
        (.link, "link_header"), (.nextURL(member: ["next"]), "next_url"),
        (.cursor(member: ["next_cursor"]), "{ type: cursor, path: $.next_cursor, param: cursor }"),
        (.cursorHeader(HTTPField.Name("X-Next")!), "{ type: header_cursor, header: X-Next, param: cursor }"),
        (.page(), "{ type: page, size_param: limit, size: \(pageSize) }"),
        (.offset(), "{ type: offset, limit: \(pageSize) }"),
    ]
    private static let sizes = "size: { max: \(pageSize), min: 5 }"
    private static let sizedKinds: [Kind] = [
        (.link, "{ type: link_header, size_param: limit, \(sizes) }"),
        (
            .cursor(member: ["next_cursor"]),
            "{ type: cursor, path: $.next_cursor, param: cursor, size_param: limit, \(sizes) }"
        ),
        (.page(), "{ type: page, size_param: limit, \(sizes) }"), (.offset(), "{ type: offset, \(sizes) }"),
    ]

    @Test func `on any line the copy is complete in the end, and hardly a byte is wasted`() async throws {
        let seeds = 1...Proof.choose(short: 2, middle: 4, long: 200)
        var shares: [Share] = []
        for seed in seeds where Proof.seed.map({ $0 == UInt64(seed) }) ?? true {
            shares.append(try await copy(Self.kinds[seed % Self.kinds.count], seed: UInt64(seed), servesRanges: true))
        }
        judge(shares)
    }

    @Test func `an origin without ranges, but with a size parameter, costs hardly more`() async throws {
        var shares: [Share] = []
        for seed in 1...Proof.choose(short: 1, middle: 2, long: 60) {
            let kind = Self.sizedKinds[seed % Self.sizedKinds.count]
            shares.append(
                try await copy(
                    kind, seed: UInt64(20_000 + seed), servesRanges: false, records: 5_000, recordSize: 2_000))
        }
        judge(shares)
    }

    private func judge(_ shares: [Share]) {
        let sorted = shares.map(\.bytes).sorted()
        let (median, worst) = (sorted[shares.count / 2], sorted[shares.count - 1])
        print(
            "bytes on the wire to the bytes of the collection: median \(median), worst \(worst), \(shares.count) schedules"
        )
        // Of a few schedules the median says little.
        if shares.count >= 8 { #expect(median <= 1.05) }
        for share in shares { #expect(share.bytes <= 1.2 + share.killed) }
    }

    @Test func `an origin without ranges costs the pages that were cut, and nothing else`() async throws {
        for seed in 1...Proof.choose(short: 2, middle: 3, long: 60) {
            _ = try await copy(Self.kinds[seed % Self.kinds.count], seed: UInt64(10_000 + seed), servesRanges: false)
        }
    }

    /// What a copy cost, in parts of the collection.
    private struct Share {
        /// The bytes on the wire, in parts of those of the same copy over a good line.
        var bytes: Double
        /// What its kills may have cost of them: the pages of two commits each. A busy machine puts more pages into a commit.
        var killed: Double
    }

    /// Copies the collection over a line of `seed`.
    private func copy(
        _ kind: Kind, seed: UInt64, servesRanges: Bool, records: Int = 1_000, recordSize: Int = 500
    ) async throws -> Share {
        let pages = records / Self.pageSize
        var generator = SeededGenerator(seed: seed)
        let items = Dataset.filled(records, size: recordSize)
        let listing = RecordListing(
            "/items", of: items, paging: kind.paging, pageSize: Self.pageSize, validators: [.etag])
        let route: any OriginRoute = servesRanges ? RangeRoute(listing) : listing
        let taken = Mutex<[(key: String, body: String)]>([])
        let kills = KillSwitch()
        let origin = try await Origin.start(compresses: false) { request in
            await kills.hear()
            guard request.method == "POST" else { return await route.answer(request) ?? .notFound }
            let key = HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] } ?? ""
            taken.withLock { taken in
                guard !taken.contains(where: { $0.key == key }) else { return }
                taken.append((key, String(decoding: request.body, as: UTF8.self)))
            }
            return .json("{}", status: .created)
        }
        let relay = try await Relay.start(to: origin.url)
        let sandbox = try Sandbox()
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources:
              shop:
                base_url: \(relay.url.origin)
                http: { idle_timeout: 400ms, connect_timeout: 400ms }
                retry: { inline: 0, base: 1ms, cap: 1ms }
                idempotency: { header: Idempotency-Key }
            resources:
              items: { path: /items, key: id, paginate: \(kind.declared) }
            """)
        let ideal = try await bytesOverGoodLine(sandbox, relay)

        let page = ideal / pages
        var lines = LineSchedule(seed: seed, up: page * 12 / 10...page * 20, down: .zero ... .zero)
        var (runs, killed, writes, isComplete) = (0, 0, 0, false)
        let before = await relay.traffic.toClient
        while !isComplete, runs < Self.mostRuns {
            runs += 1
            if Int.random(in: 1...3, using: &generator) == 1 {
                writes += 1
                _ = try await sandbox.siding(
                    "send", "POST", "shop:/orders", "-d", "\(writes)", "--lane", "orders", "--no-send")
            }
            let (up, down) = (lines.next(), lines.next())
            await relay.follow(
                [up, down].compactMap(\.self).map { LineStage($0.state, for: $0.isUp ? $0.span : .time(.seconds(600))) }
            )
            let child = Promise<Child>()
            if Int.random(in: 1...10, using: &generator) == 1 {
                kills.arm(at: Int.random(in: 1...5, using: &generator), of: child)
            }
            let ended = try await sandbox.siding(["sync"]) { child.fulfil($0) }
            kills.disarm()
            #expect([0, 75, 137].contains(ended.status), "seed \(seed): \(ended.everything)")
            if ended.status == 137 { killed += 1 }
            isComplete = ended.status == 0
        }
        let passed = await relay.traffic.toClient - before
        await relay.set(.up())
        #expect(isComplete, "seed \(seed)")
        #expect(try await sandbox.differences(from: items) == [], "seed \(seed)")
        let asked = origin.requests.count { $0.method == "GET" } - pages
        // A page of the smallest size has a tenth of the records.
        let parts = kind.declared.contains("size: {") ? Self.pageSize / 5 : 1
        #expect(asked <= parts * pages + 2 * runs, "seed \(seed): \(asked) requests in \(runs) runs")
        _ = try await sandbox.siding("queue", "retry", "--all")
        #expect(try await sandbox.siding("queue", "run").status == 0, "seed \(seed)")
        let orders = taken.withLock { $0.map(\.body) }
        #expect(orders == (0..<writes).map { "\($0 + 1)" }, "seed \(seed)")
        await relay.stop()
        await origin.stop()
        return Share(
            bytes: Double(passed) / Double(ideal), killed: Double(killed * 2 * Self.mostInCommit) / Double(records))
    }

    /// The bytes of a copy over a line that does not fail.
    private func bytesOverGoodLine(_ sandbox: Sandbox, _ relay: Relay) async throws -> Int {
        try #require(try await sandbox.siding("sync").status == 0)
        let bytes = await relay.traffic.toClient
        try sandbox.forgetDatabase()
        return bytes
    }
}
