// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingNodes
import Testing

@Suite struct TryTests {
    struct Own: Error {}

    @Test func `an attempt ends in a value or in a failure with the given phase`() async throws {
        #expect(try await Try(attemptedIn: .maybeSent) { 1 }.get() == 1)
        let thrown = await Try<Int>(attemptedIn: .maybeSent) { throw Own() }
        #expect(Self.failure(thrown)?.reason == .userCode)
        #expect(Self.failure(thrown)?.phase == .maybeSent)
        let cancelled = await Try<Int>(attemptedIn: .notSent) { throw CancellationError() }
        #expect(Self.failure(cancelled)?.reason == .cancelled)
    }

    @Test func `recovery answers for the failures that it names`() async throws {
        let failed = Try<Int>.failure(Failure(.contract, phase: .answered))
        #expect(try await failed.recover { _ in 7 }.get() == 7)
        #expect(try await Try<Int>.success(1).recover { _ in 7 }.get() == 1)
        #expect(Self.failure(await failed.recover(where: { $0.phase == .notSent }) { _ in 7 })?.reason == .contract)
        let second = await failed.recover { _ in throw Own() }
        #expect(Self.failure(second)?.reason == .userCode)
        #expect(Self.failure(second)?.phase == .answered)
    }

    static func failure(_ outcome: Try<Int>) -> Failure? {
        if case .failure(let failure) = outcome { failure } else { nil }
    }
}
