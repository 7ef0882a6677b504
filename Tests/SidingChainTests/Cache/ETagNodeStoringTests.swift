// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// What of the passing answers is stored, and what is removed.
@Suite struct ETagNodeStoringTests {
    @Test func `a body is stored as it passes, when it has been read to its end`() async throws {
        let bench = CacheBench([
            .reply(HTTPResponse(status: .ok, headerFields: [.eTag: "a"]), chunks: [[0x5B], [0x5D]])
        ])
        let outgoing = try await RequestCreatorNode().process(CacheBench.draft(), .test)
        let reply = try await bench.sender.process(outgoing, .test)
        #expect(try await reply.body.next() == [0x5B])
        #expect(try await reply.body.next() == [0x5D])
        #expect(try await bench.stored() == nil)
        #expect(try await reply.body.next() == nil)
        #expect(try await bench.stored() == "[]")
    }

    @Test func `a body that is cut short is not stored, and leaves what is`() async throws {
        let lost = Failure(.connectionLost, phase: .answered)
        let cut = ScriptedAnswer.reply(
            HTTPResponse(status: .ok, headerFields: [.eTag: "b"]), chunks: [[0x5B]], ending: lost)
        let bench = CacheBench([cut, .tagged("[1]", "a"), cut])
        await #expect(throws: Failure.self) { try await bench.ask() }
        #expect(try await bench.stored() == nil)
        try await bench.ask()
        await #expect(throws: Failure.self) { try await bench.ask() }
        #expect(try await bench.stored() == "[1]")
    }

    @Test func `reading on behind a failure does not make half a body whole`() async throws {
        let (bench, pulls) = (CacheBench([]), Counter())
        let flaky = Step<OutgoingRequest, Reply> { input, _ throws(Failure) in
            let body = ReplyBody(length: nil) { () async throws(Failure) -> [UInt8]? in
                switch pulls.next() {
                case 1: return [0x5B]
                case 2: throw Failure(.timeout(.response), phase: .answered)
                default: return nil
                }
            }
            return Reply(response: HTTPResponse(status: .ok), body: body, url: try input.request.checkedURL())
        }
        let sender = ETagNode(flaky, cache: bench.cache, keying: bench.keying)
        let reply = try await sender.process(RequestCreatorNode().process(CacheBench.draft(), .test), .test)
        #expect(try await reply.body.next() == [0x5B])
        await #expect(throws: Failure.self) { _ = try await reply.body.next() }
        #expect(try await reply.body.next() == nil)
        #expect(try await bench.stored() == nil)
    }

    @Test(arguments: [(2, true), (3, false), (1, false)])
    func `a body that is not of its declared length is not stored`(_ length: Int, _ isStored: Bool) async throws {
        let bench = CacheBench([])
        let short = Step<OutgoingRequest, Reply> { input, _ throws(Failure) in
            let whole = ReplyBody.bytes(Array("[]".utf8))
            let body = ReplyBody(length: length) { () async throws(Failure) -> [UInt8]? in
                try await whole.next()
            }
            return Reply(response: HTTPResponse(status: .ok), body: body, url: try input.request.checkedURL())
        }
        let sender = ETagNode(short, cache: bench.cache, keying: bench.keying)
        let reply = try await sender.process(RequestCreatorNode().process(CacheBench.draft(), .test), .test)
        for try await _ in reply.body {}
        #expect(try await (bench.stored() != nil) == isStored)
    }

    @Test func `a body over the limit is not stored, one at the limit is`() async throws {
        let (small, large) = (String(repeating: "x", count: 10), String(repeating: "x", count: 11))
        var bench = CacheBench([.text(large), .text(small)])
        bench.maxBody = 10
        #expect(try await bench.ask().text == large)
        #expect(try await bench.stored() == nil)
        #expect(try await bench.ask().text == small)
        #expect(try await bench.stored() == small)
    }

    @Test func `a chunked body over the limit is not stored either`() async throws {
        var bench = CacheBench([])
        bench.maxBody = 3
        let chunks = Counter()
        let endless = Step<OutgoingRequest, Reply> { input, _ throws(Failure) in
            let body = ReplyBody(length: nil) { () async throws(Failure) -> [UInt8]? in
                chunks.next() <= 4 ? [0] : nil
            }
            return Reply(response: HTTPResponse(status: .ok), body: body, url: try input.request.checkedURL())
        }
        let sender = ETagNode(endless, cache: bench.cache, keying: bench.keying, maxBody: 3)
        let reply = try await sender.process(RequestCreatorNode().process(CacheBench.draft(), .test), .test)
        for try await _ in reply.body {}
        #expect(try await bench.stored() == nil)
    }

