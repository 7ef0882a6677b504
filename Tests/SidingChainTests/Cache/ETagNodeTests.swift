// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// Conditional requests, and what becomes of a 304.
@Suite struct ETagNodeTests {
    private static let link = HTTPField.Name("Link")!

    @Test func `a stored answer is validated by tag and date, and a 304 gives its body`() async throws {
        let fields: HTTPFields = [.lastModified: "Tue, 14 Nov 2023 00:00:00 GMT", .contentType: "application/json"]
        let bench = CacheBench([.tagged("[1]", #""a""#, fields), .status(.notModified, headerFields: [.eTag: #""a""#])])
        let first = try await bench.ask()
        #expect(first.source == .server)
        #expect(bench.asked[0].isEmpty)
        bench.time.advance(by: 60)
        let second = try await bench.ask()
        #expect(bench.asked[1] == [.ifNoneMatch: #""a""#, .ifModifiedSince: "Tue, 14 Nov 2023 00:00:00 GMT"])
        #expect(second.response.status == .ok)
        #expect(second.text == "[1]")
        #expect(second.source == .cache(age: .zero, storedAt: 1_700_000_060, isFresh: false))
        #expect(second.response.headerFields[.contentType] == "application/json")
        #expect(second.response.headerFields[.age] == "0")
    }

    @Test func `a weak tag is validated too, and confirmed in either form`() async throws {
        let confirmations: [HTTPFields] = [[.eTag: #""a""#], [.eTag: #"W/"a""#], [:]]
        let bench = CacheBench(
            [.tagged("[1]", #"W/"a""#)] + confirmations.map { .status(.notModified, headerFields: $0) })
        try await bench.ask()
        for _ in confirmations { #expect(try await bench.ask().text == "[1]") }
        #expect(bench.asked[1][.ifNoneMatch] == #"W/"a""#)
        #expect(bench.asked.count == 4)
    }

    @Test func `the fields of a 304 are merged, except those about a body`() async throws {
        let first: HTTPFields = [
            .contentType: "application/json", .cacheControl: "max-age=1", Self.link: "<a>; rel=next", .server: "s",
        ]
        let update: HTTPFields = [
            .contentType: "text/html", .contentLength: "0", .cacheControl: "max-age=60", Self.link: "<b>",
            Self.link: "<c>",
            .setCookie: "canary", .date: "Tue, 14 Nov 2023 22:13:20 GMT",
        ]
        let bench = CacheBench([
            .tagged("[1]", "a", first), .status(.notModified, headerFields: update), .offline,
        ])
        try await bench.ask()
        let merged = try await bench.ask()
        let again = try await bench.cached.process(CacheBench.draft(), .test)
        for answer in [merged, again] {
            let fields = answer.response.headerFields
            #expect(fields[.contentType] == "application/json")
            #expect(fields[.contentLength] == nil)
            #expect(fields[.setCookie] == nil)
            #expect(fields[.cacheControl] == "max-age=60")
            #expect(fields[values: Self.link] == ["<b>", "<c>"])
            #expect(fields[.server] == "s")
            #expect(answer.source.isFresh)
        }
    }

    @Test func `a newer answer takes the stored one's place`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .tagged("[2]", "b"), .status(.notModified)])
        for text in ["[1]", "[2]", "[2]"] { #expect(try await bench.ask().text == text) }
        #expect(bench.asked.map { $0[.ifNoneMatch] } == [nil, "a", "b"])
    }

    @Test func `a request with conditions of its own keeps them, and gets its own 304`() async throws {
        let own: [HTTPFields] = [
            [.ifNoneMatch: "mine"], [.ifModifiedSince: "then"], [.ifMatch: "mine"], [.ifUnmodifiedSince: "then"],
        ]
        let bench = CacheBench([.tagged("[1]", "a")] + own.map { _ in .status(.notModified) })
        try await bench.ask()
        for fields in own {
            let answer = try await bench.ask("/posts", fields)
            #expect(answer.response.status == .notModified)
            #expect(answer.bytes == nil)
            #expect(answer.source == .server)
        }
        #expect(Array(bench.asked[1...]) == own)
    }

    @Test func `a body that was evicted meanwhile is requested once more, without conditions`() async throws {
        let (cache, calls) = (InMemoryResponseCache(), Counter())
        let bench = CacheBench(cache: cache) { request in
            if calls.next() == 2 {
                cache.evict(to: 0)
                return .status(.notModified)
            }
            return .tagged("[\(calls.count)]", "a")
        }
        try await bench.ask()
        let answer = try await bench.ask()
        #expect(answer.text == "[3]")
        #expect(answer.source == .server)
        #expect(bench.asked.map { $0[.ifNoneMatch] } == [nil, "a", nil])
        #expect(try await bench.stored() == "[3]")
    }

    @Test func `a row that was replaced meanwhile does not lend its body to an older tag`() async throws {
        let (cache, calls) = (InMemoryResponseCache(), Counter())
        let bench = CacheBench(cache: cache) { request in
            guard calls.next() == 2 else { return .tagged("[\(calls.count)]", "a") }
            let key = CacheRequest(key: CacheKey(account: "ann", method: "GET", url: "https://api.example.org/posts"))
            guard var row = cache.response(for: key) else { return .offline }
            row.head.headerFields[.eTag] = "b"
            row.body = Array("other".utf8)
            cache.store(row)
            return .status(.notModified)
        }
        try await bench.ask()
        #expect(try await bench.ask().text == "[3]")
        #expect(calls.count == 3)
    }

    @Test(arguments: [#""b""#, #"W/"b""#])
    func `a 304 that speaks of another tag confirms nothing`(_ tag: String) async throws {
        let bench = CacheBench([
            .tagged("[1]", #""a""#), .status(.notModified, headerFields: [.eTag: tag]), .tagged("[2]", tag),
        ])
        try await bench.ask()
        #expect(try await bench.ask().text == "[2]")
    }

    @Test func `a 304 without a condition is a failure, not an endless loop`() async throws {
        let cache = InMemoryResponseCache()
        let bench = CacheBench(cache: cache) { _ in
            cache.evict(to: 0)
            return .status(.notModified)
        }
        cache.store(CachedResponse(head: .posts, body: [1]))
        let endless = await #expect(throws: Failure.self) { try await bench.ask() }
        #expect(endless?.reason == .protocolViolation)
        #expect(endless?.phase == .answered)
        #expect(endless?.node == "ETagNode")
        #expect(endless?.description.contains("304 to a request without conditions") == true)
        #expect(bench.asked.map { $0[.ifNoneMatch] } == ["a", nil])
    }

    @Test func `an answer without validators is requested anew`() async throws {
        let bench = CacheBench([.text("[1]"), .text("[2]")])
        try await bench.ask()
        #expect(try await bench.ask().text == "[2]")
        #expect(bench.asked[1].isEmpty)
    }

    @Test func `HEAD has validators and a row of its own`() async throws {
        let head = ScriptedAnswer.reply(HTTPResponse(status: .ok, headerFields: [.eTag: "h", .contentLength: "9"]))
        let bench = CacheBench([.tagged("[1]", "g"), head, .status(.notModified), .status(.notModified)])
        try await bench.ask()
        try await bench.ask(method: .head)
        #expect(try await bench.ask(method: .head).bytes == [])
        #expect(try await bench.ask().text == "[1]")
        #expect(bench.asked.map { $0[.ifNoneMatch] } == [nil, nil, "h", "g"])
    }

    @Test func `two accounts never share an answer`() async throws {
        let cache = InMemoryResponseCache()
        let ann = CacheBench(cache: cache, account: "ann") { _ in .tagged("ann's", "a") }
        let bob = CacheBench(cache: cache, account: "bob") { _ in .tagged("bob's", "b") }
        try await ann.ask()
        #expect(try await bob.stored() == nil)
        try await bob.ask()
        #expect(bob.asked == [[:]])
        #expect(try await ann.stored() == "ann's")
        #expect(try await bob.stored() == "bob's")
    }

    @Test func `query order does not matter, and credentials in it are not part of the key`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .status(.notModified), .tagged("[2]", "b")])
        try await bench.ask("/posts?page=1&size=5&access_token=one")
        #expect(try await bench.ask("/posts?access_token=two&size=5&page=1").text == "[1]")
        #expect(try await bench.ask("/posts?size=5&page=2").text == "[2]")
        #expect(bench.asked.map { $0[.ifNoneMatch] } == [nil, "a", nil])
    }

    @Test func `a cache that fails costs the call nothing`() async throws {
        let bench = CacheBench(cache: BrokenCache(), [.tagged("[1]", "a"), .tagged("[2]", "a")])
        #expect(try await bench.ask().text == "[1]")
        #expect(try await bench.ask().text == "[2]")
    }

    @Test func `the steps name the wrapped node`() {
        #expect(CacheBench([]).sender.description == "ETagNode(RequestSenderNode)")
    }
}

extension CacheRequest {
    static let posts = CacheRequest(
        key: CacheKey(account: "ann", method: "GET", url: "https://api.example.org/posts"))
}

extension CachedHead {
    static let posts = CachedHead(
        key: CacheRequest.posts.key, status: 200, headerFields: [.eTag: "a"], url: CacheRequest.posts.key.url,
        storedAt: 1_700_000_000)
}

/// A cache on a disk that went away.
struct BrokenCache: ResponseCache {
    private var failure: Failure {
        Failure(.notCached, phase: .notSent, detail: "the disk is gone", underlying: Gone())
    }
    struct Gone: Error {}

    func head(for request: CacheRequest) throws(Failure) -> CachedHead? { throw failure }
    func response(for request: CacheRequest) throws(Failure) -> CachedResponse? { throw failure }
    func store(_ response: CachedResponse) throws(Failure) -> Bool { throw failure }
    func refresh(_ head: CachedHead, validated: CachedHead) throws(Failure) -> Bool { throw failure }
    func remove(_ key: CacheKey) throws(Failure) { throw failure }
    func removeAll(ofAccount account: String) throws(Failure) { throw failure }
    func evict(to bytes: Int) throws(Failure) { throw failure }
}
