// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingPaging
import Testing

@testable import Siding

/// What each page makes of a listing: (state, page) to (state, what follows).
@Suite struct ListingStepTests {
    /// A page as the origin answers it, by what the listing decides from.
    struct Answer: Sendable, CustomTestStringConvertible {
        var name: String
        var next: Next = .page
        var records = 1
        var isUnchanged = false
        var total: Int?

        enum Next: Sendable { case page, end, earlier }

        var testDescription: String { name }
    }

    /// Pages of one listing, and what follows the last of them.
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var pages: [Answer]
        var step: String
        var limit: Int?

        var testDescription: String { name }
    }

    static let rows: [Row] = [
        Row(name: "a page that leads to a next one", pages: [Answer(name: "first")], step: "page 2"),
        Row(
            name: "a page that leads nowhere",
            pages: [Answer(name: "first"), Answer(name: "last", next: .end)], step: "end"),
        Row(
            name: "a page that leads back",
            pages: [Answer(name: "first"), Answer(name: "second", next: .earlier)],
            step: "incomplete: page 2 leads back to an earlier page: a loop"),
        Row(
            name: "pages without records",
            pages: Array(repeating: Answer(name: "empty", records: 0), count: 100),
            step:
                "incomplete: 100 pages in a row had no records. If an empty page is the last one: stop: { empty_page: true }"
        ),
        Row(
            name: "unchanged pages", pages: Array(repeating: Answer(name: "304", isUnchanged: true), count: 3),
            step: "page 4"),
        Row(
            name: "the page that reaches the limit", pages: [Answer(name: "first", records: 3)],
            step: "stopped: the limit of 2 records is reached", limit: 2),
    ]

    @Test(arguments: rows) func `each page leads to one step`(row: Row) throws {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://example.org"))
        let resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        let first = try Self.request(1)
        var listing = Listing(
            of: resource, limit: row.limit, at: ListingPosition(listing: 1, page: first, isResumed: false))
        var step = Step.page(first)
        for (index, answer) in row.pages.enumerated() {
            step = try listing.advance(Self.page(index + 1, answer)).step
        }
        #expect(Self.describe(step) == row.step)
        #expect(listing.hasPages)
    }

    @Test func `the listing keeps the smallest total, the size of equal pages, and the place of the next page`() throws
    {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://example.org"))
        var listing = Listing(
            of: AnyResource("posts", from: source, at: "/posts", key: "id"),
            at: ListingPosition(listing: 1, page: try Self.request(1), isResumed: false))
        var page = try Self.page(1, Answer(name: "first", records: 2, total: 9))
        page.nextPageSource = .header
        _ = listing.advance(page)
        #expect(listing.pageSize == 2 && listing.total?.count == 9 && listing.nextPageSource == .header)
        _ = listing.advance(try Self.page(2, Answer(name: "second", records: 2, total: 8)))
        #expect(listing.pageSize == 2 && listing.total?.count == 8 && listing.nextPageSource == .header)
        _ = listing.advance(try Self.page(3, Answer(name: "third", next: .end, records: 1)))
        #expect(listing.pageSize == nil && listing.total?.count == 8)
    }

    private static func request(_ number: Int) throws -> PageRequest {
        PageRequest(
            url: try HTTPURL("https://example.org/posts?page=\(number)"), number: number, offset: number - 1)
    }

    private static func page(_ number: Int, _ answer: Answer) throws -> Page {
        let next: Step =
            switch answer.next {
            case .page: .page(try request(number + 1))
            case .end: .end
            case .earlier: .page(try request(1))
            }
        let bytes = Array(
            "[\((0..<answer.records).map { "{\"id\":\(number * 10 + $0)}" }.joined(separator: ","))]".utf8)
        let contents = try bytes.withUnsafeBytes { page in
            try PageReader(records: nil, key: [JSONPath(member: "id")]).read(page)
        }
        var page = Page(
            request: try request(number),
            content: answer.isUnchanged ? .notModified(recordCount: 1) : .records(bytes, contents.records),
            status: answer.isUnchanged ? 304 : 200, step: next, paging: .linkHeader, requests: 1, bytes: bytes.count)
        page.total = answer.total.map { ListingExtent.Report(count: $0, place: "$.total") }
        return page
    }

    private static func describe(_ step: Step) -> String {
        switch step {
        case .page(let next): "page \(next.number)"
        case .end: "end"
        case .incomplete(let why, _): "incomplete: \(why)"
        case .stopped(let why): "stopped: \(why)"
        case .ignored(let why): why
        }
    }
}
