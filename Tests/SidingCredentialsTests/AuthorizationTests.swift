// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@testable import SidingCredentials

@Suite struct AuthorizationTests {
    private let secret = Secret("test") { "s3cret" }

    private func fields(_ authorization: Authorization) async throws -> HTTPFields {
        try await AuthorizationProvider(authorization: authorization).metadata(ChainContext(requestID: "test"))
    }

    @Test func `without an authorization nothing is sent`() async throws {
        #expect(try await fields(.none) == [:])
        #expect(try await AuthorizationProvider(authorization: .none).query().isEmpty)
    }

    @Test func `a bearer token is sent in its field`() async throws {
        #expect(try await fields(.bearer(secret)) == [.authorization: "Bearer s3cret"])
        #expect(try await fields(.bearer { "given" }) == [.authorization: "Bearer given"])
    }

    @Test func `user and password are encoded as RFC 7617 has it`() async throws {
        let basic = Authorization.basic(user: Secret("u") { "Aladdin" }, password: Secret("p") { "open sesame" })
        #expect(try await fields(basic) == [.authorization: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="])
        let unicode = Authorization.basic(user: Secret("u") { "test" }, password: Secret("p") { "123£" })
        #expect(try await fields(unicode) == [.authorization: "Basic dGVzdDoxMjPCow=="])
    }

    @Test func `without a password it is empty, as where the user's name is the key`() async throws {
        let basic = Authorization.basic(user: Secret("u") { "key" })
        #expect(try await fields(basic) == [.authorization: "Basic a2V5Og=="])
        #expect(basic.secrets.map(\.description) == ["u"])
    }

    @Test func `a user name with a colon is refused, as it would end early`() async throws {
        let basic = Authorization.basic(user: Secret("env USER") { "a:b" }, password: secret)
        await #expect { _ = try await fields(basic) } throws: { error in
            guard let failure = error as? Failure else { return false }
            return failure.reason == .credentialUnavailable && failure.description.contains("env USER")
        }
    }

    @Test func `an API key is sent in the field or query parameter of the origin's choice`() async throws {
        let name = HTTPField.Name("X-API-Key")!
        #expect(try await fields(.apiKeyHeader(name, secret)) == [name: "s3cret"])
        #expect(try await fields(.apiKeyQuery("key", secret)) == [:])
        #expect(
            try await AuthorizationProvider(authorization: .apiKeyQuery("key", secret)).query() == ["key": "s3cret"])
    }

    @Test func `the query names that carry credentials are known`() {
        #expect(Authorization.apiKeyQuery("key", secret).secretQueryNames == ["key"])
        #expect(Authorization.bearer(secret).secretQueryNames == [])
    }

    @Test func `an authorization lists its secrets`() {
        #expect(Authorization.basic(user: secret, password: secret).secrets.count == 2)
        #expect(Authorization.none.secrets.isEmpty)
        #expect(Authorization.bearer(secret).secrets.map(\.description) == ["test"])
    }
}
