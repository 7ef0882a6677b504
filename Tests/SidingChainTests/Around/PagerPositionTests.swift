// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct PagerPositionTests {
    static func route(_ text: String = "http://a/p?q=1") throws -> RequestRoute {
        RequestRoute(.get, try HTTPURL(text))
    }

    @Test(arguments: [
        (PagerPosition.start, "http://a/p?q=1"),
        (.offset(20), "http://a/p?q=1&offset=20"),
        (.offset(20, limit: 10), "http://a/p?q=1&offset=20&limit=10"),
        (.page(2), "http://a/p?q=1&page=2"),
        (.page(2, size: 50), "http://a/p?q=1&page=2&per_page=50"),
        (.cursor("a+b"), "http://a/p?q=1&cursor=a%2Bb"),
        (.url("http://a/other?x=2"), "http://a/other?x=2"),
    ]) func `a route takes a position`(_ position: PagerPosition, _ url: String) throws {
        #expect(try Self.route().at(position).url.description == url)
        #expect(try Self.route().at(position).method == .get)
    }

    @Test func `parameters have the origin's names, and are set, not added`() throws {
        let route = try Self.route("http://a/p?skip=1&p=1&after=x")
        #expect(
            try route.at(.offset(2, limit: 3), offset: "skip", limit: "take").url.query == "p=1&after=x&skip=2&take=3")
        #expect(try route.at(.page(2, size: 3), page: "p", size: "n").url.query == "skip=1&after=x&p=2&n=3")
        #expect(try route.at(.cursor("y"), cursor: "after").url.query == "skip=1&p=1&after=y")
    }

    @Test func `offsets and page numbers continue until a page is empty or short`() {
        #expect(PagerPosition.offset(20).next(after: 7) == .offset(27))
        #expect(PagerPosition.offset(20).next(after: 0) == nil)
        #expect(PagerPosition.offset(20, limit: 10).next(after: 10) == .offset(30, limit: 10))
        #expect(PagerPosition.offset(20, limit: 10).next(after: 9) == nil)
        #expect(PagerPosition.page(1).next(after: 1) == .page(2))
        #expect(PagerPosition.page(1).next(after: 0) == nil)
        #expect(PagerPosition.page(1, size: 5).next(after: 5) == .page(2, size: 5))
        #expect(PagerPosition.page(1, size: 5).next(after: 4) == nil)
        #expect(PagerPosition.start.next(after: 5) == nil)
    }

    @Test func `a cursor is followed until there is none`() {
        #expect(PagerPosition.cursor(after: "x") == .cursor("x"))
        #expect(PagerPosition.cursor(after: "") == nil)
        #expect(PagerPosition.cursor(after: nil) == nil)
    }

    @Test func `a next link is resolved, and carries no credentials into the position`() throws {
        let url = try HTTPURL("http://a/p/list?page=1")
        let name = try #require(HTTPField.Name("Link"))
        let fields: HTTPFields = [name: "<?page=2&secret=canary>; rel=\"next\", <?page=9>; rel=\"last\""]
        #expect(try PagerPosition.link(in: fields, of: url, removing: ["secret"]) == .url("http://a/p/list?page=2"))
        #expect(try PagerPosition.link(in: [name: "<?page=9>; rel=\"last\""], of: url) == nil)
        #expect(try PagerPosition.link(in: [:], of: url) == nil)
    }

    @Test func `a next URL is resolved, and an unusable one is the origin's fault`() throws {
        let url = try HTTPURL("http://a/p/list")
        #expect(try PagerPosition.nextURL("/x?k=canary", of: url, removing: ["k"]) == .url("http://a/x"))
        #expect(try PagerPosition.nextURL(nil, of: url) == nil)
        #expect(try PagerPosition.nextURL("", of: url) == nil)
        let failure = #expect(throws: Failure.self) { try PagerPosition.nextURL("ftp://a/x", of: url) }
        #expect(failure?.reason == .contract)
        #expect(failure?.phase == .answered)
    }

    @Test(arguments: ["http://b/p", "https://a/p", "http://a:81/p"])
    func `a page outside the route's origin is not requested`(_ elsewhere: String) throws {
        let failure = try #require(throws: Failure.self) { try Self.route().at(.url(elsewhere)) }
        #expect(failure.reason == .contract)
    }

    @Test(arguments: [
        PagerPosition.start, .offset(1, limit: 2), .offset(1), .page(3, size: 4), .page(3), .cursor("c"),
        .url("http://a/"),
    ]) func `a position can be kept`(_ position: PagerPosition) throws {
        let kept = try JSONEncoder().encode(position)
        #expect(try JSONDecoder().decode(PagerPosition.self, from: kept) == position)
    }

    @Test func `a pager walks linked pages through a chain`() async throws {
        let name = try #require(HTTPField.Name("Link"))
        let transport = ScriptedTransport([
            .text("[1]", headerFields: [name: "</p?page=2>; rel=next"]), .text("[2]"),
        ])
        let chain = RequestCreatorNode().then(RequestSenderNode(transport)).then(ResponseDataPreprocessorNode())
            .then(ResponseDataLoaderNode())
        let route = try Self.route("http://a/p")
        let pager = Pager<[UInt8], PagerPosition>(from: .start) { position in
            let answer = try await chain.process(RequestDraft(route: route.at(position)), .test)
            return PagerAnswer(
                page: answer.bytes ?? [],
                next: try PagerPosition.link(in: answer.response.headerFields, of: answer.url))
        }
        var pages: [String] = []
        for try await page in pager { pages.append(String(decoding: page, as: UTF8.self)) }
        #expect(pages == ["[1]", "[2]"])
        #expect(transport.requests.map(\.request.path) == ["/p", "/p?page=2"])
    }
}
