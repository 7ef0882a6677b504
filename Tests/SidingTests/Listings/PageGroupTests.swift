// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Siding

/// Pages that are saved in one transaction: each finds the resource as the pages before it left it.
@Suite struct PageGroupTests {
    /// Saves the pages of a listing together.
    private static func save(
        _ pages: [String], _ position: ListingPosition, of bench: FileBench, hasList: Bool = true
    ) async throws -> [RunCounters] {
        var commits = try pages.enumerated().map { index, json in
            let number = index + 1
            return bench.bench.pageCommit(
                try StoreBench.content(json), position,
                next: number < pages.count ? .page(try StoreBench.page(number + 1)) : .end,
                page: try StoreBench.page(number))
        }
        commits[0].listed.page.hasNoList = !hasList
        return try await bench.store.save(commits.map(\.listed), in: commits[0].open).counters
    }

    @Test func `a page finds the table, and the number of the newest request, as the page before left them`()
        async throws
    {
        let bench = try await FileBench()
        let pages = [#"[{"id":1}]"#, #"[{"id":99999999999999999999}]"#, #"[{"id":2}]"#]
        let counters = try await Self.save(pages, bench.bench.open(), of: bench)
        #expect(counters.map(\.inserted) == [1, 1, 1])
        #expect(
            try await bench.rows("SELECT key, request FROM siding_records_posts ORDER BY key")
                == [["1", "1"], ["2", "3"], ["99999999999999999999", "2"]])
        // The revision counts transactions, not pages.
        #expect(try await bench.rows("SELECT layout, revision FROM siding_resources") == [["indexed", "1"]])
        #expect(try await bench.store.check() == [])
    }

    @Test func `the last page removes a record for which the filter was NULL on a page before`() async throws {
        let bench = try await FileBench()
        let schema = RecordSchema(transforms: RecordTransforms(condition: try RecordExpression("n > 0")))
        let full = #"[{"id":1,"n":1},{"id":2,"n":1},{"id":3,"n":1}]"#
        _ = try await Self.save([full], bench.bench.open(schema: schema), of: bench)
        let pages = [#"[{"id":1}]"#, #"[{"id":2,"n":1},{"id":3,"n":1}]"#]
        let counters = try await Self.save(pages, bench.bench.open(schema: schema), of: bench)
        #expect(counters.map(\.nullFiltered) == [0, 1])
        #expect(try await bench.rows("SELECT id FROM posts ORDER BY id") == [["2"], ["3"]])
        #expect(try await bench.rows("SELECT null_filtered FROM siding_resources") == [["0"]])
    }

    @Test(arguments: [true, false])
    func `a listing of changes has requested all records only if each of its pages had a list`(
        hasList: Bool
    ) async throws {
        let bench = try await FileBench()
        _ = try await Self.save([#"[{"id":1}]"#], bench.bench.open(), of: bench)
        let known = "SELECT listed ->> 'all_listed_at' IS NOT NULL FROM siding_resources"
        #expect(try await bench.rows(known) == [["1"]])
        var opening = try bench.bench.opening()
        opening.cursor = ListingCursor(from: "1", moves: true)
        let position = try await bench.bench.opened(opening)
        _ = try await Self.save(["[]", "[]"], position, of: bench, hasList: hasList)
        #expect(try await bench.rows(known) == [[hasList ? "1" : "0"]])
    }
}
