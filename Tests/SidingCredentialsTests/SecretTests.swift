// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import SidingCredentials

@Suite struct SecretTests {
    private struct ReadingFailed: Error, CustomStringConvertible {
        let description = "permission denied"
    }

    private func failure(_ read: @escaping @Sendable () async throws -> String) async -> Failure? {
        do throws(Failure) {
            _ = try await Secret("env TOKEN", read).read()
            return nil
        } catch { return error }
    }

    @Test func `a secret is read anew each time`() async throws {
        let values = Values(["one", "two"])
        let secret = Secret("env TOKEN") { values.next() }
        #expect(try await secret.read() == "one")
        #expect(try await secret.read() == "two")
    }

    @Test(arguments: ["", "abc\n", "abc\r\nX-Evil: 1", "\u{0}", "a\tb", "a\u{7F}"])
    func `an empty secret, or one with a control character, is unusable and not shown`(_ value: String) async throws {
        let failure = try #require(await failure { value })
        #expect(failure.reason == .credentialUnavailable)
        #expect(failure.phase == .notSent)
        #expect(failure.description.contains("env TOKEN"))
        #expect(!failure.description.contains("abc") && !failure.description.contains("Evil"))
    }

    @Test func `an unreadable secret is reported with its name and reason`() async throws {
        let failure = try #require(await failure { throw ReadingFailed() })
        #expect(failure.reason == .credentialUnavailable)
        #expect(failure.description.contains("secret env TOKEN: permission denied"))
    }

    @Test func `a failure of the reader's own travels on as it is`() async throws {
        let failure = try #require(await failure { throw Failure(.noInternetConnection, phase: .notSent) })
        #expect(failure.reason == .noInternetConnection)
    }

    @Test func `a cancelled reader is a cancellation`() async throws {
        #expect(await failure { throw CancellationError() }?.reason == .cancelled)
    }

    @Test func `a secret is described by its place alone`() {
        #expect("\(Secret("file /run/token") { "s3cret" })" == "file /run/token")
    }
}
