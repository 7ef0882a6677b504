// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite struct RedirectTests {
    static let statuses = [301, 302, 303, 307, 308]
    static let secrets: HTTPFields = [
        .authorization: "Bearer canary-1", .cookie: "session=canary-2", HTTPField.Name("X-API-Key")!: "canary-3",
        HTTPField.Name("Idempotency-Key")!: "canary-4", .accept: "application/json", .acceptLanguage: "pl",
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        let status: Int
        let method: HTTPRequest.Method
        let crosses: Bool
        var testDescription: String { "\(method) \(status) to \(crosses ? "another port" : "the same origin")" }

        /// What the rules say, written out: the method, the kind of redirect, the origin.
        var isFollowed: Bool {
            switch (method, status, crosses) {
            case (.get, _, _), (.head, _, _): true
            case (_, 307, false), (_, 308, false): true
            default: false
            }
        }
    }

    static let cases: [Case] = statuses.flatMap { status in
        [HTTPRequest.Method.get, .head, .post, .put, .delete].flatMap { method in
            [false, true].map { Case(status: status, method: method, crosses: $0) }
        }
    }

    @Test(arguments: cases)
    func `a redirect is followed by the rules, and secrets stay at their origin`(_ example: Case) async throws {
        let other = try await Origin.start { _ in .json("2") }
        try await asking { (origin, transport) async throws in
            let target = example.crosses ? "\(other.url)there?x=1" : "/there?x=1"
            origin.inject(.redirect(example.status, to: target), at: OriginPattern(path: "/here"))
            let body: EncodedBody = example.method == .post || example.method == .put ? .bytes([1, 2, 3]) : .none
            let arrived = example.crosses ? other : origin
            if example.isFollowed {
                let reply = try await transport.ask(
                    try origin.at("/here"), example.method, headerFields: Self.secrets, body: body
                ).reply
                #expect(reply.url == (try arrived.at("/there?x=1")))
                let request = try #require(arrived.requests.last)
                #expect(request.target == "/there?x=1")
                #expect(request.method == example.method.rawValue)
                #expect(request.body == origin.requests[0].body)
                #expect(request.headerFields[.acceptLanguage] == "pl")
                #expect(request.headerFields.contains { $0.value.contains("canary") } == !example.crosses)
            } else {
                let failure = await transport.failure(
                    try origin.at("/here"), example.method, headerFields: Self.secrets, body: body)
                #expect(failure?.reason == .redirectRefused)
                #expect(failure?.phase == .answered)
                #expect(origin.requests.count == 1)
                #expect(other.requests.isEmpty)
            }
        }
        await other.stop()
    }

    @Test func `secrets that were left behind do not come back with the way back`() async throws {
        let other = try await Origin.start { _ in .notFound }
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(302, to: "\(other.url)"), at: OriginPattern(path: "/here"))
            other.inject(.redirect(302, to: "\(origin.url)back"))
            try await transport.ask(try origin.at("/here"), headerFields: Self.secrets)
            let back = try #require(origin.requests.last)
            #expect(back.target == "/back")
            #expect(!back.headerFields.contains { $0.value.contains("canary") })
        }
        await other.stop()
    }

    @Test func `a body is not carried to another origin, not even by GET`() async throws {
        let other = try await Origin.start { _ in .json("2") }
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(307, to: "\(other.url)"))
            let failure = await transport.failure(origin.url, .get, body: .bytes([1]))
            #expect(failure?.reason == .redirectRefused)
            #expect(other.requests.isEmpty)
        }
        await other.stop()
    }

    @Test(arguments: [
        "http://127.0.0.1:65536/", "http://127.0.0.1:0/", "http://127.0.0.1:99999999999999999999/", "http://:80/",
        "ftp://127.0.0.1/", "file:///etc/passwd", "http://user:canary@127.0.0.1/", "http://", "//", "http://exa mple/",
        "javascript:alert(1)", "http://127.0.0.1:-1/", "http://[::1/", "http://example.com/",
    ])
    func `a hostile Location is refused and kills nothing`(_ location: String) async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(302, to: location))
            let failure = try #require(await transport.failure(origin.url))
            #expect(failure.reason == .redirectRefused)
            #expect(failure.phase == .answered)
            #expect(!"\(failure)".contains("canary"))
            try await transport.ask(origin.url)
        }
    }

    @Test func `a 304 is an answer, with any Location`() async throws {
        let other = try await Origin.start { _ in .json("2") }
        let unchanged = OriginResponse(status: .notModified, headerFields: [.location: "\(other.url)", .eTag: "\"1\""])
        try await asking(handler: { _ in unchanged }) { (origin, transport) async throws in
            let (reply, bytes) = try await transport.ask(origin.url, headerFields: Self.secrets)
            #expect(reply.response.status == .notModified)
            #expect(reply.response.headerFields[.eTag] == "\"1\"")
            #expect(reply.body.length == 0)
            #expect(bytes.isEmpty)
            #expect(other.requests.isEmpty)
        }
        await other.stop()
    }

    @Test(arguments: [300, 304, 305, 306])
    func `a status that does not redirect is an answer`(_ status: Int) async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(status, to: "/there"))
            #expect(try await transport.ask(origin.url).reply.response.status.code == status)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `a redirect without Location is an answer`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.status(302))
            #expect(try await transport.ask(origin.url).reply.response.status.code == 302)
        }
    }

    @Test func `a cycle is refused`() async throws {
        try await asking { (origin, transport) async throws in
            origin.inject(.redirect(302, to: "/b"), at: OriginPattern(path: "/a"), times: nil)
            origin.inject(.redirect(302, to: "/a"), at: OriginPattern(path: "/b"), times: nil)
            #expect(await transport.failure(try origin.at("/a"))?.reason == .redirectRefused)
            #expect(origin.requests.map(\.target) == ["/a", "/b"])
        }
    }

    @Test(arguments: [0, 1, 5])
    func `hops are followed up to the limit`(_ limit: Int) async throws {
        try await asking(TransportSettings().with(\.redirects, limit).with(\.redirectOrigins, nil)) {
            (origin, transport) async throws in
            for hop in 0..<limit {
                origin.inject(.redirect(302, to: "/\(hop + 1)"), at: OriginPattern(path: "/\(hop)"))
            }
            #expect(try await transport.ask(try origin.at("/0")).reply.url.path == "/\(limit)")
            origin.forgetRequests()
            for hop in 0...limit {
                origin.inject(.redirect(302, to: "/\(hop + 1)"), at: OriginPattern(path: "/\(hop)"))
            }
            #expect(await transport.failure(try origin.at("/0"))?.reason == .redirectRefused)
            #expect(origin.requests.count == limit + 1)
        }
    }

    @Test func `the budget covers all hops together`() async throws {
        try await asking(TransportSettings().with(\.totalTimeout, .milliseconds(500))) {
            (origin, transport) async throws in
            origin.inject(.redirect(302, to: "/slow"), at: OriginPattern(path: "/"))
            origin.inject(.slowBody(bytesPerSecond: 1), at: OriginPattern(path: "/slow"))
            let start = ContinuousClock.now
            #expect(await transport.failure(origin.url)?.reason == .timeout(.total))
            #expect(ContinuousClock.now - start < .seconds(10))
        }
    }

    @Test func `a redirect with a body keeps its connection`() async throws {
        let redirect = OriginResponse(
            status: .found, headerFields: [.location: "/there"], body: Array("<a href=\"/there\">moved</a>".utf8))
        try await asking(handler: { $0.target == "/" ? redirect : .json("1") }) { (origin, transport) async throws in
            try await transport.ask(origin.url)
            #expect(origin.requests.map(\.connection) == [1, 1])
        }
    }
}
