// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Listings that bring the same again and again, whatever the addresses of their pages.
@Suite struct RepeatedPagesTests {
    private func bench(_ paging: Paging) async throws -> EngineBench {
        var bench = try await EngineBench(ScriptedOrigin())
        bench.resource.paging = paging
        return bench
    }

    private static let byToken = Paging.cursor(JSONPath(member: "next"), parameter: "c")

    /// Pages `/posts`, `/posts?c=1` and so on, each with a token that no page before it had; the last has none.
    private func tokens(_ pages: [[Int]]) async throws -> EngineBench {
        let bench = try await bench(Self.byToken)
        for (index, ids) in pages.enumerated() {
            let items = ids.map { #"{"id":\#($0)}"# }.joined(separator: ",")
            let next = index + 1 < pages.count ? #","next":"\#(index + 1)""# : ""
            bench.origin.set(
                index == 0 ? "/posts" : "/posts?c=\(index)", .text(#"{"items":[\#(items)]\#(next)}"#))
        }
        return bench
    }

    @Test func `an origin that ignores the page's number is noticed at the same page by each sync, also by 304s`()
        async throws
    {
        let bench = try await bench(.page(.init()))
        let page = ScriptedOrigin.page("[1,2]", etag: #""a""#)
        for number in 1...9 { bench.origin.set("/posts?page=\(number)", page, .status(.notModified)) }
        bench.origin.set("/posts?page=2", page)
        for _ in 0..<3 {
            let report = try await bench.sync()
            #expect(bench.origin.takeTargets() == (1...2).map { "/posts?page=\($0)" })
            #expect(
                report.warnings == [
                    "incomplete: page 2 has the records of the page before it again: a loop (page ?page from 1). "
                        + "If one page has all records: paginate: none"
                ])
        }
    }

    @Test func `an origin that shows its last page for every number behind it is noticed likewise`() async throws {
        let bench = try await bench(.page(.init()))
        for number in 1...9 {
            let page = ScriptedOrigin.page("[\(min(number, 4))]", etag: "\"\(min(number, 4))\"")
            if number == 5 {
                bench.origin.set("/posts?page=5", page)
            } else {
                bench.origin.set("/posts?page=\(number)", page, .status(.notModified))
            }
        }
        for _ in 0..<3 {
            _ = try await bench.sync()
            #expect(bench.origin.takeTargets() == (1...5).map { "/posts?page=\($0)" })
        }
    }

    @Test func `tokens that are ever new do not hide that pages are the same`() async throws {
        let bench = try await tokens(Array(repeating: [1], count: 1_010))
        let report = try await bench.sync()
        #expect(bench.origin.takeTargets().count == 1_001)
        #expect(
            report.warnings.first?.hasPrefix(
                "incomplete: page 1001 has the records of the page before it again: a loop")
                == true)
        #expect(try await bench.state().completedAt == nil)
    }

    @Test func `a circle of several pages is noticed after a thousand pages without a new record`() async throws {
        let bench = try await tokens((0..<1_010).map { [$0 % 3, 7] })
        let report = try await bench.sync()
        #expect(bench.origin.takeTargets().count == 1_003)
        #expect(
            report.warnings.first?.hasPrefix(
                "incomplete: page 1003 is the 1000th page in a row without a new record: a loop"
            )
                == true)
    }

    @Test func `pages that the origin names may show the same records for long`() async throws {
        let bench = try await tokens(Array(repeating: [1], count: 3) + (0..<20).map { [$0 % 2] } + [[2]])
        #expect(try await bench.sync().warnings == [])
        #expect(try await bench.keys() == ["0", "1", "2"])
    }

    @Test func `a circle of numbered pages is noticed after ten pages without a new record`() async throws {
        let bench = try await bench(.page(.init()))
        for number in 1...40 {
            bench.origin.set("/posts?page=\(number)", ScriptedOrigin.page("[\(number % 3),7]"))
        }
        let report = try await bench.sync()
        #expect(bench.origin.takeTargets().count == 13)
        #expect(
            report.warnings.first?.hasPrefix(
                "incomplete: page 13 is the 10th page in a row without a new record: a loop")
                == true)
    }

    @Test func `pages that shifted, and pages without records, do not count as a loop`() async throws {
        let shifted = (1...9).map { [$0] } + (1...9).map { [$0] } + [[10]]
        #expect(try await tokens(shifted).sync().warnings == [])
        let filtered = [[1]] + Array(repeating: [], count: 30) + [[2]]
        #expect(try await tokens(filtered).sync().warnings == [])
    }

    /// Ten records, three on a page, at an origin that takes page 0 for page 1.
    @Test(arguments: [#"{"items":ITEMS,"total":10,"pages":4}"#, #"{"items":ITEMS,"total":10}"#, #"{"items":ITEMS}"#])
    func `a first page that comes twice makes a listing incomplete, with any counts of the origin`(
        _ envelope: String
    ) async throws {
        let bench = try await bench(.page(.init(start: 0)))
        for number in 0...4 {
            let first = (max(number, 1) - 1) * 3 + 1
            bench.origin.set(
                "/posts?page=\(number)", ListingEndTests.answer(envelope, (first..<first + 3).filter { $0 <= 10 }))
        }
        #expect(try await bench.sync().result.outcome == .partial)
        #expect(try await bench.state().completedAt == nil)
    }

    /// Each page begins with the last record of the page before.
    @Test(arguments: [Paging.page(.init()), .page(.init(size: 4)), .nextURL(JSONPath(member: "next"))])
    func `a record that is on two pages in a row counts once`(_ paging: Paging) async throws {
        var bench = try await bench(paging)
        bench.resource.records = JSONPath(member: "items")
        let pages = [[1, 2, 3, 4], [4, 5, 6, 7], [7, 8, 9, 10], [10, 11, 12]]
        for (index, ids) in pages.enumerated() {
            let next = index + 1 < pages.count ? #""/posts?page=\#(index + 2)""# : "null"
            let answer = ListingEndTests.answer(#"{"items":ITEMS,"total":12,"pages":3,"next":\#(next)}"#, ids)
            for target in ["/posts?page=\(index + 1)"] + (index == 0 ? ["/posts"] : []) {
                bench.origin.set(target, answer)
            }
        }
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved, "\(report.warnings)")
        #expect(try await bench.keys().count == 12)
        // The last page is missing: 13 records were read, and 10 of them are different.
        bench.origin.set("/posts?page=4", .text(#"{"items":[],"next":null,"total":12}"#))
        #expect(try await bench.sync().warnings.first?.hasPrefix("incomplete: 10 of 12 records") == true)
    }

    @Test func `digests depend on the bytes of each record`() throws {
        func digests(_ json: String) throws -> RecordDigests {
            let bytes = Array(json.utf8)
            let contents = try bytes.withUnsafeBytes {
                try PageReader(records: nil, key: [JSONPath(member: "id")]).read($0)
            }
            return RecordDigests(contents.records, of: bytes)
        }
        let page = try digests(#"[{"id":1,"name":"a name"},{"id":2}]"#)
        // The same in every process: it is stored.
        #expect(page.whole == 58_316_547_458_996_422)
        #expect(try digests(#"[ {"id":1,"name":"a name"} , {"id":2} ]"#) == page)
        #expect(try digests(#"[{"id":2},{"id":1,"name":"a name"}]"#).whole != page.whole)
        #expect(try digests(#"[{"id":1,"name":"a nama"},{"id":2}]"#).each[0] != page.each[0])
        #expect(try digests("[]").whole == nil)
    }
}
