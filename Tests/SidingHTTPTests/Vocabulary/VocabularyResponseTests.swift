// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingJSON
import SidingNodes
import SidingOrigin
import Testing

/// The nodes of the response half, and what they make of the answers of an origin.
@Suite(.timeLimit(.minutes(5))) struct VocabularyResponseTests {
    typealias Answer = BuilderSettingsTests.Answer

    struct Refusal: Decodable, Error, Sendable, Equatable { var message: String }

    @Test func `no content is nil, an empty object on request, and never an empty list`() async throws {
        let answer = OriginResponse(status: .noContent)
        try await BuilderSettingsTests.building(handler: { _ in answer }) { (origin, builder) async throws in
            let notes = builder.route(.get, "/notes")
            let optional: Chain<Void, Answer?> = notes.build()
            #expect(try await optional() == nil)
            let bytes: Chain<Void, LoadedResponse> = notes.buildDataLoading()
            #expect(try await bytes().bytes == nil)
            let list: Chain<Void, [Answer]> = notes.build()
            let failure = try #require(await list.outcome().failure)
            #expect(failure.reason == .contract && failure.phase == .answered)
            let route = RequestRoute(.get, try origin.at("/notes"))
            let object = builder.assembly.chain(
                from: RequestRouterNode { (_: Void) in RequestDraft(route: route) },
                to: ResponseDataLoaderNode().then(ResponseDataParserNode()).then(NoContentNode()))
            #expect(try await object().body == .emptyObject)
            #expect(origin.requests.map(\.line) == Array(repeating: "GET /notes", count: 4))
        }
    }

    @Test func `a body that breaks off is a failure, not an empty success`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let model: Chain<Void, Answer> = builder.route(.get, "/p").build()
            let bytes: Chain<Void, LoadedResponse> = builder.route(.get, "/p").buildDataLoading()
            for isChunked in [false, true] {
                origin.inject(.cutBody(chunked: isChunked), times: 2)
                for failure in [await model.outcome().failure, await bytes.outcome().failure] {
                    #expect(failure?.reason == .truncated)
                    #expect(failure?.phase == .answered)
                }
            }
            #expect(try await model() == Answer(answer: 42))
        }
    }

    @Test func `a status ends the call before its body is parsed, with the fields that matter`() async throws {
        let answer = OriginResponse.json(
            "{no JSON", status: .tooManyRequests, headerFields: [.retryAfter: "7", .server: "s"])
        try await BuilderSettingsTests.building(handler: { _ in answer }) { (_, builder) async throws in
            let chain: Chain<Void, Answer> = builder.route(.get, "/p").build()
            guard case .http(let failed)? = await chain.outcome().failure?.reason else {
                Issue.record("no status")
                return
            }
            #expect(failed.status == 429)
            #expect(failed.name == "tooManyRequests")
            #expect(failed.headerFields[.retryAfter] == "7")
            #expect(failed.headerFields[.server] == nil)
            #expect(failed.body == Array("{no JSON".utf8))
        }
    }

    @Test(arguments: [
        "{}", "[1,[2],[]]", #"{"b": 1.50,"a":[]}"#, "123456789012345678901234567890", "7", #""x""#, "true", "null",
    ])
    func `a document has the bytes of the origin, with all digits and in its order`(_ text: String) async throws {
        try await BuilderSettingsTests.building(handler: { _ in .json(text) }) { (_, builder) async throws in
            let chain: Chain<Void, JSONDocument> = builder.route(.get, "/p").build(.none, .raw)
            let document = try await chain()
            #expect(String(decoding: document.bytes, as: UTF8.self) == text)
        }
    }

    @Test(arguments: [#"{"id":1,"id":2}"#, "[1,]", #"["\ud800"]"#, "[1", ""])
    func `an answer that is not one JSON document breaks the contract`(_ text: String) async throws {
        try await BuilderSettingsTests.building(handler: { _ in .json(text) }) { (origin, builder) async throws in
            let chain: Chain<Void, JSONDocument> = builder.route(.get, "/p").build(.none, .raw)
            let failure = try #require(await chain.outcome().failure)
            #expect(failure.reason == .contract && failure.phase == .answered)
            #expect(failure.node == "ResponseDataParserNode")
            #expect(failure.url == "\(origin.url.origin)/p")
        }
    }

    @Test(arguments: [404, 422, 200])
    func `the message of the origin is an error of the program, for each status`(_ status: Int) async throws {
        let answer = OriginResponse.json(
            #"{"message":"no such note"}"#, status: HTTPResponse.Status(code: status))
        let envelope = ResponseErrorEnvelopeNode(reading: Refusal.self, asksSuccesses: true) { refusal, _ in refusal }
        try await BuilderSettingsTests.building(handler: { _ in answer }) { (origin, builder) async throws in
            let chain: Chain<Void, Answer> = builder.errors(envelope).route(.get, "/p").build()
            let failure = try #require(await chain.outcome().failure)
            #expect(failure.underlying as? Refusal == Refusal(message: "no such note"))
            #expect(failure.node == "ResponseErrorEnvelopeNode")
            #expect(failure.status == (status == 200 ? nil : status))
            if status == 200 { #expect(failure.reason == .contract) }
            origin.inject(.content(type: "application/json", body: Array(#"{"answer":42}"#.utf8)))
            #expect(try await chain() == Answer(answer: 42))
        }
    }

    @Test func `the value in an envelope may be an object, a list, a number or null, and must be there`() async throws {
        let bodies = [
            "/object": #"{"meta":1,"data":{"answer":42}}"#, "/list": #"{"data":[1,2]}"#, "/number": #"{"data":7}"#,
            "/null": #"{"data":null}"#, "/none": #"{"meta":1}"#,
        ]
        let handler: Origin.Handler = { request in .json(bodies[request.path] ?? "") }
        try await BuilderSettingsTests.building(handler: handler) { (origin, builder) async throws in
            let wrapped = builder.envelope(at: "$.data")
            let object: Chain<Void, Answer> = wrapped.route(.get, "/object").build()
            #expect(try await object() == Answer(answer: 42))
            let list: Chain<Void, [Int]> = wrapped.route(.get, "/list").build()
            #expect(try await list() == [1, 2])
            let number: Chain<Void, Int> = wrapped.route(.get, "/number").build()
            #expect(try await number() == 7)
            let null: Chain<Void, Answer?> = wrapped.route(.get, "/null").build()
            #expect(try await null() == nil)
            let none: Chain<Void, Answer?> = wrapped.route(.get, "/none").build()
            let failure = try #require(await none.outcome().failure)
            #expect(failure.reason == .contract)
            #expect(failure.detail == #"there is nothing at $.data in {"meta":1}"#)
            let optional: Chain<Void, Answer?> = builder.envelope(at: "$.data", isOptional: true)
                .route(.get, "/none").build()
            #expect(try await optional() == nil)
        }
    }
}
