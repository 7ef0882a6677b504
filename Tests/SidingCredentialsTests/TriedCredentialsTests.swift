import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingCredentials

@Suite struct TriedCredentialsTests {
    private let time = ManualWallClock()
    private let tried: TriedCredentials

    init() {
        tried = TriedCredentials(
            CredentialLimits(sameAttempts: 2, others: 6, window: .seconds(3_600)), wallClock: time.clock)
    }

    /// Releases the source once with this token, if it is worth a try; whether it was.
    private func releases(_ token: String) async throws -> Bool {
        let authorization = Authorization.bearer(Secret("test") { token })
        guard let credentials = await tried.worthTrying(for: "api", authorization) else { return false }
        tried.noteRelease(of: "api", credentials)
        return true
    }

    @Test func `credentials are released twice, and once where a request went out with them before`() async throws {
        await tried.noteFirst(of: "api", .bearer(Secret("test") { "first" }))
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
}
