// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct ResponseEnvelopeNodeTests {
    static func node(_ path: String = "$.data", isOptional: Bool = false) throws -> ResponseEnvelopeNode {
        ResponseEnvelopeNode(at: try JSONPath(parsing: path), isOptional: isOptional)
    }

    @Test(arguments: ["null", "0", "false", #""""#, #""x""#, "[]", "{}", "[1,2]", #"{"data":1}"#, "1.50"])
    func `any value in the envelope is the document, null and scalars too`(value: String) async throws {
        let answer = try ChainResponse<JSONDocument?>.test(#"{"meta":{"data":9},"data": \#(value) ,"z":1}"#)
        let parsed = try await Self.node().process(answer, .test)
        #expect(parsed.body?.text == value)
        #expect(parsed.response == answer.response)
        #expect(try await Self.node(isOptional: true).process(answer, .test).body?.text == value)
    }

    @Test(arguments: ["{}", "[]", "null", "1", #"{"Data":1}"#])
    func `an empty place is a failure with that message, unless the path is optional`(body: String) async throws {
        let failure = try #require(await Self.node().failure(.test(body)))
        #expect(failure.reason == .contract)
        #expect(failure.phase == .answered)
        #expect(failure.node == "ResponseEnvelopeNode")
        #expect(failure.url == "http://a/p?token=…")
        #expect(failure.detail == "there is nothing at $.data in \(body)")
        #expect(try await Self.node(isOptional: true).process(.test(body), .test).body == nil)
    }

    @Test func `paths have any depth`() async throws {
        let answer = try ChainResponse<JSONDocument?>.test(#"{"r":[{"x":1},{"x":{"y":[true]}}]}"#)
        #expect(try await Self.node("$.r[1].x.y").process(answer, .test).body?.text == "[true]")
        #expect(try await Self.node("$").process(answer, .test).body == answer.body)
    }

    @Test func `no content has no envelope, and passes`() async throws {
        #expect(try await Self.node().process(.test(nil, status: 204), .test).body == nil)
    }

    @Test func `the fragment of an envelope leaves secrets out`() async throws {
        let failure = try await Self.node().failure(.test(#"{"token":"canary","error":"no"}"#))
        #expect(failure?.detail == #"there is nothing at $.data in {"token":"…","error":"no"}"#)
    }
}
