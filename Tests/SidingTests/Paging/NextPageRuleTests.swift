// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingJSON
import SidingPaging
import Testing

@testable import Siding

@Suite struct NextPageRuleTests {
    private func rule(
        _ paging: Paging, path: String = "/posts", authorization: Authorization = .none, stop: StopRules = StopRules(),
        query: [String: QueryValue] = [:]
    ) throws -> NextPageRule {
        let source = Source(
            name: "blog", baseURL: try HTTPURL("https://api.example.org/v1"), authorization: authorization)
        return NextPageRule(
            resource: AnyResource("posts", from: source, at: path, key: [JSONPath(member: "id")], paging: paging)
                .with(\.query, query)
                .with(\.stop, stop))
    }

    private func field(_ name: String, _ value: String) -> HTTPFields { [HTTPField.Name(name)!: value] }

    private func link(_ target: String) -> HTTPFields { field("Link", "<\(target)>; rel=\"next\"") }

    private func next(
        _ rule: NextPageRule, after page: PageRequest? = nil, fields: HTTPFields = [:], records: Int = 10,
        envelope: [String: EnvelopeScalar] = [:], lastRecord: String? = nil, by paging: Paging? = nil
    ) throws -> Step {
        let paths = try envelope.map { (try JSONPath(parsing: $0.key), $0.value) }
        let answer = PageAnswer(
            headerFields: fields, recordCount: records, envelope: Dictionary(uniqueKeysWithValues: paths),
            lastRecord: lastRecord.map { .text($0) })
        return try rule.next(after: page ?? rule.first(), by: paging ?? rule.resource.paging, answer)
    }

    private func url(_ next: Step) -> String? {
        guard case .page(let page) = next else { return nil }
        return page.url.description
    }

    // MARK: The first page

