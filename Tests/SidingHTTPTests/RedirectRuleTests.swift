// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import NIOHTTP1
import SidingChain
import Testing

@testable import SidingHTTP

/// The rules that no loopback origin can show, because they need https.
@Suite struct RedirectRuleTests {
    @Test(arguments: [
        ("https://a.example/", "http://a.example/"), ("https://a.example/", "http://127.0.0.1/"),
        ("http://a.example/", "http://b.example/"), ("http://127.0.0.1/", "http://b.example/"),
        ("http://127.0.0.1/", "http://127.evil.example/"), ("http://a.example/", "http://127.0.0.1/"),
    ])
    func `no way leads to plain http elsewhere`(_ from: String, _ to: String) throws {
        #expect(throws: Failure.self) { try follow(from, to) }
    }

    @Test(arguments: [
        ("https://a.example/", "https://b.example/"), ("https://a.example/", "https://a.example:8443/"),
        ("http://a.example/", "https://a.example/"), ("https://a.example/", "https://a.example./"),
        ("http://127.0.0.1/", "http://localhost/"), ("https://a.example/", "//b.example/"),
    ])
    func `another origin gets harmless fields only`(_ from: String, _ to: String) throws {
        let next = try #require(try follow(from, to))
        #expect(next.headerFields.map(\.name.canonicalName).sorted() == ["accept", "accept-encoding", "user-agent"])
    }

    @Test(arguments: [
        ("https://a.example/", "https://a.example:443/x"), ("https://a.example:443/", "/x"),
        ("https://A.example/", "https://a.EXAMPLE/x"), ("http://a.example/", "http://a.example:80/x"),
    ])
    func `the same origin keeps everything in any spelling`(_ from: String, _ to: String) throws {
        let next = try #require(try follow(from, to))
        #expect(next.headerFields[.authorization] == "Bearer canary")
        #expect(next.url.path == "/x")
    }

    @Test func `once https was reached no redirect leads back to loopback in the clear`() throws {
        var redirects = Redirects(
            from: try request("http://127.0.0.1/"), TransportSettings().with(\.redirectOrigins, nil))
        let secure = try #require(
            try redirects.next(after: try request("http://127.0.0.1/"), head("https://b.example/")))
        #expect(throws: Failure.self) { try redirects.next(after: secure, head("http://127.0.0.1/back")) }
    }

    @Test(arguments: ["https://b.example/", "https://a.example:8443/", "https://www.a.example/", "//b.example/"])
    func `no redirect leads to an origin that is not listed`(_ to: String) throws {
        let failure = #expect(throws: Failure.self) {
            try follow("https://a.example/", to, listed: ["https://c.example"])
        }
        #expect(failure?.reason == .redirectRefused)
        #expect(failure?.detail?.hasPrefix("it leads to another origin, https://") == true)
        #expect(failure?.underlying is UnlistedOrigin)
    }

    @Test(arguments: [
        ("http://a.example/", "http://login.wifi.example/", 302, true),
        ("http://a.example/", "http://10.0.0.1/", 307, true),
        ("http://a.example/", "https://login.wifi.example/", 303, true),
        // An origin that has moved, or is only answered over https.
        ("http://a.example/", "http://b.example/", 301, false), ("http://a.example/", "http://b.example/", 308, false),
        ("http://a.example/", "https://a.example/", 302, false),
        ("http://a.example/", "http://a.example:8080/", 302, false),
        // A tunnel or a proxy on this machine may end behind a portal.
        ("http://127.0.0.1/", "http://b.example/", 302, true), ("http://127.0.0.1/", "http://localhost/", 302, false),
        // A portal has no certificate for the origin.
        ("https://a.example/", "https://login.example/", 302, false),
    ])
    func `a temporary redirect from plain http to another host may be that of a portal`(
        _ from: String, _ to: String, _ status: Int, _ mayBePortal: Bool
    ) throws {
        for method in [HTTPRequest.Method.get, .post] {
            let first = try CheckedRequest(
                try HTTPURL(from).request(method, headerFields: [:]), body: .none,
                settings: TransportSettings().with(\.allowsPlainHTTP, true))
            let failure = #expect(throws: Failure.self) {
                var redirects = Redirects(
                    from: first, TransportSettings().with(\.redirectOrigins, ["https://c.example"]))
                let head = HTTPResponseHead(
                    version: .http1_1, status: .init(statusCode: status), headers: ["Location": to])
                _ = try redirects.next(after: first, ResponseHead(head))
            }
            #expect(failure?.reason == .redirectRefused)
            #expect(((failure?.underlying as? UnlistedOrigin)?.mayBePortal ?? false) == mayBePortal, "\(method)")
        }
    }

    @Test func `an empty Location leads nowhere: its status is the answer`() throws {
        #expect(try follow("https://a.example/", "") == nil)
    }

    @Test func `a redirect leads to a listed origin, and back`() throws {
        let first = try request("https://a.example/")
        var redirects = Redirects(from: first, TransportSettings().with(\.redirectOrigins, ["https://b.example"]))
        let there = try #require(try redirects.next(after: first, head("https://b.example/x")))
        let back = try #require(try redirects.next(after: there, head("https://a.example/y")))
        #expect(back.url.description == "https://a.example/y")
        #expect(back.headerFields[.authorization] == nil)
    }

    private func follow(
        _ from: String, _ to: String, listed origins: Set<String>? = nil
    ) throws(Failure) -> CheckedRequest? {
        let first = try request(from)
        var redirects = Redirects(from: first, TransportSettings().with(\.redirectOrigins, origins))
        return try redirects.next(after: first, head(to))
    }

    private func request(_ url: String) throws(Failure) -> CheckedRequest {
        try CheckedRequest(
            try HTTPURL(url).request(.get, headerFields: [.authorization: "Bearer canary", .accept: "*/*"]),
            body: .none,
            settings: TransportSettings().with(\.allowsPlainHTTP, true))
    }

    private func head(_ location: String) -> ResponseHead {
        ResponseHead(HTTPResponseHead(version: .http1_1, status: .found, headers: ["Location": location]))
    }
}
