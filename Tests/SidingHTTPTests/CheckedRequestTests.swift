// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingOrigin
import Testing

@Suite struct CheckedRequestTests {
    @Test(arguments: ["GET /evil HTTP/1.1\r\nHost: x\r\n\r\nGET", "GE T", "", "GET\n", "GÉT", "(GET)"])
    func `a method that is not a token cannot even be written down`(_ method: String) {
        #expect(HTTPRequest.Method(method) == nil)
        #expect(HTTPRequest.Method(rawValue: method) == nil)
    }

    @Test func `an unknown token is a valid method`() async throws {
        try await asking { (origin, transport) async throws in
            try await transport.ask(origin.url, HTTPRequest.Method("QUERY")!)
            #expect(origin.requests.first?.method == "QUERY")
        }
    }

    @Test func `a header value with control characters is refused without being shown`() async throws {
        try await asking { (origin, transport) async throws in
            let field = HTTPField(name: .authorization, lenientValue: Array("canary\u{1}secret".utf8))
            let failure = try #require(await transport.failure(origin.url, headerFields: HTTPFields([field])))
            #expect(failure.reason == .invalidRequest)
            #expect(failure.phase == .notSent)
            #expect(failure.detail?.contains("Authorization") == true)
            #expect(!String(reflecting: failure).contains("canary"))
            #expect(origin.connectionCount == 0)
        }
    }

    @Test func `line ends in a header value never reach the wire`() async throws {
        try await asking { (origin, transport) async throws in
            try await transport.ask(origin.url, headerFields: [.accept: "a\r\nX-Smuggled: 1"])
            let request = try #require(origin.requests.first)
            #expect(request.headerFields[HTTPField.Name("X-Smuggled")!] == nil)
            #expect(origin.requests.count == 1)
        }
    }

    @Test func `the URL sets the host, and the transport sets the framing`() async throws {
        try await asking { (origin, transport) async throws in
            try await transport.ask(
                origin.url, .post,
                headerFields: [
                    HTTPField.Name("Host")!: "evil.example", .contentLength: "99",
                    HTTPField.Name("Transfer-Encoding")!: "chunked",
                ], body: .bytes([1, 2]))
            let request = try #require(origin.requests.first)
            #expect(request.headerFields[HTTPField.Name("Host")!] == origin.url.authority)
            #expect(request.headerFields[.contentLength] == "2")
            #expect(request.headerFields[HTTPField.Name("Transfer-Encoding")!] == nil)
        }
    }

    @Test func `the request's own user agent wins over the transport's`() async throws {
        try await asking(TransportSettings().with(\.userAgent, "siding/1.0")) { (origin, transport) async throws in
            try await transport.ask(origin.url)
            try await transport.ask(origin.url, headerFields: [.userAgent: "mine"])
            #expect(origin.requests.map { $0.headerFields[.userAgent] } == ["siding/1.0", "mine"])
        }
    }

    @Test(arguments: ["http://example.com/", "http://127.evil.example/", "http://10.0.0.1/"])
    func `plain http to another machine is refused unless the source allows it`(_ text: String) async throws {
        let transport = HTTPTransport()
        let failure = try #require(await transport.failure(try HTTPURL(text)))
        #expect(failure.reason == .invalidRequest)
        #expect(failure.phase == .notSent)
        await transport.shutdown()
    }

    @Test func `plain http that the source allows is tried`() async throws {
        // 0.0.0.0 is not a loopback address by its name, yet it leads nowhere but to this machine.
        try await asking(TransportSettings().with(\.allowsPlainHTTP, true)) { (origin, transport) async throws in
            let url = try HTTPURL("http://0.0.0.0:\(origin.url.port)/")
            #expect(try await transport.ask(url).reply.response.status == .ok)
        }
    }

    @Test(arguments: ["http", "ftp", ""]) func `a request without a usable URL is refused`(_ scheme: String)
        async throws
    {
        let transport = HTTPTransport()
        let request = HTTPRequest(method: .get, scheme: scheme, authority: nil, path: "/")
        let failure = await #expect(throws: Failure.self) { try await transport.send(request, body: .none) }
        #expect(failure?.reason == .invalidRequest)
        await transport.shutdown()
    }
}
