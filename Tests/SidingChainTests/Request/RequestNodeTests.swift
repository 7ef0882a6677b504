// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

@Suite struct RequestNodeTests {
    @Test func `a provider's field replaces the draft's in any case, with all its values`() async throws {
        var given: HTTPFields = [:]
        given.append(HTTPField(name: try #require(HTTPField.Name("accept-language")), value: "pl"))
        given.append(HTTPField(name: .acceptLanguage, value: "en"))
        let node = RequestCreatorNode(providers: [Provider { [given] () throws(Failure) in given }])
        let draft = RequestDraft(
            route: RequestRoute(.get, try HTTPURL("http://a/")), headerFields: [.acceptLanguage: "de"])
        let request = try await node.process(draft, .test).request
        #expect(request.headerFields[values: .acceptLanguage] == ["pl", "en"])
    }

    struct Provider: MetadataProvider {
        let fields: @Sendable () async throws(Failure) -> HTTPFields
        func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields { try await fields() }
    }

    static func draft(_ text: String = "http://a/p", _ fields: HTTPFields = [:]) throws -> RequestDraft {
        RequestDraft(route: RequestRoute(.get, try HTTPURL(text)), headerFields: fields)
    }

    @Test func `a router gives the draft, and its error is a failure before sending`() async throws {
        struct Own: Error {}
        let router = RequestRouterNode<Int> { number in
            guard number > 0 else { throw Own() }
            return try Self.draft("http://a/\(number)")
        }
        #expect(try await router.process(7, .test).route.url.path == "/7")
        let failure = await router.failure(0)
        #expect(failure?.reason == .userCode)
        #expect(failure?.phase == .notSent)
        #expect(failure?.node == "RequestRouterNode")
    }

    @Test func `query parameters come behind the route's own, anew on each attempt`() async throws {
        let calls = Counter()
        let node = URLQueryInjectorNode { ["n": .int(Int64(calls.next()))] }
        #expect(
            try await node.process(Self.draft("http://a/p?x=1"), .test).route.url.description == "http://a/p?x=1&n=1")
        #expect(
            try await node.process(Self.draft("http://a/p?x=1"), .test).route.url.description == "http://a/p?x=1&n=2")
    }

    @Test func `a fragment of the route does not travel, and a query does not end up behind it`() async throws {
        let base = try HTTPURL("http://a/v2#there")
        let transport = ScriptedTransport { _ in .text("{}") }
        let builder = URLChainBuilder(ChainAssembly(transport: transport, connectivity: TestConnectivity()))
        for template in ["/p?x=1#top", "/p?x=1#top?y=2", "/p?x=1#"] {
            let route = try RequestRoute(.get, template, under: base)
            let chain: Chain<Void, Void> = builder.route(route.method, route.url).set(query: ["n": 1]).build()
            try await chain()
            let typed: Chain<Void, Void> = builder.route(.get, template, under: base).set(query: ["n": 1]).build()
            try await typed()
        }
        #expect(transport.requests.map(\.request.path) == Array(repeating: "/v2/p?x=1&n=1", count: 6))
        // In a value of the path it is part of the name.
        let named = try RequestRoute(.get, "/p/{name}", under: base, parameters: ["name": "a#b"])
        #expect(named.url.description == "http://a/v2/p/a%23b")
    }

    @Test func `injected header fields give way to the request's own`() async throws {
        let node = HeaderInjectorNode([.accept: "a", .acceptLanguage: "pl"])
        let fields = try await node.process(Self.draft("http://a", [.accept: "mine"]), .test).headerFields
        #expect(fields[.accept] == "mine")
        #expect(fields[.acceptLanguage] == "pl")
    }

    @Test func `several injected values of one name are all sent`() async throws {
        var several = HTTPFields()
        several.append(HTTPField(name: .via, value: "1"))
        several.append(HTTPField(name: .via, value: "2"))
        let fields = try await HeaderInjectorNode(several).process(Self.draft(), .test).headerFields
        #expect(fields[.via] == "1, 2")
    }

    @Test func `providers are called in order on each attempt, and set their fields`() async throws {
        let calls = Counter()
        let node = RequestCreatorNode(providers: [
            Provider { () throws(Failure) in [.authorization: "one", .accept: "x"] },
            Provider { () throws(Failure) in [.authorization: "two-\(calls.next())"] },
        ])
        let first = try await node.process(Self.draft("http://a", [.authorization: "draft"]), .test)
        #expect(first.request.headerFields[values: .authorization] == ["two-1"])
        #expect(first.request.headerFields[.accept] == "x")
        #expect(try await node.process(Self.draft(), .test).request.headerFields[.authorization] == "two-2")
    }

    @Test func `a provider that fails is placed, with secrets left out`() async throws {
        let node = RequestCreatorNode(
            providers: [Provider { () throws(Failure) in throw Failure(.credentialUnavailable, phase: .notSent) }],
            secretQueryNames: ["mine"])
        let failure = try #require(await node.failure(Self.draft("http://a/?mine=canary&token=canary")))
        #expect(failure.url == "http://a/?mine=…&token=…")
        #expect(failure.method == "GET")
        #expect(failure.node == "RequestCreatorNode")
    }

    @Test func `the sender sends, and places the transport's failure`() async throws {
        let transport = ScriptedTransport([.text("[]"), .failure(Failure(.connectionLost, phase: .maybeSent))])
        let chain = RequestCreatorNode().then(RequestSenderNode(transport))
        #expect(try await chain.process(Self.draft("http://a/?token=canary"), .test).response.status == .ok)
        let failure = try #require(await chain.failure(Self.draft("http://a/?token=canary")))
        #expect(failure.reason == .connectionLost)
        #expect(failure.node == "RequestSenderNode")
        #expect(failure.url == "http://a/?token=…")
        #expect(transport.requests.map(\.request.path) == ["/?token=canary", "/?token=canary"])
    }
}
