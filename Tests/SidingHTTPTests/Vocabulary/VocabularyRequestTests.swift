// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingJSON
import SidingNodes
import SidingOrigin
import SidingSynchronization
import Testing

/// The nodes of the request half, and what they put into the request that the origin receives.
@Suite(.timeLimit(.minutes(5))) struct VocabularyRequestTests {
    struct Own: Error {}

    /// Gives a token with the number of the attempt.
    final class Numbered: MetadataProvider {
        private let count = Mutex(0)

        func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields {
            let number: Int = count.withLock {
                $0 += 1
                return $0
            }
            return [.authorization: "token-\(number)", .via: "first"]
        }
    }

    /// Gives the same fields for each attempt.
    struct Fixed: MetadataProvider {
        let fields: HTTPFields

        func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields { fields }
    }

    /// A header object of the program.
    struct Header: Encodable, Sendable {
        var locale: String
        var depth: Int
        var account: String?

        private enum CodingKeys: String, CodingKey {
            case locale = "X-Locale"
            case depth = "X-Depth"
            case account = "X-Account"
        }
    }

    @Test func `metadata, route, document and query are joined to one request`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let request = MetadataConnectorNode<JSONDocument>([.acceptLanguage: "pl"])
                .then(URLRequestTransformerNode(RequestRoute(.put, try origin.at("/notes/7?z=1"))))
                .then(RequestEncoderNode<JSONDocument>())
                .then(URLQueryInjectorNode { ["n": 1, "q": "a b"] })
            let chain = builder.assembly.chain(from: request, to: ResponseDataLoaderNode())
            _ = try await chain.process(JSONDocument(#" {"b": 1.0,"a":2} "#), .call)
            _ = try await chain.process(nil, .call)
            let sent = origin.requests
            #expect(sent.map(\.line) == ["PUT /notes/7?z=1&n=1&q=a%20b", "PUT /notes/7?z=1&n=1&q=a%20b"])
            #expect(sent.map { $0.headerFields[.acceptLanguage] } == ["pl", "pl"])
            #expect(sent.map(\.text) == [#"{"b": 1.0,"a":2}"#, ""])
            #expect(sent.map { $0.headerFields[.contentType] } == ["application/json", nil])
        }
    }

    @Test func `a router makes the request from the input, and an input without a route is not sent`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let base = origin.url
            let router = RequestRouterNode<Int> { number in
                guard number > 0 else { throw Own() }
                return RequestDraft(
                    route: try RequestRoute(.delete, "/notes/{id}", under: base, parameters: ["id": "\(number)/x"]))
            }
            let chain = builder.assembly.chain(from: router, to: ResponseDataLoaderNode())
            #expect(try await chain.process(7, .call).response.status == .ok)
            let failure = await chain.outcome(of: 0).failure
            #expect(failure?.reason == .userCode && failure?.phase == .notSent)
            #expect(failure?.node == "RequestRouterNode")
            #expect(failure?.underlying is Own)
            #expect(origin.requests.map(\.line) == ["DELETE /notes/7%2Fx"])
        }
    }

    @Test func `providers are called on each attempt, and a later one wins over earlier ones and the chain`()
        async throws
    {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let patient = builder.with(\.assembly.retry.retries, 1).route(.get, "/p")
                .set(metadata: [.acceptLanguage: "pl", .via: "chain"])
            let chain: Chain<Void, Void> = patient.add(provider: Numbered())
                .add(provider: Fixed(fields: [.via: "second", .acceptLanguage: "fi"])).build()
            origin.inject(.status(503))
            try await chain()
            let fields = origin.requests.map(\.headerFields)
            #expect(fields.map { $0[.authorization] } == ["token-1", "token-2"])
            #expect(fields.map { $0[values: .via] } == [["second"], ["second"]])
            #expect(fields.map { $0[values: .acceptLanguage] } == [["fi"], ["fi"]])
        }
    }

    @Test func `injected fields give way to those of the request`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let injecting = builder.with(\.assembly.headerFields, [.accept: "text/html", .acceptLanguage: "pl"])
            let chain: Chain<Void, Void> = injecting.route(.get, "/p").set(metadata: [.accept: "text/plain"]).build()
            try await chain()
            let sent = try #require(origin.requests.first).headerFields
            #expect(sent[values: .accept] == ["text/plain"])
            #expect(sent[values: .acceptLanguage] == ["pl"])
        }
    }

    @Test func `a header object sets its fields, and nil has none`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let notes = builder.route(.post, "/notes").set(metadata: [.accept: "text/html"])
                .add(node: HeaderObjectNode(JSONRequestHeaderFields()))
                .add(node: HeaderObjectNode(Header(locale: "fi", depth: 3)))
            let chain: Chain<[String: Int], Void> = notes.build()
            try await chain(["a": 1])
            let sent = try #require(origin.requests.first)
            #expect(sent.text == #"{"a":1}"#)
            #expect(sent.headerFields[values: .accept] == ["application/json"])
            #expect(sent.headerFields[values: .contentType] == ["application/json"])
            #expect(sent.headerFields[values: try #require(HTTPField.Name("X-Locale"))] == ["fi"])
            #expect(sent.headerFields[values: try #require(HTTPField.Name("X-Depth"))] == ["3"])
            #expect(sent.headerFields[try #require(HTTPField.Name("X-Account"))] == nil)
        }
    }

    @Test func `the simple request of a form is sent with the fields of its header object`() async throws {
        try await BuilderSettingsTests.building { (origin, builder) async throws in
            let chain: Chain<[String: String], Void> = builder.route(.post, "/session").encode(as: .formURL)
                .add(node: HeaderObjectNode(FormRequestHeaderFields())).build()
            try await chain(["user": "a b", "code": "1+1"])
            let sent = try #require(origin.requests.first)
            #expect(sent.text == "code=1%2B1&user=a%20b")
            #expect(sent.headerFields[values: .contentType] == ["application/x-www-form-urlencoded"])
            #expect(sent.headerFields[values: .accept] == ["application/json"])
        }
    }
}
