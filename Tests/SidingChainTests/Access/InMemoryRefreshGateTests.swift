// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct InMemoryRefreshGateTests {
    private let gate = InMemoryRefreshGate()
    private let clock = ManualClock()

    /// Holds the gate of `account` for a second of the clock.
    private func hold(_ account: String) async -> Failure? {
        let clock = clock
        do throws(Failure) {
            try await gate.withRefresh(of: account) { () async throws(Failure) in
                try? await clock.sleep(for: .seconds(1))
            }
            return nil
        } catch { return error }
    }

    @Test func `one at a time for an account, and accounts do not wait for each other`() async {
        async let first = hold("a")
        await clock.sleepers(1)
        async let second = hold("a")
        async let other = hold("b")
        await clock.sleepers(2)
        await settle()
        #expect(clock.waits.count == 2)
        clock.advance(by: .seconds(1))
        #expect(await first == nil)
        #expect(await other == nil)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await second == nil)
    }

    @Test func `a caller cancelled in line leaves it, and the next one gets its turn`() async {
        async let first = hold("a")
        await clock.sleepers(1)
        let second = Task { await hold("a") }
        await settle()
        let third = Task { await hold("a") }
        await settle()
        second.cancel()
        #expect(await second.value?.reason == .cancelled)
        clock.advance(by: .seconds(1))
        #expect(await first == nil)
        await clock.sleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await third.value == nil)
    }

    @Test func `a body that fails gives the gate back`() async throws {
        await #expect(throws: Failure.self) {
            try await gate.withRefresh(of: "a") { () async throws(Failure) in throw Failure(.contract, phase: .answered)
            }
        }
        #expect(try await gate.withRefresh(of: "a") { () async throws(Failure) in 7 } == 7)
    }
}