    @Test(arguments: [
        ("private", true), ("private, max-age=0", true), ("no-cache", true), ("must-revalidate", true),
        ("no-store", false), ("max-age=60, No-Store", false), ("private=\"no-store\"", true),
    ])
    func `the origin decides what may be stored`(_ value: String, _ isStored: Bool) async throws {
        let bench = CacheBench([.tagged("[1]", "a", [.cacheControl: value])])
        try await bench.ask()
        #expect(try await (bench.stored() != nil) == isStored)
    }

    @Test func `a no-store also removes what was stored before, and a request's own leaves it alone`() async throws {
        let bench = CacheBench([
            .tagged("[1]", "a"), .tagged("[2]", "b"), .tagged("[3]", "c", [.cacheControl: "no-store"]),
        ])
        try await bench.ask()
        try await bench.ask("/posts", [.cacheControl: "no-store"])
        #expect(bench.asked[1][.ifNoneMatch] == nil)
        #expect(try await bench.stored() == "[1]")
        try await bench.ask()
        #expect(try await bench.stored() == nil)
    }

    @Test(arguments: [201, 203, 204, 206, 300, 400, 401, 403, 500, 503])
    func `only a 200 is stored, and other answers leave what is stored`(_ status: Int) async throws {
        let other = ScriptedAnswer.text("[2]", status: .init(code: status), headerFields: [.eTag: "b"])
        let bench = CacheBench([other, .tagged("[1]", "a"), other])
        _ = try? await bench.ask()
        #expect(try await bench.stored() == nil)
        try await bench.ask()
        _ = try? await bench.ask()
        #expect(try await bench.stored() == "[1]")
    }

    @Test(arguments: [404, 410]) func `an answer that the origin reports as gone is removed`(
        _ status: Int
    ) async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .status(.init(code: status))])
        try await bench.ask()
        _ = try? await bench.ask()
        #expect(try await bench.stored() == nil)
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch, .delete])
    func `a write that succeeds makes what is stored of its URL old, one that fails does not`(
        _ method: HTTPRequest.Method
    ) async throws {
        let bench = CacheBench([
            .tagged("[1]", "a"), .tagged("{}", "b"), .status(.internalServerError), .status(.noContent),
        ])
        try await bench.ask()
        try await bench.ask("/users")
        _ = try? await bench.ask(method: method)
        #expect(try await bench.stored() == "[1]")
        try await bench.ask(method: method)
        #expect(try await bench.stored() == nil)
        #expect(try await bench.stored("/users") == "{}")
        #expect(bench.asked[2].isEmpty)
    }

    @Test func `a partial answer is neither validated nor stored`() async throws {
        let bench = CacheBench([.tagged("[1]", "a"), .text("[", headerFields: [.eTag: "b"])])
        try await bench.ask()
        try await bench.ask("/posts", [.range: "bytes=0-0"])
        #expect(bench.asked[1] == [.range: "bytes=0-0"])
        #expect(try await bench.stored() == "[1]")
    }

    @Test func `an answer without validators is stored for the time without a line, unless that is not wanted`()
        async throws
    {
        var bench = CacheBench([.text("[1]"), .text("[2]"), .tagged("[3]", "a")])
        bench.requiresValidator = true
        try await bench.ask()
        #expect(try await bench.stored() == nil)
        bench.requiresValidator = false
        try await bench.ask()
        #expect(try await bench.stored() == "[2]")
        bench.requiresValidator = true
        try await bench.ask()
        #expect(try await bench.stored() == "[3]")
    }

    @Test func `cookies, fields of the connection and of one transfer are not stored`() async throws {
        let fields: HTTPFields = [
            .setCookie: "canary", .connection: "close, X-Hop", .contentLength: "3", .contentEncoding: "gzip",
            .age: "9", .wwwAuthenticate: "canary", HTTPField.Name("X-Hop")!: "1", .contentType: "text/a",
        ]
        let bench = CacheBench([.tagged("[1]", "a", fields)])
        #expect(try await bench.ask().response.headerFields[.setCookie] == "canary")
        let head = try #require(try await bench.cache.head(for: .posts))
        #expect(head.headerFields == [.eTag: "a", .contentType: "text/a"])
    }
}
