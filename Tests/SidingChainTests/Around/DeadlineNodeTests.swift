// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@Suite struct DeadlineNodeTests {
    @Test func `a call that ends in time is left alone`() async throws {
        let chain = Step<Int, Int> { input, _ in input }.timeLimit(.seconds(1), clock: ManualClock())
        #expect(try await chain.process(7, .test) == 7)
    }

    @Test func `a failure in time passes as it is`() async {
        let chain = Step<Int, Int> { _, _ throws(Failure) in throw Failure(.contract, phase: .answered) }
            .timeLimit(.seconds(1), clock: ManualClock())
        #expect(await chain.failure(1)?.reason == .contract)
    }

    @Test func `when the budget is spent the call is cancelled and the failure keeps its phase`() async {
        let clock = ManualClock()
        let chain = Self.waiting(clock, then: .notSent).timeLimit(.seconds(5), clock: clock)
        async let failure = chain.failure(1)
        await clock.sleepers(2)
        clock.advance(by: .seconds(4))
        #expect(clock.waits.first == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await failure?.reason == .timeout(.total))
        #expect(await failure?.phase == .notSent)
    }

    @Test func `an answer that arrives while the call winds down still counts`() async throws {
        let clock = ManualClock()
        let stubborn = Step<Int, Int> { input, _ in
            try? await clock.sleep(for: .seconds(3600))
            return input
        }
        async let answer = stubborn.timeLimit(.seconds(5), clock: clock).process(7, .test)
        await clock.sleepers(2)
        clock.advance(by: .seconds(5))
        #expect(try await answer == 7)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .zero, .seconds(-1)])
    func `any duration is legal`(_ limit: Duration) async throws {
        let quick = Step<Int, Int> { input, _ in input }
        #expect(try await quick.timeLimit(limit).process(1, .test) == 1)
    }

    @Test func `a cancelled caller ends the call as cancelled`() async {
        let clock = ManualClock()
        let chain = Self.waiting(clock, then: .maybeSent).timeLimit(.seconds(5), clock: clock)
        let call = Task { await chain.failure(1) }
        await clock.sleepers(2)
        call.cancel()
        #expect(await call.value?.reason == .cancelled)
    }

    /// Waits for an hour of `clock`; cancelled, it fails in `phase`.
    static func waiting(_ clock: ManualClock, then phase: Failure.Phase) -> Step<Int, Int> {
        Step { input, _ throws(Failure) in
            do { try await clock.sleep(for: .seconds(3600)) } catch { throw Failure(.cancelled, phase: phase) }
            return input
        }
    }
}
