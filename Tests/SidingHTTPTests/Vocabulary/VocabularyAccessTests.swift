// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingHTTP
import SidingNodes
import SidingOrigin
import Testing

/// Access safety with an origin whose tokens expire and rotate.
@Suite(.timeLimit(.minutes(5))) struct VocabularyAccessTests {
    typealias Answer = BuilderSettingsTests.Answer

    /// What only a signed-in caller gets.
    struct Profile: OriginRoute {
        func answer(_ request: OriginRequest) async -> OriginResponse? {
            request.path == "/me" ? .json(#"{"answer":42}"#) : nil
        }
    }

    /// The answer of `tokens`, with `status` for a refused token.
    static func answer(
        _ request: OriginRequest, by tokens: TokenEndpoint, refusingWith status: Int
    ) async -> OriginResponse {
        var answer = await tokens.answer(request) ?? .notFound
        if answer.status == .unauthorized { answer.status = HTTPResponse.Status(code: status) }
        return answer
    }

    /// Renews the token by a chain of `builder`, which is not signed in.
    static func refresher(_ builder: URLChainBuilder) -> TokenRefresherNode {
        let exchange: Chain<[String: String], LoadedResponse> = builder.route(.post, "/token").encode(as: .formURL)
            .build(.json, .bytes)
        return TokenRefresherNode { spent, context in
            let form = ["grant_type": "refresh_token", "refresh_token": spent.refreshToken ?? ""]
            let answer = try await exchange(form, context)
            return try TokenGrant(parsing: answer.bytes ?? [])
        }
    }

    /// A chain that is signed in with the present tokens. It renews a token refused with 401 or one of `statuses`.
    static func profile(
        _ builder: URLChainBuilder, _ tokens: TokenEndpoint, refreshingAfter statuses: Set<Int> = []
    ) -> Chain<Void, Answer> {
        let credential = Credential(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
        var access = AccessSettings(
            account: "a", store: InMemoryCredentialStore(["a": credential]), refresher: refresher(builder))
        access.statuses.formUnion(statuses)
        return builder.access(AccessSafety(access)).route(.get, "/me").build()
    }

    /// The answers to calls at the same time; nil for each that failed.
    static func answers(_ count: Int, of chain: Chain<Void, Answer>) async -> [Answer?] {
        await withTaskGroup(of: Answer?.self) { group in
            for _ in 0..<count { group.addTask { try? await chain() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: [401, 403])
    func `a refused token is renewed once for many calls, by a request without it`(_ status: Int) async throws {
        let tokens = TokenEndpoint(guarding: [Profile()])
        let handler: Origin.Handler = { await Self.answer($0, by: tokens, refusingWith: status) }
        try await BuilderSettingsTests.building(handler: handler) { (origin, builder) async throws in
            let me = Self.profile(builder, tokens, refreshingAfter: [status])
            #expect(try await me() == Answer(answer: 42))
            #expect(origin.requests.map { $0.headerFields[.authorization] } == ["Bearer access-0"])
            tokens.expireAccess()
            let answers = await Self.answers(20, of: me)
            #expect(answers == Array(repeating: Answer(answer: 42), count: 20))
            #expect(tokens.refreshCount == 1)
            #expect(tokens.reuseCount == 0)
            let exchanges = origin.requests.filter { $0.path == "/token" }
            #expect(exchanges.map(\.line) == ["POST /token"])
            #expect(exchanges.map(\.text) == ["grant_type=refresh_token&refresh_token=refresh-0"])
            #expect(exchanges.allSatisfy { $0.headerFields[.authorization] == nil })
            #expect(origin.requests.last?.headerFields[.authorization] == "Bearer access-1")
        }
    }

    @Test func `a 403 is not a refused token unless the program says so`() async throws {
        let tokens = TokenEndpoint(guarding: [Profile()])
        let handler: Origin.Handler = { await Self.answer($0, by: tokens, refusingWith: 403) }
        try await BuilderSettingsTests.building(handler: handler) { (origin, builder) async throws in
            let me = Self.profile(builder, tokens)
            tokens.expireAccess()
            #expect(await me.outcome().failure?.status == 403)
            #expect(origin.requests.map(\.line) == ["GET /me"])
            #expect(tokens.refreshCount == 0)
        }
    }

    @Test func `a refused refresh fails the calls, and later ones without a request`() async throws {
        let tokens = TokenEndpoint(guarding: [Profile()])
        tokens.refuse()
        let handler: Origin.Handler = { await Self.answer($0, by: tokens, refusingWith: 401) }
        try await BuilderSettingsTests.building(handler: handler) { (origin, builder) async throws in
            let me = Self.profile(builder, tokens)
            tokens.expireAccess()
            #expect(await me.outcome().failure?.status == 401)
            #expect(origin.requests.map(\.line) == ["GET /me", "POST /token"])
            #expect(await me.outcome().failure?.status == 401)
            #expect(origin.requests.count == 2)
        }
    }
}
