// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingJSON
import Testing

@testable import Siding

@Suite struct ResourceDefinitionTests {
    private func resource(_ change: (inout AnyResource) throws -> Void = { _ in }) throws -> AnyResource {
        let source = Source(name: "blog", baseURL: try HTTPURL("https://api.example.org"))
        var resource = AnyResource("posts", from: source, at: "/posts", key: "id")
        try change(&resource)
        return resource
    }

    private func differences(_ change: (inout AnyResource) throws -> Void) throws -> [String] {
        try ResourceDefinition(resource(change)).differences(from: ResourceDefinition(resource())).map(\.rawValue)
    }

    @Test func `every setting that decides which records there are is an aspect`() throws {
        #expect(try differences { $0.source.baseURL = try HTTPURL("https://b.example.org") } == ["base_url"])
        #expect(try differences { $0.method = .post } == ["method"])
        #expect(try differences { $0.path = "/pages" } == ["path"])
        #expect(try differences { $0.query = ["a": 1] } == ["query"])
        #expect(try differences { $0.records = try JSONPath(parsing: "$.data") } == ["records"])
        #expect(try differences { $0.key = [JSONPath(member: "uuid")] } == ["key"])
        #expect(try differences { $0.paging = .linkHeader } == ["paginate"])
        #expect(try differences { ($0.path, $0.method) = ("/x", .post) } == ["method", "path"])
    }

    @Test func `values that do not decide which records are listed are not aspects`() throws {
        #expect(try differences { $0.source.name = "renamed" } == [])
        #expect(try differences { $0.source.headerFields[.userAgent] = "siding 2" } == [])
        #expect(try differences { $0.source.headerFields[.authorization] = "Bearer t" } == [])
        let token = try #require(HTTPField.Name("X-Shop-Token"))
        #expect(try differences { $0.source.headerFields[token] = "t" } == [])
        #expect(try differences { $0.isConditional = false } == [])
        #expect(try differences { $0.stop = StopRules(maxPages: 3) } == [])
    }

    @Test func `the account and the tenant are an aspect`() throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        #expect(try differences { $0.source.headerFields[tenant] = "b" } == ["headers"])
        #expect(try differences { $0.source.headerFields[.accept] = "application/vnd.api.v2+json" } == ["headers"])
        #expect(try differences { $0.source.authorization = .bearer { "t" } } == ["auth"])
    }

    @Test func `the account of credentials counts, and no secret is part of the definition`() throws {
        func definition(_ authorization: Authorization) throws -> ResourceDefinition {
            ResourceDefinition(try resource { $0.source.authorization = authorization })
        }
        func secret(_ text: String) -> Secret { Secret("env S") { text } }
        func plain(_ text: String) -> Secret { Secret(plain: text, "'user'") }
        func client(_ id: String, scope: String? = nil, audience: String = "a", secret key: String) throws
            -> OAuthClient
        {
            OAuthClient(
                tokenURL: try HTTPURL("https://id.example.org/token"), id: plain(id), secret: secret(key), scope: scope,
                parameters: ["audience": plain(audience), "assertion_token": plain("hush")])
        }
        func session(_ path: String, _ user: String, _ password: String) -> Authorization {
            let body = LoginValue.members([
                "user": .members(["name": .secret(plain(user)), "password": .secret(plain(password))]),
                "tenant": .integer(7),
            ])
            return .signIn(SignIn(.session(SessionLogin(path: path, body: body, places: TokenPlaces()))))
        }
        let field = try #require(HTTPField.Name("X-Key"))
        let accounts: [Authorization] = [
            .none, .bearer(secret("s3cret")), .basic(user: plain("ann"), password: secret("s3cret")),
            .basic(user: plain("bob"), password: secret("s3cret")),
            .basic(user: Secret("env USER") { "ann" }, password: secret("s3cret")),
            .apiKeyHeader(field, secret("s3cret")), .apiKeyQuery("X-Key", secret("s3cret")),
            .apiKeyQuery("other", secret("s3cret")),
            .signIn(SignIn(.clientCredentials(try client("a", secret: "s3cret")))),
            .signIn(SignIn(.clientCredentials(try client("b", secret: "s3cret")))),
            .signIn(SignIn(.clientCredentials(try client("a", scope: "read", secret: "s3cret")))),
            .signIn(SignIn(.clientCredentials(try client("a", audience: "b", secret: "s3cret")))),
            .signIn(SignIn(.refreshToken(try client("a", secret: "s3cret"), first: secret("s3cret")))),
            session("/login", "ann", "hush"), session("/login", "bob", "hush"), session("/enter", "ann", "hush"),
        ]
        let definitions = try accounts.map(definition)
        #expect(Set(definitions).count == accounts.count)
        for one in definitions { #expect(!one.text.contains("hush") && !one.text.contains("s3cret")) }
        #expect(try definition(session("/login", "ann", "other")) == definition(session("/login", "ann", "hush")))
        #expect(
            try definition(.basic(user: plain("ann"), password: secret("n3w")))
                == definition(.basic(user: plain("ann"), password: secret("s3cret"))))
    }

    @Test func `a composite key is not the same as one member of that name`() throws {
        let pair = try differences { $0.key = [JSONPath(member: "a"), JSONPath(member: "b")] }
        let odd = try ResourceDefinition(resource { $0.key = [JSONPath(member: "a\n$.b")] })
        #expect(pair == ["key"])
        #expect(try ResourceDefinition(resource { $0.key = [JSONPath(member: "a"), JSONPath(member: "b")] }) != odd)
    }

    @Test func `the stored text comes back as the same definition, with sorted members`() throws {
        let definition = try ResourceDefinition(resource { $0.path = "/a/\"b\"/ü" })
        #expect(ResourceDefinition(stored: definition.text) == definition)
        #expect(definition.text.hasPrefix(#"{"auth":"none","base_url":"https://api.example.org/","headers":"#))
    }

    @Test func `an aspect that another version has stored is a difference`() throws {
        let definition = try ResourceDefinition(resource())
        for stored in [#""later":"x""#, #""later":"x","last":"y""#] {
            let other = ResourceDefinition(stored: "{\(stored),\(definition.text.dropFirst())")
            #expect(definition.differences(from: other) == [.other])
        }
    }

    @Test func `a stored text that cannot be read differs in everything`() throws {
        let definition = try ResourceDefinition(resource())
        #expect(definition.differences(from: ResourceDefinition(stored: "{")).count == definition.aspects.count)
    }
}
