// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct ResponseErrorEnvelopeNodeTests {
    struct OwnError: Error, Equatable, CustomStringConvertible {
        var code: Int
        var message: String
        var description: String { "\(code) \(message)" }
    }

    struct Envelope: Decodable, Sendable {
        var code: Int
        var message: String
    }

    static let body = #"{"code":17,"message":"no such tag"}"#

    static func node(limit: Int = 65_536, asksSuccesses: Bool = false) -> ResponseErrorEnvelopeNode {
        ResponseErrorEnvelopeNode(reading: Envelope.self, limit: limit, asksSuccesses: asksSuccesses) { envelope, _ in
            envelope.code == 0 ? nil : OwnError(code: envelope.code, message: envelope.message)
        }
    }

    static func reply(
        _ status: Int, _ body: String, chunkSize: Int = 7, fields: HTTPFields = [:], ending: Failure? = nil
    ) throws -> Reply {
        let bytes = Array(body.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: chunkSize).map {
            Array(bytes[$0..<min($0 + chunkSize, bytes.count)])
        }
        return try ResponseNodeTests.reply(status, fields, chunks, ending: ending)
    }

    @Test func `the origin's error becomes the user's, and the status stays the reason`() async throws {
        let fields: HTTPFields = [.retryAfter: "3", .setCookie: "canary"]
        let chain = Self.node().then(ResponseHTTPErrorProcessorNode())
        let failure = try #require(await chain.failure(Self.reply(429, Self.body, fields: fields)))
        #expect(
            failure.reason
                == .http(HTTPFailure(status: 429, headerFields: [.retryAfter: "3"], body: Array(Self.body.utf8))))
        #expect(failure.underlying as? OwnError == OwnError(code: 17, message: "no such tag"))
        #expect(failure.phase == .answered)
        #expect(failure.node == "ResponseErrorEnvelopeNode")
        #expect(failure.url == "http://a/?token=…")
        #expect(failure.detail == "17 no such tag")
        #expect(failure.retention(of: .fetch) == .keep(counted: false))
    }

    @Test(arguments: [
        "", "nonsense", "[]", "null", #"{"code":"x","message":1}"#, #"{"code":0,"message":"fine"}"#,
        #"{"code":17,"code":18,"message":"twice"}"#,
    ])
    func `an answer without a user's error reaches the check of the status, with its body whole`(
        body: String
    ) async throws {
        let chain = Self.node().then(ResponseHTTPErrorProcessorNode())
        let failure = try #require(await chain.failure(Self.reply(500, body)))
        #expect(failure.reason == .http(HTTPFailure(status: 500, body: Array(body.utf8))))
        #expect(failure.underlying == nil)
        #expect(failure.node == "ResponseHTTPErrorProcessorNode")
    }

    @Test func `a success is not searched for errors unless requested`() async throws {
        let untouched = Counter()
        let body = ReplyBody(length: nil) { () async throws(Failure) -> [UInt8]? in
            untouched.next()
            return nil
        }
        var reply = try Self.reply(200, "")
        reply.body = body
        _ = try await Self.node().process(reply, .test)
        #expect(untouched.count == 0)
        #expect(
            try await Self.node().process(Self.reply(200, Self.body), .test).body.collect(upTo: 100)
                == Array(Self.body.utf8))
    }

    @Test func `an error inside a success ends the call as a broken contract, the user's error beneath`() async throws {
        let failure = try #require(await Self.node(asksSuccesses: true).failure(Self.reply(200, Self.body)))
        #expect(failure.reason == .contract)
        #expect(failure.underlying as? OwnError == OwnError(code: 17, message: "no such tag"))
        #expect(failure.retention(of: .fetch) == .fail)
    }

    @Test(arguments: [
        #"{"code":0,"message":"fine"}"#, "[1,2,3]", "", "nonsense", String(repeating: "x", count: 1000),
        String(repeating: "y", count: 50), String(repeating: "z", count: 49), String(repeating: "w", count: 51),
    ])
    func `a success without an error passes unharmed, chunk by chunk`(body: String) async throws {
        let node = Self.node(limit: 50, asksSuccesses: true)
        let reply = try await node.process(Self.reply(200, body), .test)
        var chunks: [[UInt8]] = []
        for try await chunk in reply.body { chunks.append(chunk) }
        #expect(Array(chunks.joined()) == Array(body.utf8))
        #expect(chunks.allSatisfy { $0.count <= 7 })
    }

    @Test func `a success longer than the limit is read no further ahead than that`() async throws {
        let pulls = Counter()
        var reply = try Self.reply(200, "")
        reply.body = ReplyBody(length: nil) { () async throws(Failure) -> [UInt8]? in
            pulls.next() > 100 ? nil : [UInt8](repeating: 1, count: 10)
        }
        let passed = try await Self.node(limit: 50, asksSuccesses: true).process(reply, .test)
        #expect(pulls.count == 6)
        #expect(try await passed.body.collect(upTo: 2000).count == 1000)
        reply.body = ReplyBody(length: 51) { () async throws(Failure) -> [UInt8]? in
            pulls.next()
            return nil
        }
        let before = pulls.count
        #expect(try await Self.node(limit: 50, asksSuccesses: true).process(reply, .test).body.length == 51)
        #expect(pulls.count == before)
    }

    @Test func `a success that breaks off still breaks off, after the bytes that came`() async throws {
        let lost = Failure(.truncated, phase: .answered)
        let reply = try await Self.node(asksSuccesses: true)
            .process(Self.reply(200, Self.body, ending: lost), .test)
        var bytes: [UInt8] = []
        let failure = await #expect(throws: Failure.self) { for try await chunk in reply.body { bytes += chunk } }
        #expect(failure?.reason == .truncated)
        #expect(bytes == Array(Self.body.utf8))
    }

    @Test func `an error body that breaks off or is too long is not read, and the status comes through`()
        async throws
    {
        let seen = Counter()
        let node = ResponseErrorEnvelopeNode(limit: 20) { document, reply in
            seen.next()
            #expect(document == nil)
            #expect(reply.body.count <= 20)
            return nil
        }
        let chain = node.then(ResponseHTTPErrorProcessorNode())
        let lost = Failure(.truncated, phase: .answered)
        let broken = await chain.failure(try Self.reply(500, "{}", ending: lost))
        #expect(broken?.reason == .http(HTTPFailure(status: 500, body: Array("{}".utf8))))
        let long = await chain.failure(try Self.reply(500, Self.body))
        #expect(long?.reason == .http(HTTPFailure(status: 500, body: Array(Self.body.utf8))))
        #expect(seen.count == 2)
    }

    @Test func `an error may be returned or thrown, and a failure is taken as it is`() async throws {
        let throwing = ResponseErrorEnvelopeNode { _, _ in throw OwnError(code: 1, message: "thrown") }
        let failure = try #require(await throwing.failure(Self.reply(404, "{}")))
        #expect(failure.reason == .http(HTTPFailure(status: 404, body: Array("{}".utf8))))
        #expect(failure.underlying as? OwnError == OwnError(code: 1, message: "thrown"))
        let unauthorized = Failure(.http(HTTPFailure(status: 401)), phase: .answered)
        let own = ResponseErrorEnvelopeNode(asksSuccesses: true) { document, _ in
            document?.value(at: JSONPath(member: "expired"))?.bool == true ? unauthorized : nil
        }
        #expect(await own.failure(try Self.reply(200, #"{"expired":true}"#))?.reason == unauthorized.reason)
        #expect(await own.failure(try Self.reply(200, #"{"expired":false}"#)) == nil)
    }

    @Test func `the message of the user's error is bounded and on one line`() async throws {
        let node = ResponseErrorEnvelopeNode { _, _ in
            OwnError(code: 1, message: String(repeating: "x\n\u{1B}", count: 10_000))
        }
        let detail = try #require(await node.failure(Self.reply(400, "{}"))?.detail)
        #expect(detail.unicodeScalars.allSatisfy(PlainText.isHarmless))
        #expect(detail.count < 5000)
    }
}
