// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import Testing

/// Pagers of a listing of five notes, two on each page.
@Suite(.timeLimit(.minutes(5))) struct VocabularyPagerTests {
    struct Note: Codable, Sendable, Equatable { var id: Int }

    /// A page with the cursor or the URL of the next.
    struct Listing: Codable, Sendable {
        var items: [Note]
        var next: String?
    }

    typealias Notes = Pager<[Note], PagerPosition>

    /// Runs `body` with an origin of the notes, and a builder for it.
    private static func listing(
        _ paging: OriginPaging, _ body: (Origin, URLChainBuilder) async throws -> Void
    ) async throws {
        let notes = Dataset((1...5).map { Dataset.Record(key: "\($0)", json: #"{"id":\#($0)}"#) })
        let listing = RecordListing("/notes", of: notes, paging: paging, pageSize: 2)
        let handler: Origin.Handler = { request in await listing.answer(request) ?? .notFound }
        try await BuilderSettingsTests.building(handler: handler, body)
    }

    /// A pager that counts pages or notes.
    private static func counting(
        _ origin: Origin, _ builder: URLChainBuilder, from first: PagerPosition = .page(1, size: 2)
    ) throws -> Notes {
        let route = RequestRoute(.get, try origin.at("/notes"))
        return Notes(from: first) { position in
            let target = try route.at(position, size: "limit")
            let page: Chain<Void, [Note]> = builder.route(target.method, target.url).build()
            let notes = try await page()
            return PagerAnswer(page: notes, next: position.next(after: notes.count))
        }
    }

    /// The numbers of the notes on each page, to the end.
    private static func numbers(_ pager: Notes) async throws -> [[Int]] {
        var pages: [[Int]] = []
        while let page = try await pager.next() { pages.append(page.map(\.id)) }
        return pages
    }

    @Test(arguments: [
        (OriginPaging.page(), PagerPosition.page(1, size: 2), ["page=1&limit=2", "page=2&limit=2", "page=3&limit=2"]),
        (
            OriginPaging.offset(), PagerPosition.offset(0, limit: 2),
            ["offset=0&limit=2", "offset=2&limit=2", "offset=4&limit=2"]
        ),
    ]) func `pages are counted by number or offset, until one is short`(
        _ paging: OriginPaging, _ first: PagerPosition, _ queries: [String]
    ) async throws {
        try await Self.listing(paging) { (origin, builder) async throws in
            let pager = try Self.counting(origin, builder, from: first)
            #expect(try await Self.numbers(pager) == [[1, 2], [3, 4], [5]])
            #expect(pager.isComplete)
            #expect(origin.requests.map(\.target) == queries.map { "/notes?\($0)" })
        }
    }

    @Test(arguments: [
        (OriginPaging.cursor(member: ["next"]), ["/notes", "/notes?cursor=after-2", "/notes?cursor=after-4"]),
        (OriginPaging.nextURL(member: ["next"]), ["/notes", "/notes?page=2", "/notes?page=3"]),
    ]) func `the cursor or the URL in a page leads to the next`(
        _ paging: OriginPaging, _ targets: [String]
    ) async throws {
        let hasCursor = paging == .cursor(member: ["next"])
        try await Self.listing(paging) { (origin, builder) async throws in
            let first = RequestRoute(.get, try origin.at("/notes"))
            let pager = Notes(from: .start) { position in
                let route = try first.at(position)
                let page: Chain<Void, Listing> = builder.route(route.method, route.url).build()
                let listing = try await page()
                let next: PagerPosition? =
                    if hasCursor {
                        PagerPosition.cursor(after: listing.next)
                    } else {
                        try PagerPosition.nextURL(listing.next, of: route.url)
                    }
                return PagerAnswer(page: listing.items, next: next)
            }
            #expect(try await Self.numbers(pager) == [[1, 2], [3, 4], [5]])
            #expect(origin.requests.map(\.target) == targets)
        }
    }

    @Test func `the Link field of a page leads to the next`() async throws {
        try await Self.listing(.link) { (origin, builder) async throws in
            let first = RequestRoute(.get, try origin.at("/notes"))
            let pager = Notes(from: .start) { position in
                let route = try first.at(position)
                let page: Chain<Void, LoadedResponse> = builder.route(route.method, route.url).buildDataLoading()
                let answer = try await page()
                let notes = try JSONDecoder().decode([Note].self, from: Data(answer.bytes ?? []))
                let next = try PagerPosition.link(in: answer.response.headerFields, of: answer.url)
                return PagerAnswer(page: notes, next: next)
            }
            #expect(try await Self.numbers(pager) == [[1, 2], [3, 4], [5]])
            #expect(origin.requests.map(\.target) == ["/notes", "/notes?page=2", "/notes?page=3"])
        }
    }

    @Test func `callers at the same moment get one page each, in their order, and no page is requested twice`()
        async throws
    {
        try await Self.listing(.page()) { (origin, builder) async throws in
            let pager = try Self.counting(origin, builder)
            // Each call runs here up to its first wait.
            let calls = (1...5).map { _ in Task.immediate { try? await pager.next() } }
            var pages: [[Int]?] = []
            for call in calls { pages.append(await call.value?.map(\.id)) }
            #expect(pages == [[1, 2], [3, 4], [5], nil, nil])
            #expect(origin.requests.map { $0.query["page"] } == ["1", "2", "3"])
        }
    }

    @Test func `a failed page is requested again, and a saved state continues in another pager`() async throws {
        try await Self.listing(.page()) { (origin, builder) async throws in
            let pager = try Self.counting(origin, builder)
            #expect(try await pager.next()?.map(\.id) == [1, 2])
            origin.inject(.status(503))
            let failure = await #expect(throws: Failure.self) { try await pager.next() }
            #expect(failure?.status == 503)
            #expect(try await pager.next()?.map(\.id) == [3, 4])
            let saved = try JSONEncoder().encode(pager.saveState())
            let other = try Self.counting(origin, builder)
            other.restoreState(try JSONDecoder().decode(PagerState<PagerPosition>.self, from: saved))
            #expect(try await Self.numbers(other) == [[5]])
            #expect(other.isComplete && !pager.isComplete)
            pager.renew()
            #expect(try await pager.next()?.map(\.id) == [1, 2])
            #expect(origin.requests.map { $0.query["page"] } == ["1", "2", "2", "3", "1"])
        }
    }
}