    @Test func `the first page is the path below the base URL with the resource's query`() throws {
        let first = try rule(.automatic, path: "/posts?sort=id", query: ["tags": ["a b", "c"]]).first()
        #expect(
            first.url.description
                == "https://api.example.org/v1/posts?sort=id&tags%5B%5D=a%20b&tags%5B%5D=c")
        #expect(first.number == 1)
        #expect(first.offset == 0)
    }

    @Test func `page numbers begin at their start and send their size`() throws {
        let paging = Paging.page(.init(parameter: "p", start: 0, sizeParameter: "per_page", size: 50))
        #expect(try rule(paging).first().url.query == "p=0&per_page=50")
    }

    @Test func `offsets begin at their start and send their limit`() throws {
        let paging = Paging.offset(.init(parameter: "skip", start: 5, limitParameter: "take", limit: 20))
        #expect(try rule(paging).first().url.query == "skip=5&take=20")
    }

    @Test func `a path that makes no URL is refused before anything is sent`() throws {
        let rule = try rule(.none, path: "/a b")
        #expect { _ = try rule.first() } throws: { ($0 as? Failure)?.reason == .invalidRequest }
    }

    // MARK: The next page

    @Test func `none and an undetected paging end after one page`() throws {
        let fields = link("https://api.example.org/v1/posts?page=2")
        #expect(try next(rule(.none), fields: fields) == .end)
        #expect(try next(rule(.automatic), fields: fields) == .end)
    }

    @Test func `a Link field leads on, and its place counts pages and records`() throws {
        let rule = try rule(.linkHeader)
        let expected = PageRequest(url: try HTTPURL("https://api.example.org/v1/posts?page=2"), number: 2, offset: 7)
        #expect(try next(rule, fields: link("/v1/posts?page=2"), records: 7) == .page(expected))
        #expect(try next(rule) == .end)
    }

    @Test func `a Link to a next page is followed from an empty page too`() throws {
        #expect(try url(next(rule(.linkHeader), fields: link("?page=3"), records: 0)) != nil)
    }

    @Test func `a next URL is taken from its path, or from the first usual place`() throws {
        let path = try JSONPath(parsing: "$.meta.next")
        #expect(
            try url(next(rule(.nextURL(path)), envelope: ["$.meta.next": .text("?c=2")]))
                == "https://api.example.org/v1/posts?c=2")
        #expect(
            try url(next(rule(.nextURL(nil)), envelope: ["$.paging.next": .text("/v1/posts?c=3")]))
                == "https://api.example.org/v1/posts?c=3")
        #expect(try next(rule(.nextURL(path))) == .end)
    }

    @Test func `a cursor takes the place of the one before`() throws {
        let path = try JSONPath(parsing: "$.next_cursor")
        let rule = try rule(.cursor(path, parameter: "cursor"), query: ["limit": 5])
        let second = try next(rule, envelope: ["$.next_cursor": .text("a/b+c")])
        #expect(url(second) == "https://api.example.org/v1/posts?limit=5&cursor=a%2Fb%2Bc")
        guard case .page(let page) = second else { return }
        #expect(
            try url(next(rule, after: page, envelope: ["$.next_cursor": .text("d")]))
                == "https://api.example.org/v1/posts?limit=5&cursor=d")
        #expect(try next(rule, envelope: ["$.next_cursor": .text("")]) == .end)
    }

    @Test func `a cursor in a header field is sent in its parameter`() throws {
        let rule = try rule(.headerCursor(.init("X-Cursor")!, parameter: "after"))
        #expect(try url(next(rule, fields: field("X-Cursor", "t1"))) == "https://api.example.org/v1/posts?after=t1")
        #expect(try next(rule, fields: field("X-Cursor", "")) == .end)
    }

    @Test func `a next-page field is a page number or a URL`() throws {
        let rule = try rule(.nextHeader(.init("X-Next-Page")!))
        #expect(try url(next(rule, fields: field("X-Next-Page", "2"))) == "https://api.example.org/v1/posts?page=2")
        #expect(
            try url(next(rule, fields: field("X-Next-Page", "/v1/posts?p=2")))
                == "https://api.example.org/v1/posts?p=2")
        #expect(try next(rule, fields: field("X-Next-Page", "")) == .end)
    }

    @Test func `page numbers end on an empty page, and not on a short one`() throws {
        let open = try rule(.page(.init()))
        #expect(try url(next(open, records: 1)) == "https://api.example.org/v1/posts?page=2")
        #expect(try next(open, records: 0) == .end)
        let sized = try rule(.page(.init(start: 0, size: 10)))
        #expect(try url(next(sized, records: 10)) == "https://api.example.org/v1/posts?page=1")
        // The origin's maximum may be below the size, or it filters pages after it cut them.
        let second = try next(sized, records: 9)
        #expect(url(second) == "https://api.example.org/v1/posts?page=1")
        guard case .page(let page) = second else { return }
        #expect(try url(next(sized, after: page, records: 9)) == "https://api.example.org/v1/posts?page=2")
        #expect(try url(next(sized, after: page, records: 8)) == "https://api.example.org/v1/posts?page=2")
        #expect(try next(sized, records: 0) == .end)
    }

    @Test func `offsets advance by the limit, or by the records seen`() throws {
        let sized = try rule(.offset(.init(limit: 10)))
        #expect(try url(next(sized, records: 10)) == "https://api.example.org/v1/posts?limit=10&offset=10")
        #expect(try url(next(sized, records: 9)) == "https://api.example.org/v1/posts?limit=10&offset=9")
        let open = try rule(.offset(.init(start: 100)))
        let second = try next(open, records: 7)
        #expect(url(second) == "https://api.example.org/v1/posts?offset=107")
        guard case .page(let page) = second else { return }
        #expect(try url(next(open, after: page, records: 3)) == "https://api.example.org/v1/posts?offset=110")
        #expect(try next(open, records: 0) == .end)
    }

    @Test func `a short page with a Link to a next one is not the last of those that are counted`() throws {
        let fields = link("/v1/posts?page=2&per_page=10")
        let numbered = try rule(.page(.init(size: 20)))
        #expect(try url(next(numbered, fields: fields, records: 10)) == "https://api.example.org/v1/posts?page=2")
        let offsets = try rule(.offset(.init(limit: 20)))
        #expect(try url(next(offsets, fields: fields, records: 10))?.hasSuffix("limit=20&offset=10") == true)
        let stop = StopRules(isLast: try JSONPath(parsing: "$.end"))
        let ended = try rule(.page(.init(size: 20)), stop: stop)
        #expect(try next(ended, fields: fields, records: 10, envelope: ["$.end": .bool(true)]) == .end)
    }

    @Test func `the last record of a page is named to the origin, until a page is empty`() throws {
        let rule = try rule(.lastRecord(JSONPath(member: "id"), parameter: "starting_after"))
        let next = try next(rule, lastRecord: "cus_2")
        #expect(url(next) == "https://api.example.org/v1/posts?starting_after=cus_2")
        guard case .page(let page) = next else { return }
        #expect(
            try url(self.next(rule, after: page, lastRecord: "3"))
                == "https://api.example.org/v1/posts?starting_after=3")
        #expect(try self.next(rule, after: page, records: 0) == .end)
    }

    @Test func `a last record without an identity does not end the listing as complete`() throws {
        let rule = try rule(.lastRecord(JSONPath(member: "id"), parameter: "starting_after"))
        #expect { _ = try next(rule) } throws: { ($0 as? Failure)?.reason == .contract }
    }

    @Test func `after a page that did not change follows what followed it before`() throws {
        let rule = try rule(.lastRecord(JSONPath(member: "id"), parameter: "starting_after"))
        let answer = PageAnswer(headerFields: [:], recordCount: 2, envelope: [:])
        let stored = PageRequest(url: try HTTPURL("https://api.example.org/v1/posts?x=2"), number: 2, offset: 2)
        let first = try rule.first()
        let paging = rule.resource.paging
        #expect(try rule.next(afterUnchanged: first, by: paging, answer, stored: stored) == .page(stored))
        #expect(try rule.next(afterUnchanged: first, by: paging, answer, stored: nil) == .end)
    }

    // MARK: Stops

    @Test func `a member that marks the last page ends the listing`() throws {
        let stop = StopRules(isLast: try JSONPath(parsing: "$.end"))
        let rule = try rule(.page(.init()), stop: stop)
        #expect(try next(rule, envelope: ["$.end": .bool(true)]) == .end)
        #expect(try url(next(rule, envelope: ["$.end": .bool(false)])) != nil)
        #expect(try rule.envelopePaths.first == JSONPath(parsing: "$.end"))
    }

    @Test func `a member that reports no further page ends the listing`() throws {
        let stop = StopRules(hasMore: try JSONPath(parsing: "$.has_more"))
        let rule = try rule(.page(.init()), stop: stop)
        #expect(try next(rule, envelope: ["$.has_more": .bool(false)]) == .end)
        #expect(try url(next(rule, envelope: ["$.has_more": .bool(true)])) != nil)
    }

    @Test(
        arguments: [
            (.number("1"), true), (.text("true"), true), (.text("yes"), true), (.number("0"), false),
            (.text("N"), false),
            (.text("soon"), nil), (nil, nil),
        ] as [(EnvelopeScalar?, Bool?)])
    func `a declared flag counts in any spelling, and one that cannot be read decides nothing`(
        _ flag: EnvelopeScalar?, _ more: Bool?
    ) throws {
        let rule = try rule(
            .page(.init(sizeParameter: "n", size: 50)), stop: StopRules(hasMore: JSONPath(parsing: "$.more")))
        let step = try next(rule, records: 5, envelope: flag.map { ["$.more": $0] } ?? [:])
        // A short page is not the end unless something says so.
        #expect((step == .end) == (more == false))
    }

    @Test func `the page limit cuts a listing that would continue, and no other`() throws {
        let rule = try rule(.linkHeader, stop: StopRules(maxPages: 1))
        #expect(try next(rule, fields: link("?page=2")) == .stopped("max_pages (1) reached"))
        #expect(try next(rule) == .end)
    }

    @Test func `offsets continue behind the last record seen, where pages are shorter than requested`() throws {
        let stop = StopRules(hasMore: try JSONPath(parsing: "$.more"))
        let rule = try rule(.offset(.init(limit: 50)), stop: stop)
        let more: [String: EnvelopeScalar] = ["$.more": .bool(true)]
        let first = try next(rule, records: 20, envelope: more)
        #expect(url(first)?.hasSuffix("offset=20") == true)
        guard case .page(let second) = first else { return }
        #expect(try url(next(rule, after: second, records: 50, envelope: more))?.hasSuffix("offset=70") == true)
        #expect(try next(rule, after: second, records: 20, envelope: ["$.more": .bool(false)]) == .end)
        #expect(try next(rule, after: second, records: 0, envelope: more) != .end)
    }

    // MARK: Origin and credentials

    @Test func `a relative link is relative to where the answer came from, on the same origin`() throws {
        let rule = try rule(.linkHeader, path: "/a/posts")
        let first = try rule.first()
        func next(from place: String) throws -> Step {
            let answer = PageAnswer(
                headerFields: link("list?page=2"), recordCount: 1, envelope: [:], url: try HTTPURL(place))
            return try rule.next(after: first, by: .linkHeader, answer)
        }
        #expect(try url(next(from: "https://api.example.org/b/list")) == "https://api.example.org/b/list?page=2")
        #expect(try url(next(from: "https://cdn.example.org/b/list")) == "https://api.example.org/v1/a/list?page=2")
    }

    @Test func `a link that repeats a credential under another name loses it`() throws {
        let rule = try rule(.linkHeader)
        let answer = PageAnswer(
            headerFields: link("/v1/posts?API_KEY=s3cret%2Fkey&page=2"), recordCount: 1, envelope: [:],
            secrets: ["s3cret/key"])
        #expect(
            try url(rule.next(after: rule.first(), by: .linkHeader, answer))
                == "https://api.example.org/v1/posts?page=2")
    }

    @Test(arguments: [
        "https://evil.example/v1/posts", "http://api.example.org/v1/posts", "https://api.example.org:8443/v1/posts",
        "//evil.example/", "https://api.example.org.evil.example/", "http://169.254.169.254/latest",
    ])
    func `a next link outside the source's origin is refused`(_ target: String) throws {
        let rule = try rule(.linkHeader)
        #expect { _ = try next(rule, fields: link(target)) } throws: { error in
            guard let failure = error as? Failure else { return false }
            return failure.reason == .contract && failure.phase == .answered
        }
    }

    @Test(arguments: ["https://user:pw@api.example.org/", "ftp://api.example.org/", "https://api.example.org:99999/"])
    func `a next link that is not a URL for requests is refused`(_ target: String) throws {
        let rule = try rule(.linkHeader)
        #expect(throws: Failure.self) { try next(rule, fields: link(target)) }
    }

    @Test func `credentials in the query of a next link are taken out, also where their name is encoded`() throws {
        let rule = try rule(.linkHeader, authorization: .apiKeyQuery("api_key", Secret("test") { "s3cret" }))
        let found = try next(rule, fields: link("?page=2&api_key=s3cret&api%5Fkey=s3cret&x=1"))
        #expect(url(found) == "https://api.example.org/v1/posts?page=2&x=1")
    }

    @Test func `only the members that the paging needs are read from the envelope`() throws {
        let path = try JSONPath(parsing: "$.c")
        let more = try JSONPath(parsing: "$.more")
        #expect(
            try rule(.cursor(path, parameter: "c"), stop: StopRules(hasMore: more)).envelopePaths == [more, path])
        #expect(try rule(.linkHeader).envelopePaths == [])
        #expect(try rule(.nextURL(path)).envelopePaths == [path])
        #expect(
            try rule(.automatic).envelopePaths
                == EnvelopePlaces.nextURLs + EnvelopePlaces.cursors.map(\.path))
    }
}
