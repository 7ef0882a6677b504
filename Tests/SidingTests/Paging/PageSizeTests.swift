// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingOrigin
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

@Suite struct PageSizeTests {
    private static let sizes = PageSizes(in: "limit", maximum: 1_000, minimum: 10)

    // MARK: Which sizes

    @Test(arguments: [
        (1_000, 10, [1_000, 500, 250, 125, 25]), (96, 1, [96, 48, 24, 12, 6, 3, 1]), (7, 1, [7, 1]), (50, 50, [50]),
        (97, 10, [97]),
    ])
    func `each size is the largest divisor of the one above, down to the minimum`(
        maximum: Int, minimum: Int, sizes: [Int]
    ) {
        #expect(PageSizes(in: "n", maximum: maximum, minimum: minimum).sizes == sizes)
    }

    @Test func `two pages lost within twenty make the pages smaller, and so does each further one`() {
        var sizing = PageSizing(size: 1_000)
        sizing.losePage(of: 1_000, Self.sizes)
        #expect(sizing.size == 1_000)
        sizing.losePage(of: 1_000, Self.sizes)
        #expect(sizing.size == 500)
        sizing.losePage(of: 500, Self.sizes)
        #expect(sizing.size == 250)
    }

    @Test func `a page lost behind twenty others leaves the size as it is`() {
        var sizing = PageSizing(size: 500, pagesSinceLoss: 0)
        for _ in 1...20 { sizing.readPage(of: 500) }
        sizing.losePage(of: 500, Self.sizes)
        #expect(sizing.size == 500)
    }

    @Test func `forty pages without a loss make those of the next listing larger`() {
        var sizing = PageSizing(size: 250, pagesSinceLoss: 0)
        for _ in 1...39 { sizing.readPage(of: 250) }
        #expect(sizing.ofNewListing(Self.sizes).size == 250)
        sizing.readPage(of: 250)
        #expect(sizing.ofNewListing(Self.sizes) == PageSizing(size: 500, pagesSinceLoss: 0))
        #expect(PageSizing(size: 1_000, pagesSinceLoss: 90).ofNewListing(Self.sizes).size == 1_000)
        #expect(PageSizing(size: 1_000).ofNewListing(Self.sizes) == PageSizing(size: 1_000))
    }

    @Test func `a listing under way keeps its smaller size`() throws {
        var rule = try rule(.page(.init()))
        rule.size = 500
        let page = try page("page=13&limit=250", 13, behind: 3_000)
        #expect(rule.sized(page) == page)
    }

    @Test func `pages that became smaller stay small`() {
        var sizing = PageSizing(size: 250, pagesSinceLoss: 0)
        for _ in 1...45 { sizing.readPage(of: 250) }
        #expect(sizing == PageSizing(size: 250, pagesSinceLoss: 45))
        // A page that no other size fits is lost again.
        sizing.losePage(of: 1_000, Self.sizes)
        #expect(sizing == PageSizing(size: 250, pagesSinceLoss: 0))
    }

    @Test func `a size that the origin refuses gives way to the next larger one`() {
        var sizing = PageSizing(size: 250, pagesSinceLoss: 3)
        sizing.refusePage(of: 250, Self.sizes)
        #expect(sizing == PageSizing(size: 500, pagesSinceLoss: 0))
    }

    @Test func `other sizes in the config begin with the largest, unless pages were lost`() {
        #expect(PageSizing(size: 100).among(Self.sizes).size == 1_000)
        #expect(PageSizing(size: 100, pagesSinceLoss: 5).among(Self.sizes) == PageSizing(size: 25, pagesSinceLoss: 5))
        #expect(PageSizing(size: 5, pagesSinceLoss: 5).among(Self.sizes).size == 25)
    }

    @Test func `the smallest page stays, and the largest one too`() {
        var sizing = PageSizing(size: 25, pagesSinceLoss: 0)
        sizing.losePage(of: 25, Self.sizes)
        #expect(sizing.size == 25)
        sizing.refusePage(of: 1_000, Self.sizes)
        #expect(sizing.size == 1_000)
    }

    // MARK: Which page

    private func rule(_ paging: Paging, query: [String: QueryValue] = [:]) throws -> NextPageRule {
        var resource = AnyResource(
            "items", from: Source(name: "shop", baseURL: try HTTPURL("https://shop.example")), at: "/items",
            key: [JSONPath(member: "id")], paging: paging
        )
        .with(\.query, query)
        resource.pageSizes = Self.sizes
        return NextPageRule(resource: resource)
    }

    private func page(_ query: String, _ number: Int, behind offset: Int) throws -> PageRequest {
        PageRequest(url: try HTTPURL("https://shop.example/items?\(query)"), number: number, offset: offset)
    }

    @Test func `the first page requests the largest size, or the one that the line carries`() throws {
        var rule = try rule(.linkHeader)
        #expect(try rule.first().url.query == "limit=1000")
        rule.size = 250
        #expect(try rule.first().url.query == "limit=250")
    }

