// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// What an origin varies on is part of the key.
@Suite struct VaryTests {
    /// An origin that speaks several languages.
    private static let polyglot: CacheBench.Origin = { request in
        let language = request.request.headerFields[.acceptLanguage] ?? "none"
        if request.request.headerFields[.ifNoneMatch] == language { return .status(.notModified) }
        return .tagged(language, language, [.vary: "Accept-Encoding, accept-language"])
    }

    @Test func `two languages have two rows, each validated by its own tag`() async throws {
        let bench = CacheBench(origin: Self.polyglot)
        for language in ["de", "en", "de", "en"] {
            #expect(try await bench.ask("/posts", [.acceptLanguage: language]).text == language)
        }
        #expect(bench.asked.map { $0[.ifNoneMatch] } == [nil, nil, "de", "en"])
        #expect(try await bench.stored("/posts", [.acceptLanguage: "de"]) == "de")
        #expect(try await bench.stored("/posts", [.acceptLanguage: "fr"]) == nil)
        #expect(try await bench.stored() == nil)
    }

    @Test func `values are compared without the space around them, and lines as one`() async throws {
        let bench = CacheBench(origin: Self.polyglot)
        var lines = HTTPFields()
        lines.append(HTTPField(name: .acceptLanguage, value: "de "))
        lines.append(HTTPField(name: .acceptLanguage, value: " en"))
        try await bench.ask("/posts", lines)
        #expect(try await bench.stored("/posts", [.acceptLanguage: "de, en"]) != nil)
        #expect(try await bench.stored("/posts", [.acceptLanguage: "en, de"]) == nil)
    }

    @Test(arguments: ["*", "Accept, *"]) func `an answer that varies on everything is not stored`(_ vary: String)
        async throws
    {
        let bench = CacheBench([.tagged("[1]", "a", [.vary: vary])])
        try await bench.ask()
        #expect(try await bench.stored() == nil)
    }

    @Test func `the account stands for the credentials that an answer varies on`() async throws {
        let bench = CacheBench([.tagged("[1]", "a", [.vary: "Authorization"])])
        try await bench.ask("/posts", [.authorization: "Bearer canary"])
        #expect(try await bench.stored("/posts", [.authorization: "Bearer newer"]) == "[1]")
        let head = try #require(try await bench.cache.head(for: .posts))
        #expect(!"\(head)".contains("canary"))
    }

    @Test(
        arguments: ["api-key", "apikey", "ocp-apim-subscription-key", "x-api-key", "x-goog-api-key"],
        ["Accept-Language", "X-API-Key, X-Goog-API-Key"])
    func `an answer to one API key is never one to another, and the key is not kept`(
        _ field: String, _ vary: String
    ) async throws {
        let name = try #require(HTTPField.Name(field))
        let bench = CacheBench { request in
            .tagged(request.request.headerFields[name] ?? "nobody", "a", [.vary: vary])
        }
        try await bench.ask("/posts", [name: "canary-ann"])
        #expect(try await bench.stored("/posts", [name: "canary-ann"]) == "canary-ann")
        #expect(try await bench.stored("/posts", [name: "canary-bob"]) == nil)
        #expect(try await bench.stored() == nil)
        try await bench.ask("/posts", [name: "canary-bob"])
        #expect(try await bench.stored("/posts", [name: "canary-bob"]) == "canary-bob")
        #expect(try await bench.stored("/posts", [name: "canary-ann"]) == "canary-ann")
        #expect(bench.asked.allSatisfy { $0[.ifNoneMatch] == nil })
        let request = try bench.keying.request(HTTPURL("http://a/").request(.get, headerFields: [name: "canary"]))
        #expect(!"\(request)".contains("canary"))
    }

    @Test func `an answer that varies on cookies is stored for requests without one only`() async throws {
        let bench = CacheBench { _ in .tagged("[1]", "a", [.vary: "Cookie"]) }
        try await bench.ask("/posts", [.cookie: "a=1"])
        #expect(try await bench.stored() == nil)
        #expect(try await bench.stored("/posts", [.cookie: "a=1"]) == nil)
        try await bench.ask()
        #expect(try await bench.stored() == "[1]")
        #expect(try await bench.stored("/posts", [.cookie: "a=1"]) == nil)
    }
}
