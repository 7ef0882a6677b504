// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingOrigin
import Testing

@Suite struct TokenEndpointTests {
    private func refresh(_ ask: Asker, _ token: String) async throws -> Answer {
        try await ask("/token", .post, body: "grant_type=refresh_token&refresh_token=\(token)")
    }

    @Test func `only the current access token opens the guarded routes, which get no request without it`()
        async throws
    {
        let tokens = TokenEndpoint(guarding: [RecordWrites("/list", to: numbered(1), firstID: 2)])
        try await asking([tokens]) { (origin, ask) async throws in
            #expect(try await ask("/list", .post, body: "{}").status == 401)
            let open: HTTPFields = [.authorization: "Bearer \(tokens.accessToken)"]
            #expect(try await ask("/list", .post, open, body: "{}").text == #"{"id":2}"#)
            #expect(try await ask("/other", .post, open, body: "{}").status == 404)
            tokens.expireAccess()
            #expect(try await ask("/list", .post, open, body: "{}").status == 401)
        }
    }

    @Test func `a refresh rotates both tokens`() async throws {
        let tokens = TokenEndpoint(guarding: [RecordWrites("/list", to: numbered(1), firstID: 2)])
        try await asking([tokens]) { (origin, ask) async throws in
            let (access, spent) = (tokens.accessToken, tokens.refreshToken)
            let answer = try await refresh(ask, spent)
            #expect(answer.status == 200)
            #expect(answer.text.value(of: "access_token") == tokens.accessToken)
            #expect(answer.text.value(of: "refresh_token") == tokens.refreshToken)
            #expect(tokens.accessToken != access && tokens.refreshToken != spent)
            #expect(tokens.refreshCount == 1)
        }
    }

    @Test func `a spent refresh token revokes everything`() async throws {
        let tokens = TokenEndpoint(guarding: [RecordWrites("/list", to: numbered(1), firstID: 2)])
        try await asking([tokens]) { (origin, ask) async throws in
            let spent = tokens.refreshToken
            _ = try await refresh(ask, spent)
            #expect(try await refresh(ask, spent).status == 400)
            #expect(tokens.reuseCount == 1)
            #expect(try await refresh(ask, tokens.refreshToken).status == 400)
            let open: HTTPFields = [.authorization: "Bearer \(tokens.accessToken)"]
            #expect(try await ask("/list", .post, open, body: "{}").status == 401)
        }
    }

    @Test func `a refusal has the given status`() async throws {
        let tokens = TokenEndpoint(guarding: [])
        try await asking([tokens]) { (origin, ask) async throws in
            tokens.refuse(with: .unauthorized)
            #expect(try await refresh(ask, tokens.refreshToken).status == 401)
            #expect(tokens.refreshCount == 0)
        }
    }
}
