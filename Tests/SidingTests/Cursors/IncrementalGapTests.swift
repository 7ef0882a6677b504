// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// Ways in which changes could be skipped, and are not.
@Suite struct IncrementalGapTests {
    private func bench(
        _ order: IncrementalCursor.Order?, _ query: [String: QueryValue] = ["since": "{cursor}"]
    ) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.cursor = IncrementalCursor(
            at: .record(JSONPath(member: "at")), type: .integer, order: order)
        bench.resource.query = query
        return bench
    }

    private static func page(_ records: [(Int, Int)], next: String? = nil, etag: String? = nil) -> ScriptedAnswer {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let next { fields[HTTPField.Name("Link")!] = "<\(next)>; rel=\"next\"" }
        if let etag { fields[.eTag] = etag }
        let bodies = records.map { #"{"id":\#($0.0),"at":\#($0.1)}"# }
        return .text("[\(bodies.joined(separator: ","))]", headerFields: fields)
    }

    private func cursor(_ bench: EngineBench) async throws -> String? {
        try await bench.store.cursor(of: "posts")?.value
    }

    @Test func `where pages move the cursor a listing continues at the cursor, not at a page that moved meanwhile`()
        async throws
    {
        let bench = try await bench(.ascending)
        bench.origin.set("/posts", Self.page([(1, 1), (2, 2)], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", Self.page([(3, 3), (4, 4)], next: "/posts?page=3"))
        bench.origin.set("/posts?page=3", .status(.internalServerError))
        let entry = try await bench.sync().result.entry
        #expect(try await cursor(bench) == "3")
        // 1 and 2 were updated: they stand at the end, and 5 and 6 on what is page 2 now.
        bench.origin.set("/posts?page=3", Self.page([(1, 7), (2, 8)]))
        bench.origin.set("/posts?since=3", Self.page([(4, 4), (5, 5), (6, 6)], next: "/posts?since=3&page=2"))
        bench.origin.set("/posts?since=3&page=2", Self.page([(1, 7), (2, 8)]))
        bench.time.advance(by: .seconds(3600))
        let plan = try await SyncPlan.make(for: bench.resource, in: bench.store, now: bench.time.now)
        #expect(plan.url.hasSuffix("/posts?since=3") && plan.reason.contains("continues at the cursor"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5", "6"])
        #expect(try await cursor(bench) == "8")
        #expect(try await bench.entry(entry).state == .done)
    }

    @Test
    func `a page at which newest first ended keeps its next page, for an earlier start`() async throws {
        let bench = try await bench(.descending, [:])
        bench.origin.set("/posts", Self.page([(4, 4), (3, 3)], next: "/posts?page=2", etag: #""a""#))
        bench.origin.set("/posts?page=2", Self.page([(2, 2), (1, 1)], next: "/posts?page=3", etag: #""b""#))
        bench.origin.set("/posts?page=3", Self.page([(0, 0)], etag: #""c""#))
        for _ in 0..<2 { _ = try await bench.sync() }
        _ = bench.origin.takeTargets()
        for target in ["/posts", "/posts?page=2"] { bench.origin.set(target, .status(.notModified)) }
        _ = try await bench.sync(SyncOptions(since: "0"))
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2", "/posts?page=3"])
    }

    @Test func `newest first ends at the first page behind the cursor also where pages did not change`() async throws {
        let bench = try await bench(.descending, [:])
        let targets = ["/posts"] + (2...20).map { "/posts?page=\($0)" }
        for (index, target) in targets.enumerated() {
            let value = 100 - 2 * index
            bench.origin.set(
                target,
                Self.page(
                    [(value, value), (value - 1, value - 1)], next: index < 19 ? targets[index + 1] : nil,
                    etag: "\"\(index)\""))
        }
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == targets)
        for target in targets { bench.origin.set(target, .status(.notModified)) }
        for _ in 0..<2 {
            // The first page reaches to the cursor itself, the second lies wholly behind it.
            #expect(try await bench.sync().result.outcome == .notModified)
            #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == ["\"0\"", "\"1\""])
        }
        #expect(try await cursor(bench) == "100")
        #expect(try await bench.keys().count == 40)
    }

    @Test func `records behind the cursor are not requested whole to find more of them`() async throws {
        let bench = try await bench(.descending, [:])
        bench.origin.set("/posts", Self.page([(2, 2)], next: "/posts?page=2", etag: #""a""#), .status(.notModified))
        bench.origin.set("/posts?page=2", Self.page([(1, 1)], etag: #""b""#), .status(.notModified))
        for _ in 0..<3 { _ = try await bench.sync() }
        #expect(bench.origin.takeTargets().count == 6)
    }

    @Test func `a listing whose pages came out of order still waits for its end in another run`() async throws {
        let bench = try await bench(.ascending)
        bench.origin.set("/posts", Self.page([(9, 9), (1, 1)], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(3600))
        bench.origin.set("/posts?page=2", Self.page([(10, 10), (11, 11)], next: "/posts?page=3"))
        bench.origin.set("/posts?page=3", .status(.forbidden))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == nil)
    }

    @Test func `pages read after an interruption do not move the cursor past what came late on those before`()
        async throws
    {
        let bench = try await bench(.ascending)
        bench.origin.set("/posts", Self.page([(1, 1), (2, 1)], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(3600))
        bench.origin.set("/posts?page=2", Self.page([(3, 1), (4, 2), (5, 3)], next: "/posts?page=3"))
        bench.origin.set("/posts?page=3", .status(.forbidden))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == nil)
    }

    /// Records of `id` and a time, for a cursor of times.
    /// - Parameter date: what time it is by the origin's clock; nil if it does not say so.
    private static func times(
        _ records: [(Int, String)], next: String? = nil, date: String? = nil, etag: String? = nil
    ) -> ScriptedAnswer {
        var fields: HTTPFields = [.contentType: "application/json"]
        (fields[.date], fields[.eTag]) = (date, etag)
        if let next { fields[HTTPField.Name("Link")!] = "<\(next)>; rel=\"next\"" }
        let bodies = records.map { #"{"id":\#($0.0),"at":"\#($0.1)"}"# }
        return .text("[\(bodies.joined(separator: ","))]", headerFields: fields)
    }

    private func timed(_ query: [String: QueryValue]) async throws -> EngineBench {
        var bench = try await bench(nil, query)
        bench.resource.cursor?.type = .datetime
        return bench
    }

    @Test func `the cursor never passes the moment at which the listing began`() async throws {
        // The listing begins at 22:13:20; record 2 changes while it is read, on a page that was read before.
        let bench = try await timed(["since": "{cursor}"])
        bench.origin.set("/posts", Self.times([(1, "2023-11-14T22:00:00Z")], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", Self.times([(3, "2023-11-14T22:20:00Z")]))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == "2023-11-14T22:13:20Z")
    }

    /// Our clock is at 22:13:20 when the listing begins.
    @Test(
        arguments: [
            ("Tue, 14 Nov 2023 22:13:17 GMT", "22:13:17"), ("Tuesday, 14-Nov-23 22:13:17 GMT", "22:13:17"),
            ("Tue Nov 14 22:13:17 2023", "22:13:17"), ("Tue, 14 Nov 2023 20:00:00 GMT", "20:00:00"),
            ("Tue, 14 Nov 2023 22:13:21 GMT", "22:13:20"), ("Tue, 14 Nov 2023 23:00:00 GMT", "22:13:20"),
            ("now", "22:13:20"), ("", "22:13:20"), (nil, "22:13:20"),
        ] as [(String?, String)])
    func `nor does it pass that moment by the origin's own clock, which dates the records`(
        _ date: String?, _ time: String
    ) async throws {
        let bench = try await timed(["since": "{cursor}"])
        bench.origin.set(
            "/posts", Self.times([(1, "2023-11-14T22:13:18Z")], next: "/posts?page=2", date: date))
        // What the clock shows later says nothing of when the first page was read.
        bench.origin.set(
            "/posts?page=2", Self.times([(3, "2023-11-14T22:13:21Z")], date: "Tue, 14 Nov 2023 19:00:00 GMT"))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == "2023-11-14T\(time)Z")
    }

    @Test func `a first page that is long under way has the time of its request`() async throws {
        let time = Mutex<ManualWallClock?>(nil)
        let origin = ScriptedOrigin(hold: { _ in
            if let clock = time.withLock({ $0 }) { clock.advance(by: .seconds(10)) }
        })
        var bench = try await EngineBench(origin)
        time.withLock { $0 = bench.time }
        bench.resource.cursor = IncrementalCursor(at: .record(JSONPath(member: "at")))
        // The origin is 3 s behind, and dates its answer when it sends it.
        origin.set(
            "/posts", Self.times([(1, "2023-11-14T22:13:26Z")], date: "Tue, 14 Nov 2023 22:13:27 GMT"))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == "2023-11-14T22:13:17Z")
    }

    @Test func `a first page that did not change bounds the cursor by its date, too`() async throws {
        let bench = try await timed([:])
        bench.origin.set(
            "/posts", Self.times([(1, "2023-11-14T22:00:00Z")], next: "/posts?page=2", etag: "\"a\""),
            .status(.notModified, headerFields: [.date: "Tue, 14 Nov 2023 23:13:17 GMT"]))
        bench.origin.set(
            "/posts?page=2", Self.times([(2, "2023-11-14T22:01:00Z")]), Self.times([(2, "2023-11-14T23:13:19Z")]))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == "2023-11-14T22:01:00Z")
        bench.time.advance(by: .seconds(3600))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == "2023-11-14T23:13:17Z")
    }

    @Test(arguments: [nil, .ascending] as [IncrementalCursor.Order?])
    func `an interrupted listing keeps the bound of the origin's clock, though the clocks agree by now`(
        _ order: IncrementalCursor.Order?
    ) async throws {
        var bench = try await timed([:])
        bench.resource.cursor?.order = order
        bench.origin.set(
            "/posts",
            Self.times(
                [(1, "2023-11-14T22:13:00Z"), (2, "2023-11-14T22:13:18Z"), (3, "2023-11-14T22:13:19Z")],
                next: "/posts?page=2", date: "Tue, 14 Nov 2023 22:13:17 GMT"))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await cursor(bench) == (order == nil ? nil : "2023-11-14T22:13:17Z"))
        bench.time.advance(by: .seconds(3600))
        for target in ["/posts", "/posts?page=2"] {
            bench.origin.set(
                target, Self.times([(4, "2023-11-14T23:10:00Z")], date: "Tue, 14 Nov 2023 23:13:20 GMT"))
        }
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await cursor(bench) == "2023-11-14T22:13:17Z")
    }

    @Test func `a clock that is behind delays the cursor, and takes it back from nowhere`() async throws {
        let bench = try await timed([:])
        bench.origin.set("/posts", Self.times([(1, "2023-11-14T22:00:00Z")]))
        _ = try await bench.sync()
        bench.origin.set(
            "/posts", Self.times([(1, "2023-11-14T22:13:19Z")], date: "Thu, 01 Jan 1970 00:00:00 GMT"))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == "2023-11-14T22:00:00Z")
    }

    @Test func `a row that comes late is found after an interruption`() async throws {
        var bench = try await timed(["since": "{cursor}"])
        bench.resource.cursor?.lookback = .time(.seconds(60))
        bench.origin.set("/posts", Self.times([(1, "2023-11-14T22:13:00Z")], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.time.advance(by: .seconds(3600))
        bench.origin.set("/posts?page=2", Self.times([(3, "2023-11-14T23:10:00Z")]))
        #expect(try await bench.sync().result.outcome == .saved)
        // The listing began at 22:13:20, in the run before.
        #expect(try await cursor(bench) == "2023-11-14T22:13:20Z")
        // Record 2 came just after page 1 was read, dated 20 s earlier.
        bench.origin.set("/posts?since=2023-11-14T22%3A12%3A20Z", Self.times([(2, "2023-11-14T22:12:50Z")]))
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["1", "2", "3"])
    }

    @Test func `a plain sync has its start as the upper bound, and a listing of everything has none`() async throws {
        let bench = try await timed(["since": "{cursor}", "until": "{until}"])
        bench.origin.set("/posts", Self.times([(1, "2023-11-14T22:00:00Z")]))
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(60))
        let second = "/posts?since=2023-11-14T22%3A00%3A00Z&until=2023-11-14T22%3A14%3A20Z"
        bench.origin.set(second, Self.times([]))
        _ = bench.origin.takeTargets()
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets().map { $0.replacing(":", with: "%3A") } == [second])
    }

    @Test func `another start requests anew`() async throws {
        var bench = try await bench(nil)
        bench.resource.cursor?.start = "5"
        bench.origin.set("/posts?since=5", Self.page([(1, 9)]))
        bench.origin.set("/posts?since=2", Self.page([(0, 3)]))
        _ = try await bench.sync()
        bench.resource.cursor?.start = "2"
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys() == ["0", "1"])
    }

    @Test func `an origin where nothing changes is not listed whole when its cursor grows old`() async throws {
        var bench = try await bench(nil)
        bench.resource.cursor?.retention = .seconds(30 * 86_400)
        bench.origin.set("/posts", Self.page([(1, 9)]))
        bench.origin.set("/posts?since=9", Self.page([]))
        _ = try await bench.sync()
        for _ in 0..<3 {
            bench.time.advance(by: .seconds(20 * 86_400))
            _ = try await bench.sync()
        }
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?since=9", "/posts?since=9", "/posts?since=9"])
    }

    @Test func `a value of the envelope that is not of the type does not become the cursor`() async throws {
        var bench = try await bench(nil)
        bench.resource.cursor = IncrementalCursor(at: .envelope(JSONPath(member: "end")), type: .integer)
        bench.resource.records = try JSONPath(parsing: "$.items[*]")
        bench.resource.paging = .none
        bench.origin.set("/posts", .text(#"{"items":[{"id":1}],"end":"a&b={until}"}"#))
        let report = try await bench.sync()
        #expect(try await cursor(bench) == nil)
        #expect(report.warnings.contains { $0.contains("no integer") })
    }

    @Test func `a placeholder inside of a cursor's value is not filled in`() {
        let placeholders = Placeholders(cursor: "{until}", until: nil)
        #expect(placeholders.filled(["since": "x{cursor}y", "to": "{until}"]) == ["since": "x{until}y"])
    }

    // MARK: Quarantine

    private static let strict = RecordSchema(
        columns: [RecordColumn("id", .text)], contract: RecordContract(typeChange: .quarantine))

    private func setAside(_ bench: EngineBench) async throws -> [String] {
        try await bench.store.quarantined(QuarantineSelection()).compactMap(\.key)
    }

    @Test func `a limited listing and an ignored failure leave the quarantine alone`() async throws {
        var bench = try await bench(nil)
        bench.resource.cursor = nil
        bench.resource.query = [:]
        bench.resource.schema = Self.strict
        bench.resource.source.failureRules = [
            try FailureRule(when: .answer(.init(statuses: [404])), do: .ignore)
        ]
        bench.origin.set("/posts", Self.page([(1, 1), (2, 2), (3, 3)]))
        _ = try await bench.sync()
        #expect(try await setAside(bench) == ["1", "2", "3"])
        _ = try await bench.sync(SyncOptions(limit: 1))
        #expect(try await setAside(bench).sorted() == ["1", "2", "3"])
        bench.origin.set("/posts", .status(.notFound))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await setAside(bench).sorted() == ["1", "2", "3"])
    }

    @Test func `a quarantined record leaves when it comes again without its fault, from any URL`() async throws {
        var bench = try await bench(nil)
        bench.resource.schema = RecordSchema(
            columns: [RecordColumn("at", .integer)], contract: RecordContract(typeChange: .quarantine))
        bench.origin.set("/posts", .text(#"[{"id":1,"at":9},{"id":2,"at":"8"}]"#))
        bench.origin.set("/posts?since=9", Self.page([(2, 10)]))
        _ = try await bench.sync()
        #expect(try await setAside(bench) == ["2"])
        _ = try await bench.sync()
        #expect(try await setAside(bench) == [])
        #expect(try await bench.keys() == ["1", "2"])
    }
}
