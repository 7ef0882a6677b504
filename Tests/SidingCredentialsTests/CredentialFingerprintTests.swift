// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import SidingCredentials

@Suite struct CredentialFingerprintTests {
    private func bearer(_ token: String) async throws -> CredentialFingerprint {
        try #require(await CredentialFingerprint(of: .bearer(Secret("test") { token })))
    }

    private func refreshed(_ token: String?) async throws -> CredentialFingerprint {
        let store = InMemoryCredentialStore()
        if let token { try await store.save(Credential(accessToken: token, refreshToken: "r"), of: "a") }
        let refresher = TokenRefresherNode { _, _ in TokenGrant(accessToken: "other") }
        return try #require(
            await CredentialFingerprint(
                of: .refreshed(AccessSafety(AccessSettings(account: "a", store: store, refresher: refresher)))))
    }

    @Test func `the same credentials have the same fingerprint, others another one`() async throws {
        #expect(try await bearer("one") == bearer("one"))
        #expect(try await bearer("one") != bearer("two"))
        #expect(try await refreshed("one") == refreshed("one"))
        #expect(try await refreshed("one") != refreshed("two"))
        #expect(try await refreshed(nil) != refreshed("one"))
    }

    @Test func `secrets that cannot be read have none`() async {
        let secret = Secret("test") { () throws in throw Failure(.credentialUnavailable, phase: .notSent) }
        #expect(await CredentialFingerprint(of: .bearer(secret)) == nil)
    }
}