    @Test func `a page number of one size becomes that of the record it begins with`() throws {
        let rule = try rule(.page(.init()))
        let smaller = try #require(rule.resized(try page("page=4&limit=1000", 4, behind: 3_000), to: 250))
        #expect(smaller.url.query == "page=13&limit=250")
        #expect((smaller.number, smaller.offset) == (13, 3_000))
        #expect(rule.resized(smaller, to: 1_000)?.url.query == "page=4&limit=1000")
        #expect(rule.resized(try page("page=14&limit=250", 14, behind: 3_250), to: 1_000) == nil)
    }

    @Test func `a numbered page keeps its size where the origin's pages had fewer records than requested`() throws {
        let rule = try rule(.page(.init()))
        #expect(rule.resized(try page("page=4&limit=1000", 4, behind: 300), to: 500) == nil)
        #expect(rule.resized(try page("page=1&limit=1000", 1, behind: 0), to: 500)?.url.query == "page=1&limit=500")
    }

    @Test func `an offset and a token stay where they are`() throws {
        let offsets = try rule(.offset(.init()))
        #expect(
            offsets.resized(try page("offset=3000&limit=1000", 4, behind: 3_000), to: 500)?.url.query
                == "offset=3000&limit=500")
        let tokens = try rule(.cursor(JSONPath(member: "next"), parameter: "cursor"))
        #expect(
            tokens.resized(try page("cursor=x9&limit=1000", 4, behind: 2_900), to: 500)?.url.query
                == "cursor=x9&limit=500")
    }

    @Test(arguments: [
        ("page=4&limit=1000", 3_000, "page=7&limit=500"), ("page=4&limit=1000", 300, nil),
        ("after=x9&limit=1000", 2_900, "after=x9&limit=500"), ("after=3000&limit=1000", 3_000, nil),
        ("page=4", 3_000, nil), ("page=4&year=2024&limit=1000", 3_000, nil),
    ])
    func `a linked page has another size only where that leads to the same record`(
        query: String, offset: Int, resized: String?
    ) throws {
        #expect(try rule(.linkHeader).resized(page(query, 4, behind: offset), to: 500)?.url.query == resized)
    }

    @Test func `numbers of the config's own query are not taken for the position of a linked page, unless they change`()
        throws
    {
        let rule = try rule(.linkHeader, query: ["year": "2024", "page": "1"])
        #expect(
            rule.resized(try page("year=2024&after=x&limit=1000&page=1", 4, behind: 3_000), to: 500)?.url.query
                == "year=2024&after=x&page=1&limit=500")
        #expect(
            rule.resized(try page("year=2024&page=4&limit=1000", 4, behind: 3_000), to: 500)?.url.query
                == "year=2024&page=7&limit=500")
        #expect(rule.resized(try page("year=2024&page=4&limit=1000", 4, behind: 300), to: 500) == nil)
    }

    @Test func `a token that is a number keeps its size, as it may be that of a page`() throws {
        let rule = try rule(.cursor(JSONPath(member: "next_page"), parameter: "page"))
        #expect(rule.resized(try page("page=4&limit=1000", 4, behind: 3_000), to: 500) == nil)
        #expect(rule.resized(try page("limit=1000", 1, behind: 0), to: 500)?.url.query == "limit=500")
        let last = try self.rule(.lastRecord(JSONPath(member: "id"), parameter: "after"))
        #expect(
            last.resized(try page("after=3000&limit=1000", 4, behind: 3_000), to: 500)?.url.query
                == "after=3000&limit=500")
    }

    // MARK: A whole listing

    /// Pages of records 0, 1, 2 … of an origin that knows `page`, `offset`, `after` and `limit`.
    private func records(at page: PageRequest, of count: Int) -> Range<Int> {
        let query = Dictionary(
            uniqueKeysWithValues: page.url.queryParameters.map { ($0.name, String($0.value ?? "")) })
        let size = Int(query["limit"] ?? "") ?? 0
        let start =
            query["page"].flatMap { Int($0) }.map { ($0 - 1) * size } ?? query["offset"].flatMap { Int($0) }
            ?? query["cursor"].flatMap { Int($0.dropFirst()) } ?? 0
        return min(start, count)..<min(start + size, count)
    }

    @Test(arguments: 1...200)
    func `each record is listed once, with any sizes`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 0...9_000, using: &random)
        let cursor = Paging.cursor(JSONPath(member: "next"), parameter: "cursor")
        let paging = [Paging.page(.init()), .offset(.init()), cursor][seed % 3]
        let rule = try rule(paging)
        var page = try rule.first()
        var listed: [Int] = []
        while true {
            if let size = Self.sizes.sizes.randomElement(using: &random), Bool.random(using: &random) {
                page = rule.resized(page, to: size) ?? page
            }
            let records = records(at: page, of: count)
            listed += records
            let next =
                records.upperBound < count
                ? [JSONPath(member: "next"): EnvelopeScalar.text("r\(records.upperBound)")] : [:]
            let answer = PageAnswer(headerFields: [:], recordCount: records.count, envelope: next)
            guard case .page(let next) = try rule.next(after: page, by: paging.sized(rule.size(of: page)), answer)
            else {
                break
            }
            page = next
        }
        #expect(listed == Array(0..<count))
    }
}
