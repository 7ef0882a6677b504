// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct ScriptedTransportTests {
    static func request(_ method: HTTPRequest.Method = .get, _ text: String = "http://a/p") throws -> HTTPRequest {
        try HTTPURL(text).request(method)
    }

    @Test func `answers come in order, and beyond the last there is none`() async throws {
        let transport = ScriptedTransport([.status(.noContent), .text("[1]")])
        #expect(try await transport.send(Self.request(), body: .none).response.status == .noContent)
        let reply = try await transport.send(Self.request(), body: .none)
        #expect(reply.url.description == "http://a/p")
        #expect(reply.body.length == 3)
        #expect(try await reply.body.collect(upTo: 9) == Array("[1]".utf8))
        let failure = await #expect(throws: Failure.self) { try await transport.send(Self.request(), body: .none) }
        #expect(failure?.reason == .internalFault)
    }

    @Test func `requests are kept with their bodies, streams too`() async throws {
        let transport = ScriptedTransport { asked in .text("\(asked.body.count)") }
        let reply = try await transport.send(Self.request(.post), body: .bytes([1, 2]))
        #expect(try await reply.body.collect(upTo: 9) == Array("2".utf8))
        let chunks = ScriptedTransportTests.chunks
        _ = try await transport.send(Self.request(.put), body: .stream(length: nil, chunks: chunks))
        #expect(transport.requests.map(\.body) == [[1, 2], [1, 2, 3]])
        #expect(transport.requests.map(\.request.method) == [.post, .put])
    }

    @Test func `a body breaks off as scripted`() async throws {
        let lost = Failure(.connectionLost, phase: .answered)
        let transport = ScriptedTransport([.reply(HTTPResponse(status: .ok), chunks: [[1], [2]], ending: lost)])
        let reply = try await transport.send(Self.request(), body: .none)
        var chunks: [[UInt8]] = []
        let failure = await #expect(throws: Failure.self) { for try await chunk in reply.body { chunks.append(chunk) } }
        #expect(chunks == [[1], [2]])
        #expect(failure?.reason == .connectionLost)
    }

    @Test func `a URL that no transport would take is refused here too`() async {
        let transport = ScriptedTransport([.text("[]")])
        let request = HTTPRequest(method: .get, scheme: "http", authority: "a:65536", path: "/")
        let failure = await #expect(throws: Failure.self) { try await transport.send(request, body: .none) }
        #expect(failure?.reason == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    static let chunks: @Sendable () -> @Sendable () async throws -> [UInt8]? = {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        continuation.yield([1])
        continuation.yield([2, 3])
        continuation.finish()
        return {
            var iterator = stream.makeAsyncIterator()
            return await iterator.next()
        }
    }
}
