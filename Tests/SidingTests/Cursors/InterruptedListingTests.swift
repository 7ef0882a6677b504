// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Listings in ascending order that are interrupted, and go on where their own pages came to.
@Suite struct InterruptedListingTests {
    /// An origin of `ids` with rising values of `at`, three to a page, that lists what lies behind `since`; and the resource.
    private static func bench(
        ids: ClosedRange<Int> = 1...12, _ change: (inout AnyResource) -> Void = { _ in }
    ) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.cursor = IncrementalCursor(
            at: .record(JSONPath(member: "at")), type: .integer, order: .ascending)
        bench.resource.query = ["since": "{cursor}"]
        change(&bench.resource)
        set(ids.map { ($0, $0) }, at: bench.origin)
        return bench
    }

    private static func set(_ records: [(id: Int, at: Int)], at origin: ScriptedOrigin, etag: Bool = false) {
        for since in [Int?.none] + records.map(\.at).map(Optional.some) + [0] {
            let listed = records.filter { $0.at > since ?? -1 }
            for page in 0...(max(listed.count - 1, 0) / 3) {
                let shown = listed.dropFirst(page * 3).prefix(3).map { #"{"id":\#($0.id),"at":\#($0.at)}"# }
                let isLast = (page + 1) * 3 >= listed.count
                var fields: HTTPFields = [.contentType: "application/json"]
                if !isLast { fields[HTTPField.Name("Link")!] = "<\(target(since, page + 2))>; rel=\"next\"" }
                if etag { fields[.eTag] = "\"constant\"" }
                let body = "[\(shown.joined(separator: ","))]"
                origin.set(target(since, page + 1), .text(body, headerFields: fields))
            }
        }
    }

    private static func target(_ since: Int?, _ page: Int) -> String {
        let parts = [since.map { "since=\($0)" }, page > 1 ? "page=\(page)" : nil].compactMap(\.self)
        return "/posts\(parts.isEmpty ? "" : "?")\(parts.joined(separator: "&"))"
    }

    /// A page of records whose ids are their values of `at`.
    private static func page(_ values: [Int], _ next: Int?) -> ScriptedAnswer {
        var fields: HTTPFields = [.contentType: "application/json"]
        if let next { fields[HTTPField.Name("Link")!] = "</posts?page=\(next)>; rel=\"next\"" }
        let bodies = values.map { #"{"id":\#($0),"at":\#($0)}"# }
        return .text("[\(bodies.joined(separator: ","))]", headerFields: fields)
    }

    private static func cursor(_ bench: EngineBench) async throws -> String? {
        try await bench.store.cursor(of: "posts")?.value
    }

    @Test(arguments: 2...4)
    func `a full listing that is interrupted requests all the rest, and no live record counts as deleted`(
        _ page: Int
    ) async throws {
        let bench = try await Self.bench() { $0.deletions = Deletions(byAbsence: true) }
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await Self.cursor(bench) == "12")
        for _ in 0..<3 {
            Self.set((1...12).map { ($0, $0) }, at: bench.origin)
            bench.origin.set(Self.target(nil, page), .status(.internalServerError))
            #expect(try await bench.sync(SyncOptions(isFull: true)).result.outcome == .queued)
            Self.set((1...12).map { ($0, $0) }, at: bench.origin)
            bench.time.advance(by: .seconds(3600))
            _ = bench.origin.takeTargets()
            let report = try await bench.sync()
            #expect(report.result.outcome == .saved && report.result.counters.deleted == 0)
            // From the last value but one that its own pages had on.
            let since = (page - 1) * 3 - 1
            let rest = Self.target(since, 1)
            #expect(bench.origin.takeTargets().first == rest)
            #expect(report.result.counters.unchanged == 12 - since)
        }
        #expect(try await bench.keys().count == 12)
        #expect(try await Self.cursor(bench) == "12")
    }

    @Test func `a listing with a lookback advances with each run, however often it is interrupted`() async throws {
        let bench = try await Self.bench() { $0.cursor?.lookback = .count(11) }
        #expect(try await bench.sync().result.outcome == .saved)
        bench.origin.set(Self.target(1, 3), .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        Self.set((1...12).map { ($0, $0) }, at: bench.origin)
        bench.time.advance(by: .seconds(3600))
        _ = bench.origin.takeTargets()
        #expect(try await bench.sync().result.outcome == .saved)
        // Looked back from where its pages came to lies before its own beginning: it goes on at its page.
        #expect(bench.origin.takeTargets() == [Self.target(1, 3), Self.target(1, 4)])
    }

    @Test func `records that share the last value of a page are not skipped where the page behind it fails`()
        async throws
    {
        let bench = try await Self.bench()
        Self.set([(1, 1), (2, 5), (3, 5), (4, 5), (5, 5), (6, 7)], at: bench.origin)
        bench.origin.set("/posts?page=2", .status(.forbidden))
        #expect(try await bench.sync().result.outcome == .failed)
        #expect(try await Self.cursor(bench) == "1")
        bench.time.advance(by: .seconds(2 * 86_400))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5", "6"])
        #expect(try await Self.cursor(bench) == "7")
    }

    @Test func `where records break the declared order the cursor waits for the end, and that is reported`()
        async throws
    {
        let bench = try await Self.bench()
        // The first two pages rise, the third goes back.
        bench.origin.set("/posts", Self.page([7, 8], 2))
        bench.origin.set("/posts?page=2", Self.page([9, 10], 3))
        bench.origin.set("/posts?page=3", Self.page([3, 4], 4))
        bench.origin.set("/posts?page=4", .status(.internalServerError))
        let report = try await bench.sync()
        #expect(report.result.outcome == .queued)
        #expect(report.warnings.contains { $0.contains("do not come in the order of $.at") })
        #expect(try await Self.cursor(bench) == nil)
        bench.time.advance(by: .seconds(3600))
        bench.origin.set("/posts?page=4", Self.page([1, 2], nil))
        _ = bench.origin.takeTargets()
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=4"])
        #expect(try await bench.keys().count == 8)
        // Less far than it could be, never too far: what came late is on no page of the second run.
        #expect(try await Self.cursor(bench) == nil)
    }

    @Test func `a listing that came out of order once continues at its pages to its end`() async throws {
        let bench = try await Self.bench()
        bench.origin.set("/posts", Self.page([20, 10], 2))
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.time.advance(by: .seconds(3600))
        bench.origin.set("/posts?page=2", Self.page([30, 40, 50], 3))
        bench.origin.set("/posts?page=3", .status(.internalServerError))
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await Self.cursor(bench) == nil)
        bench.time.advance(by: .seconds(3600))
        bench.origin.set("/posts?page=3", Self.page([5, 15, 80], nil))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys().count == 8)
    }

    @Test func `a full listing requests without conditions to its end, also where it was interrupted`() async throws {
        let bench = try await Self.bench() {
            $0.cursor = nil; $0.query = [:]
        }
        Self.set((1...9).map { ($0, $0) }, at: bench.origin, etag: true)
        for _ in 0..<2 { #expect(try await bench.sync().result.outcome == .saved) }
        bench.origin.set("/posts?page=2", .status(.internalServerError))
        #expect(try await bench.sync(SyncOptions(isFull: true)).result.outcome == .queued)
        Self.set((1...9).map { ($0, $0) }, at: bench.origin, etag: true)
        bench.time.advance(by: .seconds(3600))
        _ = bench.origin.takeRequests()
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil, nil])
    }

    @Test func `a listing from beyond the cursor leaves the resource as stale as it was`() async throws {
        let bench = try await Self.bench()
        #expect(try await bench.sync().result.outcome == .saved)
        let completed = try await bench.state().completedAt
        bench.time.advance(by: .seconds(60))
        bench.origin.set("/posts?since=99", ScriptedOrigin.page("[]"))
        #expect(try await bench.sync(SyncOptions(since: "99")).result.outcome == .saved)
        #expect(try await bench.state().completedAt == completed)
    }
}
