// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct ResumingTransportTests {
    private static let whole = Array(String(repeating: "0123456789", count: 2_000).utf8)
    private static let cut = Failure(.truncated, phase: .answered)
    private static let url = "https://api.example.com/items?page=2"

    private static func fields(etag: String = "\"1\"", _ more: HTTPFields = [:]) -> HTTPFields {
        var fields: HTTPFields = [.eTag: etag, .acceptRanges: "bytes"]
        for field in more { fields[field.name] = field.value }
        return fields
    }

    private static func broken(_ fields: HTTPFields = fields(), at count: Int = 12_000) -> ScriptedAnswer {
        .reply(HTTPResponse(status: .ok, headerFields: fields), chunks: [Array(whole[..<count])], ending: cut)
    }

    private static func rest(from start: Int, etag: String = "\"1\"", said: Int? = nil) -> ScriptedAnswer {
        let range: HTTPFields = [.contentRange: "bytes \(said ?? start)-19999/20000"]
        return .reply(
            HTTPResponse(status: .partialContent, headerFields: fields(etag: etag, range)),
            chunks: [Array(whole[start...])])
    }

    /// Asks for the page with a credential in the query, and reads its body.
    private static func body(_ transport: ResumingTransport, _ method: HTTPRequest.Method = .get) async throws
        -> [UInt8]
    {
        let reply = try await transport.send(request(method), body: .none)
        #expect(reply.response.status == .ok)
        return try await reply.body.collect(upTo: 1 << 20)
    }

    private static func request(_ method: HTTPRequest.Method = .get) -> HTTPRequest {
        HTTPRequest(method: method, scheme: "https", authority: "api.example.com", path: "/items?page=2&key=secret")
    }

    @Test func `the rest of a page that broke off is requested, on condition, and the page is whole`() async throws {
        let origin = ScriptedTransport([Self.broken(), Self.rest(from: 12_000)])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        await #expect(throws: Failure.self) { try await Self.body(transport) }
        let partial = try #require(transport.partial)
        #expect(partial.bytes.count == 12_000)
        #expect(partial.url == Self.url, "without the credential")
        #expect(try await Self.body(transport) == Self.whole)
        #expect(transport.partial == nil)
        let fields = origin.requests[1].request.headerFields
        #expect(fields[.range] == "bytes=12000-")
        #expect(fields[.ifRange] == "\"1\"")
        #expect(fields[.acceptEncoding] == "identity")
    }

    @Test func `a page that could be resumed is in memory once: it is handed over in one piece`() async throws {
        let chunks = [Array(Self.whole[..<7_000]), Array(Self.whole[7_000...])]
        let origin = ScriptedTransport([.reply(HTTPResponse(status: .ok, headerFields: Self.fields()), chunks: chunks)])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        let reply = try await transport.send(Self.request(), body: .none)
        #expect(try await reply.body.next() == Self.whole)
        #expect(try await reply.body.next() == nil)
    }

    @Test func `of an endless page only the limit is stored`() async throws {
        let chunks = Array(repeating: [UInt8](repeating: 32, count: 1_000), count: 50)
        let origin = ScriptedTransport([.reply(HTTPResponse(status: .ok, headerFields: Self.fields()), chunks: chunks)])
        let transport = ResumingTransport(origin, resuming: nil, upTo: 5_000)
        transport.expect(Self.url)
        let reply = try await transport.send(Self.request(), body: .none)
        #expect(try await reply.body.next()?.count == 6_000)
    }

    @Test func `a page that breaks off again continues from there`() async throws {
        let part = HTTPResponse(
            status: .partialContent, headerFields: [.eTag: "\"1\"", .contentRange: "bytes 12000-19999/20000"])
        let origin = ScriptedTransport([
            Self.broken(), .reply(part, chunks: [Array(Self.whole[12_000..<16_000])], ending: Self.cut),
            Self.rest(from: 16_000),
        ])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        for _ in 1...2 { await #expect(throws: Failure.self) { try await Self.body(transport) } }
        #expect(try await Self.body(transport) == Self.whole)
        #expect(origin.requests[2].request.headerFields[.range] == "bytes=16000-")
    }

    @Test func `a rest that is shorter than it declares does not end the page, which continues behind it`()
        async throws
    {
        let part = HTTPResponse(
            status: .partialContent, headerFields: [.eTag: "\"1\"", .contentRange: "bytes 12000-15999/20000"])
        let origin = ScriptedTransport([
            Self.broken(), .reply(part, chunks: [Array(Self.whole[12_000..<16_000])]), Self.rest(from: 16_000),
        ])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        for _ in 1...2 { await #expect(throws: Failure.self) { try await Self.body(transport) } }
        #expect(try await Self.body(transport) == Self.whole)
        #expect(origin.requests[2].request.headerFields[.range] == "bytes=16000-")
    }

    @Test(arguments: [
        HTTPResponse.Status.badRequest, .forbidden, .notFound, .notImplemented, .internalServerError,
        .movedPermanently, .preconditionFailed,
    ])
    func `where a range is refused, the page is requested anew`(status: HTTPResponse.Status) async throws {
        let origin = ScriptedTransport([
            Self.broken(), .status(status),
            .reply(HTTPResponse(status: .ok, headerFields: Self.fields()), chunks: [Self.whole]),
        ])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        await #expect(throws: Failure.self) { try await Self.body(transport) }
        _ = try? await transport.send(Self.request(), body: .none)
        #expect(try await Self.body(transport) == Self.whole)
        #expect(origin.requests[2].request.headerFields[.range] == nil)
    }

    @Test func `another answer than the page leaves the part for the next try`() async throws {
        let origin = ScriptedTransport([
            Self.broken(), .text("later", status: .serviceUnavailable), Self.rest(from: 12_000),
        ])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        await #expect(throws: Failure.self) { try await Self.body(transport) }
        let reply = try await transport.send(Self.request(), body: .none)
        #expect(try await reply.body.collect(upTo: 99) == Array("later".utf8))
        #expect(try await Self.body(transport) == Self.whole)
    }

    @Test func `another process continues with the stored part`() async throws {
        let origin = ScriptedTransport([Self.rest(from: 5_000)])
        let partial = PartialAnswer(url: Self.url, etag: "\"1\"", bytes: Array(Self.whole[..<5_000]))
        let transport = ResumingTransport(origin, resuming: partial)
        transport.expect(Self.url)
        #expect(try await Self.body(transport) == Self.whole)
    }

    @Test func `a page that has changed arrives whole`() async throws {
        let origin = ScriptedTransport([
            Self.broken(),
            .reply(HTTPResponse(status: .ok, headerFields: Self.fields(etag: "\"2\"")), chunks: [[1, 2]]),
        ])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        await #expect(throws: Failure.self) { try await Self.body(transport) }
        #expect(try await Self.body(transport) == [1, 2])
    }

    @Test(arguments: [
        rest(from: 12_000, said: 11_999), rest(from: 12_000, etag: "\"2\""), .status(.rangeNotSatisfiable),
        .reply(
            HTTPResponse(status: .partialContent, headerFields: [.contentRange: "bytes 12000-19999/20000"]),
            chunks: [Array(whole[12_000...])]),
        .reply(
            HTTPResponse(
                status: .partialContent, headerFields: [.eTag: "\"1\"", .contentRange: "bytes 12000-19999/*"]),
            chunks: [Array(whole[12_000...])]),
    ])
    func `an answer other than the rest is refused, and the page is requested anew`(
        answer: ScriptedAnswer
    ) async throws {
        let origin = ScriptedTransport([
            Self.broken(), answer, .reply(HTTPResponse(status: .ok, headerFields: Self.fields()), chunks: [Self.whole]),
        ])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        for _ in 1...2 { await #expect(throws: Failure.self) { try await Self.body(transport) } }
        #expect(try await Self.body(transport) == Self.whole)
        #expect(origin.requests[2].request.headerFields[.range] == nil)
    }

    @Test(arguments: [
        broken(fields(etag: "W/\"1\"")), broken([.eTag: "\"1\""]), broken(fields([.contentEncoding: "gzip"])),
        broken([.acceptRanges: "bytes"]), broken(at: 100),
    ])
    func `a page that cannot be resumed, or is hardly begun, is not kept`(answer: ScriptedAnswer) async throws {
        let transport = ResumingTransport(ScriptedTransport([answer]), resuming: nil)
        transport.expect(Self.url)
        await #expect(throws: Failure.self) { try await Self.body(transport) }
        #expect(transport.partial == nil)
    }

    @Test func `the part of one page is never joined with another, nor with a write`() async throws {
        let other: ScriptedAnswer = .reply(HTTPResponse(status: .ok, headerFields: Self.fields()), chunks: [[7]])
        let origin = ScriptedTransport([Self.broken(), other, other])
        let transport = ResumingTransport(origin, resuming: nil)
        transport.expect(Self.url)
        await #expect(throws: Failure.self) { try await Self.body(transport) }
        #expect(try await Self.body(transport, .post) == [7])
        transport.expect("https://api.example.com/items?page=3")
        #expect(transport.partial == nil)
        #expect(try await Self.body(transport) == [7])
        #expect(origin.requests.allSatisfy { $0.request.headerFields[.range] == nil })
    }
}
