// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct ResponseNodeTests {
    static func reply(_ status: Int, _ fields: HTTPFields = [:], _ chunks: [[UInt8]] = [], ending: Failure? = nil)
        throws -> Reply
    {
        let body = ReplyBodyTests.body(chunks, ending)
        return Reply(
            response: HTTPResponse(status: .init(code: status), headerFields: fields), body: body,
            url: try HTTPURL("http://a/?token=canary"))
    }

    @Test func `a body that breaks off is truncated and answered, never an empty success`() async throws {
        let chain = ResponseProcessorNode().then(ResponseDataPreprocessorNode()).then(ResponseDataLoaderNode())
        let lost = Failure(.connectionLost, phase: .maybeSent)
        let failure = try #require(await chain.failure(Self.reply(200, [:], [[1]], ending: lost)))
        #expect(failure.reason == .truncated)
        #expect(failure.phase == .answered)
        #expect(failure.url == "http://a/?token=…")
        let slow = Failure(.timeout(.total), phase: .maybeSent)
        #expect(await chain.failure(try Self.reply(200, [:], [], ending: slow))?.reason == .timeout(.total))
    }

    @Test(arguments: [200, 201, 202, 204, 206, 299, 304]) func `a success and a 304 pass`(_ status: Int) async throws {
        #expect(
            try await ResponseHTTPErrorProcessorNode().process(Self.reply(status), .test).response.status.code == status
        )
    }

    @Test(arguments: [100, 300, 301, 307, 400, 401, 403, 404, 409, 410, 418, 429, 451, 500, 503, 511, 599])
    func `every other status is a failure with the useful part of the answer`(_ status: Int) async throws {
        let fields: HTTPFields = [
            .retryAfter: "3", .eTag: "e", .contentType: "t", HTTPField.Name("X-RateLimit-Remaining")!: "0",
            .setCookie: "canary", .server: "s",
        ]
        let body = [[UInt8](repeating: 1, count: 40_000), [UInt8](repeating: 2, count: 40_000)]
        let failure = try #require(await ResponseHTTPErrorProcessorNode().failure(Self.reply(status, fields, body)))
        guard case .http(let answer) = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(answer.status == status)
        #expect(failure.phase == .answered)
        #expect(
            answer.headerFields.map(\.name.canonicalName).sorted() == [
                "content-type", "etag", "retry-after", "x-ratelimit-remaining",
            ])
        #expect(answer.body.count == HTTPFailure.bodyLimit)
        #expect(!"\(failure)".contains("canary"))
    }

    @Test func `a body that breaks off does not hide the status`() async throws {
        let lost = Failure(.connectionLost, phase: .answered)
        let failure = await ResponseHTTPErrorProcessorNode().failure(try Self.reply(500, [:], [[1, 2]], ending: lost))
        #expect(failure?.reason == .http(HTTPFailure(status: 500, body: [1, 2])))
    }

    @Test(arguments: [204, 205, 304]) func `no content differs from an empty body`(_ status: Int) async throws {
        let chain = ResponseDataPreprocessorNode().then(ResponseDataLoaderNode())
        #expect(try await chain.process(Self.reply(status), .test).bytes == nil)
        #expect(try await chain.process(Self.reply(200), .test).bytes == [])
    }

    @Test func `the loader keeps its limit and names the request`() async throws {
        let chain = ResponseDataPreprocessorNode().then(ResponseDataLoaderNode(limit: 3))
        #expect(try await chain.process(Self.reply(200, [:], [[1], [2, 3]]), .test).bytes == [1, 2, 3])
        let failure = try #require(await chain.failure(Self.reply(200, [:], [[1], [2, 3, 4]])))
        #expect(failure.reason == .tooLarge(limit: 3))
        #expect(failure.url == "http://a/?token=…")
        #expect(failure.node == "ResponseDataLoaderNode")
    }
}
