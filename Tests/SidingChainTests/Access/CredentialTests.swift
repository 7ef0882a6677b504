// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct CredentialTests {
    @Test func `tokens are neither printed nor dumped`() {
        let credential = Credential(accessToken: "s3cret-a", refreshToken: "s3cret-r", generation: 7, expiresAt: 1)
        let grant = TokenGrant(accessToken: "s3cret-a", refreshToken: "s3cret-r", lifetime: .seconds(1))
        var context = ChainContext.test
        context.credential = credential
        for value in [credential, grant, context] as [Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), String(describing: Optional(value)), dumped] {
                #expect(!text.contains("s3cret"), "\(text)")
            }
        }
        #expect("\(credential)" == "credential of generation 7")
    }

    @Test(arguments: [nil, ""])
    func `the next credential counts on, and keeps a refresh token that was not replaced`(
        _ given: String?
    ) async throws {
        let spent = Credential(accessToken: "a", refreshToken: "r", generation: 41)
        let refresher = TokenRefresherNode(
            clock: ManualClock(), wallClock: WallClock { Timestamp(secondsSince1970: 100) }
        ) { _, _ in
            TokenGrant(accessToken: "b", refreshToken: given, lifetime: .seconds(60))
        }
        let next = try await refresher.process(spent, .test)
        #expect(
            next
                == Credential(
                    accessToken: "b", refreshToken: "r", generation: 42, expiresAt: 160, lifetime: .seconds(60)))
    }

    @Test func `a refresh request is exempt from access safety and sees the spent credential`() async throws {
        let seen = Box<ChainContext>()
        let refresher = TokenRefresherNode(clock: ManualClock()) { _, context in
            seen.value = context
            return TokenGrant(accessToken: "b")
        }
        _ = try await refresher.process(Credential(accessToken: "a"), .test)
        #expect(seen.value?.isExemptFromAccessSafety == true)
        #expect(seen.value?.credential?.accessToken == "a")
        #expect(refresher.description == "TokenRefresherNode(DeadlineNode(RefreshRequest))")
    }

    @Test func `an empty access token does not count as an answer`() async {
        let refresher = TokenRefresherNode(clock: ManualClock()) { _, _ in TokenGrant(accessToken: "") }
        #expect(await refresher.failure(Credential(accessToken: "a"))?.reason == .contract)
    }

    @Test(arguments: [
        (#"{"access_token":"a"}"#, TokenGrant(accessToken: "a")),
        (
            #"{"access_token":"a\u0021","token_type":"bearer","refresh_token":"r","expires_in":3600}"#,
            TokenGrant(accessToken: "a!", refreshToken: "r", lifetime: .seconds(3600))
        ),
        (
            #"{"access_token":"a","refresh_token":null,"expires_in":"60"}"#,
            TokenGrant(accessToken: "a", lifetime: .seconds(60))
        ),
        (#"{"access_token":"a","refresh_token":"","expires_in":""}"#, TokenGrant(accessToken: "a")),
        (#"{"access_token":"a","error":""}"#, TokenGrant(accessToken: "a")),
        (#"{"access_token":"a","refresh_token":"  "}"#, TokenGrant(accessToken: "a")),
        (#"{"access_token":"a","expires_in":0}"#, TokenGrant(accessToken: "a")),
        (#"{"access_token":"a","expires_in":1e400}"#, TokenGrant(accessToken: "a")),
        // The moment of the end, rather than 56 years.
        (#"{"access_token":"a","expires_in":1767229200}"#, TokenGrant(accessToken: "a", lifetime: .seconds(3600))),
    ])
    func `the answer of a token endpoint is read as RFC 6749 has it`(_ answer: String, _ grant: TokenGrant) throws {
        #expect(try TokenGrant(parsing: Array(answer.utf8), now: 1_767_225_600) == grant)
    }

    @Test(arguments: [
        "", "s3cret", "[]", "{}", #"{"access_token":"}"#, #"{"access_token":" "}"#, #"{"access_token":7}"#,
        #"{"access_token":""}"#,
        #"{"access_token":"","error":""}"#,
    ])
    func `any other answer breaks the contract, and is not shown`(_ answer: String) throws {
        do throws(Failure) {
            _ = try TokenGrant(parsing: Array(answer.utf8))
            Issue.record("it was taken")
        } catch {
            #expect(error.reason == .contract)
            #expect(error.underlying == nil)
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test func `the access token is sent in its field, and only if a field can carry it`() async throws {
        var context = ChainContext.test
        context.credential = Credential(accessToken: "abc")
        #expect(try await AccessTokenProvider().metadata(context) == [.authorization: "Bearer abc"])
        for token in ["", "a b", "s3cret\r\nX-Evil: 1", "ü"] {
            context.credential = Credential(accessToken: token)
            do throws(Failure) {
                _ = try await AccessTokenProvider().metadata(context)
                Issue.record("it was taken")
            } catch {
                #expect(error.reason == .credentialUnavailable)
                #expect(!error.description.contains("s3cret"))
            }
        }
        context.credential = nil
        await #expect(throws: Failure.self) { try await AccessTokenProvider().metadata(context) }
    }
}
