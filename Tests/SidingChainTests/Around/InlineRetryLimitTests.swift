// SPDX-License-Identifier: Apache-2.0
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingChain

/// Calls to one origin that share their inline retries.
@Suite struct InlineRetryLimitTests {
    /// An origin that answers 503 while it is down.
    private final class Origin: Sendable {
        let limit = InlineRetryLimit()
        let clock = ManualClock()
        let tries = Counter()
        let isDown = Mutex(true)
        let failure: Failure

        init(failure: Failure = RetryTests.answer(503)) { self.failure = failure }

        func call() async -> Failure? {
            let step = Step<Int, Int> { [tries] input, _ throws(Failure) in
                _ = tries.next()
                guard self.isDown.withLock({ !$0 }) else { throw self.failure }
                return input
            }
            return await RetryNode(
                step, policy: RetryPolicy(retries: 2), within: limit, jitter: .none, clock: clock, wallClock: .system
            ).failure(1)
        }

        /// A call that fails after all its waits.
        func callInVain() async {
            async let failure = call()
            for wait in [2, 4] {
                await clock.sleepers(1)
                clock.advance(by: .seconds(wait))
            }
            #expect(await failure?.status == 503)
        }
    }

    @Test func `after two retries in vain no call is tried again until one succeeds`() async {
        let origin = Origin()
        await origin.callInVain()
        #expect(origin.tries.count == 3)
        for _ in 0..<5 { await origin.callInVain() }
        #expect(origin.tries.count == 8)

        origin.isDown.withLock { $0 = false }
        #expect(await origin.call() == nil)
        origin.isDown.withLock { $0 = true }
        await origin.callInVain()
        #expect(origin.tries.count == 12)
    }

    @Test func `all calls that a short fault has met are tried again, once two of them succeed`() async {
        let origin = Origin()
        let calls = (0..<9).map { _ in Task { await origin.call() } }
        await origin.clock.sleepers(9)
        origin.isDown.withLock { $0 = false }
        origin.clock.advance(by: .seconds(2))
        // Those that found no retry left wait once more, unless the first two were fast enough.
        let others = Task {
            while !Task.isCancelled {
                await origin.clock.sleepers(1)
                origin.clock.advance(by: .seconds(4))
            }
        }
        for call in calls { #expect(await call.value == nil) }
        others.cancel()
        await others.value
        #expect(origin.tries.count == 18)
    }

    @Test func `a retry for which the origin asks is none of them`() async {
        let origin = Origin(failure: RetryTests.answer(429, retryAfter: "3"))
        let calls = (0..<9).map { _ in Task { await origin.call() } }
        await origin.clock.sleepers(9)
        origin.isDown.withLock { $0 = false }
        origin.clock.advance(by: .seconds(3))
        for call in calls { #expect(await call.value == nil) }
    }

    @Test func `a cancelled call takes no retry from others`() async {
        let origin = Origin()
        let call = Task { await origin.call() }
        await origin.clock.sleepers(1)
        call.cancel()
        #expect(await call.value?.reason == .cancelled)
        await origin.callInVain()
        #expect(origin.tries.count == 4)
    }
}
