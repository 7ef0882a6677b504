// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

/// Syncs that ask for changes only.
@Suite struct IncrementalSyncTests {
    private static let rule = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .integer)

    private func bench(
        _ rule: IncrementalCursor = rule,
        _ query: [String: QueryValue] = ["since": "{cursor}"]
    ) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.cursor = rule
        bench.resource.query = query
        return bench
    }

    /// A page of records `id@at`.
    private static func page(_ records: [(Int, String)], next: String? = nil, etag: String? = nil) -> ScriptedAnswer {
        let bodies = records.map { #"{"id":\#($0.0),"at":\#($0.1)}"# }
        var fields: HTTPFields = [.contentType: "application/json"]
        if let next { fields[HTTPField.Name("Link")!] = "<\(next)>; rel=\"next\"" }
        if let etag { fields[.eTag] = etag }
        return .text("[\(bodies.joined(separator: ","))]", headerFields: fields)
    }

    private func cursor(_ bench: EngineBench) async throws -> String? {
        try await bench.store.cursor(of: "posts")?.value
    }

    @Test func `the first listing has all records, and each later one requests the changes since`() async throws {
        let bench = try await bench()
        bench.origin.set("/posts", Self.page([(1, "5"), (2, "9"), (3, "7")]))
        bench.origin.set("/posts?since=9", Self.page([(2, "9"), (4, "12")]))
        bench.origin.set("/posts?since=12", Self.page([]))
        for _ in 0..<3 { #expect(try await bench.sync().result.outcome == .saved) }
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?since=9", "/posts?since=12"])
        #expect(try await bench.keys() == ["1", "2", "3", "4"])
        #expect(try await cursor(bench) == "12")
    }

    @Test func `the cursor stays where the listing does not end, and its rows are requested again`() async throws {
        let bench = try await bench()
        bench.origin.set("/posts", Self.page([(1, "9")], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await cursor(bench) == nil)
        bench.time.advance(by: .seconds(3600))
        bench.origin.set("/posts?page=2", Self.page([(2, "4")]))
        #expect(try await bench.sync().result.outcome == .saved)
        // The highWaterMark value was on the page before the failure.
        #expect(try await cursor(bench) == "9")
    }

    @Test func `where records come oldest first each page moves the cursor`() async throws {
        var rule = Self.rule
        rule.order = .ascending
        let bench = try await bench(rule)
        bench.origin.set("/posts", Self.page([(0, "3"), (1, "4"), (9, "4")], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", .status(.forbidden))
        #expect(try await bench.sync().result.outcome == .failed)
        // More records may have the page's last value.
        #expect(try await cursor(bench) == "3")
        // The checkpoint has grown too old: the listing begins at the cursor.
        bench.time.advance(by: .seconds(2 * 86_400))
        bench.origin.set("/posts?since=3", Self.page([(1, "4"), (2, "6")]))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await cursor(bench) == "6")
    }

    @Test func `where records come newest first the listing ends behind the cursor`() async throws {
        var rule = Self.rule
        (rule.order, rule.lookback) = (.descending, .count(1))
        let bench = try await bench(rule, [:])
        bench.origin.set("/posts", Self.page([(2, "9"), (1, "8")]))
        _ = try await bench.sync()
        bench.origin.set("/posts", Self.page([(4, "11"), (3, "10")], next: "/posts?page=2"))
        bench.origin.set("/posts?page=2", Self.page([(2, "9"), (1, "8")], next: "/posts?page=3"))
        bench.origin.set("/posts?page=3", Self.page([(0, "7")], next: "/posts?page=4"))
        _ = bench.origin.takeTargets()
        #expect(try await bench.sync().result.outcome == .saved)
        // Page 2 holds the lookback's own value, page 3 lies wholly behind it.
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2", "/posts?page=3"])
        #expect(try await cursor(bench) == "11")
    }

    @Test func `a lookback is taken off, and start is where the first listing begins`() async throws {
        let rule = IncrementalCursor(
            at: .record(JSONPath(member: "at")), start: "2024-01-01T00:00:00Z", lookback: .time(.seconds(600)))
        let bench = try await bench(rule)
        bench.time.advance(by: try #require(Timestamp(rfc3339: "2024-06-01T00:00:00Z")) - bench.time.now)
        let record = Self.page([(1, #""2024-05-01T12:00:00Z""#)])
        bench.origin.set("/posts?since=2024-01-01T00%3A00%3A00Z", record)
        bench.origin.set("/posts?since=2024-05-01T11%3A50%3A00Z", record)
        for _ in 0..<2 { #expect(try await bench.sync().result.outcome == .saved) }
        #expect(bench.origin.takeTargets().count == 2)
        #expect(try await cursor(bench) == "2024-05-01T12:00:00Z")
    }

    @Test func `a cursor that the origin has forgotten leads to a full listing`() async throws {
        let rule = IncrementalCursor(
            at: .record(JSONPath(member: "at")), type: .epoch, retention: .seconds(30 * 86_400))
        let bench = try await bench(rule)
        bench.origin.set("/posts", Self.page([(1, "\(Int(bench.time.now.secondsSince1970))")]))
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(31 * 86_400))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts"])
    }

    @Test func `a record from the future does not move the cursor, and is reported`() async throws {
        let rule = IncrementalCursor(at: .record(JSONPath(member: "at")), type: .epoch)
        let bench = try await bench(rule)
        let now = Int(bench.time.now.secondsSince1970)
        bench.origin.set("/posts", Self.page([(1, "\(now)"), (2, "\(now + 400 * 86_400)"), (3, "null")]))
        let report = try await bench.sync()
        #expect(try await cursor(bench) == "\(now)")
        #expect(report.warnings.contains { $0.contains("future") })
        #expect(report.warnings.contains { $0.hasPrefix("1 record has no epoch at $.at") })
        #expect(try await bench.keys() == ["1", "2", "3"])
    }

    @Test func `a token of the envelope is the last page's, and one that the origin refuses is forgotten`() async throws
    {
        var bench = try await bench(
            IncrementalCursor(at: .envelope(JSONPath(member: "token")), type: .text), ["token": "{cursor}"])
        bench.resource.records = try JSONPath(parsing: "$.items[*]")
        bench.resource.paging = .nextURL(JSONPath(member: "next"))
        bench.resource.source.failureRules = [
            try FailureRule(when: .answer(.init(statuses: [410])), do: .resetCursor)
        ]
        bench.origin.set("/posts", .text(#"{"items":[{"id":1}],"token":"no","next":"/posts?page=2"}"#))
        bench.origin.set("/posts?page=2", .text(#"{"items":[{"id":2}],"token":"A"}"#))
        bench.origin.set("/posts?token=A", .text(#"{"items":[{"id":3}],"token":"B"}"#))
        for _ in 0..<2 { #expect(try await bench.sync().result.outcome == .saved) }
        #expect(try await cursor(bench) == "B")
        bench.origin.set("/posts?token=B", .status(.gone))
        _ = bench.origin.takeTargets()
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains { $0.contains("says reset_cursor") })
        #expect(bench.origin.takeTargets() == ["/posts?token=B", "/posts", "/posts?page=2"])
        #expect(try await cursor(bench) == "A")
    }

    @Test func `a rule that says empty does not make a refused token an empty listing`() async throws {
        var bench = try await bench(
            IncrementalCursor(at: .envelope(JSONPath(member: "token")), type: .text), ["token": "{cursor}"])
        bench.resource.records = try JSONPath(parsing: "$.items[*]")
        bench.resource.source.failureRules = [
            try FailureRule(when: .answer(.init(statuses: [204, 410])), do: .empty)
        ]
        bench.origin.set("/posts", .text(#"{"items":[{"id":1}],"token":"A"}"#))
        #expect(try await bench.sync().result.outcome == .saved)
        bench.origin.set("/posts?token=A", .status(.noContent))
        #expect(try await bench.sync().result.outcome == .saved)
        bench.origin.set("/posts?token=A", .status(.gone))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.hint?.contains("do: reset_cursor") == true)
        #expect(try await cursor(bench) == "A")
    }

    @Test func `a date of the answer is the first page's, in the form of the cursor`() async throws {
        let bench = try await bench(IncrementalCursor(at: .header(.date)))
        let first: HTTPFields = [
            .date: "Sun, 06 Nov 1994 08:49:37 GMT", HTTPField.Name("Link")!: "</posts?page=2>; rel=\"next\"",
        ]
        bench.origin.set("/posts", .text(#"[{"id":1}]"#, headerFields: first))
        bench.origin.set("/posts?page=2", .text(#"[{"id":2}]"#, headerFields: [.date: "Sun, 06 Nov 1994 09:00:00 GMT"]))
        _ = try await bench.sync()
        #expect(try await cursor(bench) == "1994-11-06T08:49:37Z")
    }

    @Test func `a full listing requests everything, and the cursor never moves back`() async throws {
        let bench = try await bench()
        bench.origin.set("/posts", Self.page([(1, "9")]), Self.page([(1, "3")]))
        for isFull in [false, true] { _ = try await bench.sync(SyncOptions(isFull: isFull)) }
        #expect(bench.origin.takeTargets() == ["/posts", "/posts"])
        #expect(try await cursor(bench) == "9")
    }

    @Test(arguments: [("5", "20"), ("9", "20"), ("15", "9")])
    func `since moves the cursor only where nothing is left out between`(_ since: String, _ wanted: String) async throws
    {
        let bench = try await bench()
        bench.origin.set("/posts", Self.page([(1, "9")]))
        _ = try await bench.sync()
        bench.origin.set("/posts?since=\(since)", Self.page([(2, "20")]))
        #expect(try await bench.sync(SyncOptions(since: since)).result.outcome == .saved)
        #expect(try await cursor(bench) == wanted)
    }

    @Test func `a backfill requests the range between two values and moves nothing`() async throws {
        let bench = try await bench(Self.rule, ["since": "{cursor}", "until": "{until}"])
        bench.origin.set("/posts", Self.page([(1, "9")]))
        _ = try await bench.sync()
        bench.origin.set("/posts?since=1&until=3", Self.page([(2, "2")]))
        let options = SyncOptions(backfill: SyncOptions.Backfill(from: "1", to: "3"))
        #expect(try await bench.sync(options).result.outcome == .saved)
        #expect(try await bench.keys() == ["1", "2"])
        #expect(try await cursor(bench) == "9")
        #expect(try await bench.checkpoint() == nil)
    }

    @Test func `a changed definition forgets the cursor and requests everything`() async throws {
        var bench = try await bench()
        bench.origin.set("/posts", Self.page([(1, "9")]))
        _ = try await bench.sync()
        bench.resource.query["state"] = "all"
        bench.origin.set("/posts?state=all", Self.page([(1, "2")]))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?state=all"])
        #expect(try await cursor(bench) == "2")
    }

    @Test func `the plan shows the start`() async throws {
        let bench = try await bench()
        bench.origin.set("/posts", Self.page([(1, "9")]))
        _ = try await bench.sync()
        let plan = try await SyncPlan.make(for: bench.resource, in: bench.store)
        #expect(plan.url == "https://api.example.org/posts?since=9")
        #expect(plan.reason.hasSuffix("changes since 9"))
    }

    @Test func `an unchanged page of changes answers 304, and the cursor stays`() async throws {
        let bench = try await bench()
        bench.origin.set("/posts", Self.page([(1, "9")]))
        bench.origin.set("/posts?since=9", Self.page([(1, "9")], etag: #""a""#), .status(.notModified))
        for _ in 0..<3 { _ = try await bench.sync() }
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil, nil, #""a""#])
        #expect(try await cursor(bench) == "9")
    }

    @Test(arguments: [IncrementalCursor.Order.descending, nil])
    func `a quarantined record stays so when the next changes come from the same URL`(
        _ order: IncrementalCursor.Order?
    ) async throws {
        var rule = Self.rule
        (rule.order, rule.start) = (order, order == nil ? "0" : nil)
        var bench = try await bench(rule, order == nil ? ["since": "{cursor}"] : [:])
        bench.resource.schema = RecordSchema(
            columns: [RecordColumn("id", .text)], contract: RecordContract(typeChange: .quarantine))
        let store = bench.store
        if order == nil {
            bench.origin.set("/posts?since=0", Self.page([(1, "9")]))
            bench.origin.set("/posts?since=9", Self.page([(2, "9")]), Self.page([(3, "9")]), Self.page([(2, "9")]))
        } else {
            bench.origin.set(
                "/posts", Self.page([(1, "9")]), Self.page([(2, "10")]), Self.page([(3, "11")]), Self.page([(2, "12")]))
        }
        for _ in 0..<4 { _ = try await bench.sync() }
        let kept = try await store.quarantined(QuarantineSelection())
        #expect(kept.compactMap(\.key).sorted() == ["1", "2", "3"])
    }
}
