// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingNodes
import Testing

@Suite struct ResponseDataParserNodeTests {
    @Test(arguments: [
        ("{}", JSONKind.object), ("[]", .array), (" [1] ", .array), ("null", .null), ("7", .number), (#""x""#, .string),
        ("true", .true), ("false", .false),
    ])
    func `objects, arrays, scalars and null are documents`(body: String, kind: JSONKind) async throws {
        let parsed = try await ResponseDataParserNode().process(.test(body), .test)
        #expect(parsed.body?.kind == kind)
        #expect(parsed.response.headerFields[.eTag] == "e")
        #expect(parsed.url == (try HTTPURL("http://a/p?token=canary")))
    }

    @Test(arguments: [
        (#"{"id":1,"id":2}"#, "byte 8: the name \"id\" appears twice in one object"),
        (#"["\ud800"]"#, "byte 1: a string contains half of a surrogate pair, which is not valid Unicode"),
        ("[1,]", "byte 3: expected a value, found ']'"), ("[1", "byte 2: expected ',' or ']', found the end"),
        ("<html>", "byte 0: expected a value, found '<'"), (" ", "byte 1: expected a value, found the end"),
    ])
    func `bytes that are not a document break the contract, with URL, byte and fragment`(body: String, what: String)
        async throws
    {
        let failure = try #require(await ResponseDataParserNode().failure(.test(body)))
        #expect(failure.reason == .contract)
        #expect(failure.phase == .answered)
        #expect(failure.node == "ResponseDataParserNode")
        #expect(failure.url == "http://a/p?token=…")
        #expect(failure.detail == "the body is not usable JSON: \(what), near: \(body)")
        #expect(failure.underlying is DocumentFault)
    }

    @Test func `bytes that are not UTF-8, and nesting without end, break the contract`() async throws {
        var answer = try LoadedResponse.test("")
        answer.bytes = [0x5B, 0x22, 0xFF, 0x22, 0x5D]
        let failure = try #require(await ResponseDataParserNode().failure(answer))
        #expect(failure.reason == .contract)
        #expect(failure.detail?.contains("byte 2: not UTF-8") == true)
        let bomb = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
        let deep = try #require(await ResponseDataParserNode().failure(.test(bomb)))
        #expect(deep.detail?.contains("byte 128: arrays and objects are nested deeper than 128") == true)
        #expect((deep.detail?.count ?? 0) < 200)
        #expect(
            await ResponseDataParserNode(limits: JSONLimits(maxDepth: 2)).failure(try .test("[[[]]]"))?.reason
                == .contract)
    }

    @Test func `a page of another kind reports the origin's content type`() async throws {
        let answer = try LoadedResponse.test("<html>\u{1B}[2J", contentType: "text/html")
        let failure = await ResponseDataParserNode().failure(answer)
        #expect(failure?.detail?.hasSuffix(#"near: <html>\u{1b}[2J; the origin calls it 'text/html'"#) == true)
    }

    @Test(arguments: [204, 205, 304]) func `no content stays no content, and never becomes a list`(_ status: Int)
        async throws
    {
        #expect(try await ResponseDataParserNode().process(.test(nil, status: status), .test).body == nil)
    }

    @Test func `an empty body is a failure, and no content where that is allowed`() async throws {
        let failure = try #require(await ResponseDataParserNode().failure(.test("")))
        #expect(failure.reason == .contract)
        #expect(failure.detail == "status 200 with an empty body")
        let lenient = ResponseDataParserNode(allowsEmptyBody: true)
        #expect(try await lenient.process(.test(""), .test).body == nil)
        #expect(await lenient.failure(try .test(" "))?.reason == .contract)
    }

    @Test func `a part of a body is not taken for the whole`() async throws {
        let failure = try #require(await ResponseDataParserNode().failure(.test("12", status: 206)))
        #expect(failure.reason == .contract)
        #expect(failure.detail?.hasPrefix("206") == true)
    }

    @Test func `a consumer of an empty object gets one for no content, but not for a 304`() async throws {
        let chain = ResponseDataParserNode().then(NoContentNode())
        for status in [204, 205] {
            let document = try await chain.process(.test(nil, status: status), .test).body
            #expect(document?.text == "{}")
            #expect(document?.elements == nil)
        }
        #expect(try await chain.process(.test(nil, status: 304), .test).body == nil)
        for body in ["[]", "null", "{\"a\":1}"] {
            #expect(try await chain.process(.test(body), .test).body?.text == body)
        }
        let list = chain.then(DecodeNode<[Int]>())
        #expect(await list.failure(try .test(nil, status: 204))?.reason == .contract)
    }
}
