// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingCredentials

@Suite struct CredentialAttemptsTests {
    private let time = ManualWallClock()
    private let tried = CredentialAttempts(CredentialLimits(sameAttempts: 2, others: 6, window: .seconds(3_600)))

    /// Releases the source once with this token, if it is worth a try; whether it was.
    private func releases(_ token: String) async throws -> Bool {
        let credentials = await CredentialFingerprint(of: .bearer(Secret("test") { token }))
        guard tried.isWorthTrying(credentials, for: "api", at: time.now) else { return false }
        tried.record(credentials, for: "api", at: time.now)
        return true
    }

    @Test func `credentials are released twice, and once where a request was sent with them before`() async throws {
        await tried.recordFirst(of: .bearer(Secret("test") { "first" }), for: "api")
        #expect(try await [releases("first"), releases("first")] == [true, false])
        #expect(try await [releases("second"), releases("second"), releases("second")] == [true, true, false])
    }

    @Test func `at most six other credentials are released per hour`() async throws {
        for number in 0...6 { #expect(try await releases("token-\(number)")) }
        #expect(try await !releases("token-7"))
        // The second time.
        #expect(try await releases("token-6"))
        time.advance(by: .seconds(3599))
        #expect(try await !releases("token-8"))
        time.advance(by: .seconds(1))
        for number in 11...16 { #expect(try await releases("token-\(number)")) }
        #expect(try await !releases("token-17"))
    }

    @Test func `releases before the clock was set back do not count`() async throws {
        for number in 0...6 { #expect(try await releases("token-\(number)")) }
        time.advance(by: .seconds(-60))
        #expect(try await releases("token-7"))
    }

    @Test func `without a window others count until the attempts are forgotten`() async throws {
        let tried = CredentialAttempts(CredentialLimits(sameAttempts: 1, others: 2, window: nil))
        func tries(_ token: String) async -> Bool {
            let credentials = await CredentialFingerprint(of: .bearer(Secret("test") { token }))
            guard tried.isWorthTrying(credentials, for: "posts", at: time.now) else { return false }
            tried.record(credentials, for: "posts", at: time.now)
            return true
        }
        #expect(await tries("first"))
        #expect(await !tries("first"))
        #expect(await tries("second"))
        // Credentials that could not be read are neither the same nor others.
        tried.record(nil, for: "posts", at: time.now)
        #expect(!tried.isWorthTrying(nil, for: "posts", at: time.now))
        #expect(await tries("second"))
        time.advance(by: .seconds(86_400))
        #expect(await !tries("third"))
        tried.forget("posts")
        #expect(await tries("third"))
    }
}
