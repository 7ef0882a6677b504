// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct RetryTests {
    static func answer(_ status: Int, retryAfter: String? = nil) -> Failure {
        var fields = HTTPFields()
        fields[.retryAfter] = retryAfter
        return Failure(.http(HTTPFailure(status: status, headerFields: fields)), phase: .answered)
    }

    @Test func `waiting doubles up to its cap`() {
        let backoff = Backoff()
        #expect(
            (1...13).map { backoff.ceiling(after: $0) }
                == [
                    2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600,
                ].map { .seconds($0) })
        #expect(backoff.ceiling(after: 0) == .seconds(2))
        #expect(backoff.ceiling(after: .max) == .seconds(3600))
        #expect(Backoff(cap: .seconds(2)).ceiling(after: .max) == .seconds(2))
        #expect(Backoff(base: .zero).ceiling(after: .max) == .zero)
    }

    @Test func `jitter spreads over the whole wait`() {
        let jitter = Jitter.seeded(1)
        let waits = (0..<10_000).map { _ in Backoff().wait(after: 5, jitter: jitter) }
        #expect(waits.allSatisfy { (.zero..<Duration.seconds(32)).contains($0) })
        for second in 0..<32 {
            let count = waits.count { (.seconds(second)..<Duration.seconds(second + 1)).contains($0) }
            #expect((200..<450).contains(count), "second \(second): \(count)")
        }
        #expect(Backoff().wait(after: 3, jitter: .none) == .seconds(8))
    }

    @Test func `only what may pass within seconds is tried again at once`() {
        let tried: [Failure] = [
            Self.answer(502), Self.answer(503), Self.answer(504), Self.answer(429, retryAfter: "5"),
            Self.answer(503, retryAfter: "0"),
            Failure(.connectionLost, phase: .maybeSent), Failure(.notProcessed, phase: .notSent),
            Failure(.truncated, phase: .answered),
        ]
        let left: [Failure] = [
            Self.answer(500), Self.answer(429), Self.answer(404), Self.answer(503, retryAfter: "6"), Self.answer(501),
            Failure(.noInternetConnection, phase: .notSent), Failure(.cantConnectToHost(.refused), phase: .notSent),
            Failure(.temporaryDNS, phase: .notSent), Failure(.hostNotFound, phase: .notSent),
            Failure(.timeout(.total), phase: .maybeSent), Failure(.cancelled, phase: .notSent),
        ]
        for failure in tried { #expect(Self.wait(failure) != nil, "\(failure)") }
        for failure in left { #expect(Self.wait(failure) == nil, "\(failure)") }
    }

    @Test func `a request that may not be sent twice is not tried again once it may have been sent`() {
        #expect(Self.wait(Failure(.connectionLost, phase: .maybeSent), isResendable: false) == nil)
        #expect(Self.wait(Self.answer(503), isResendable: false) == nil)
        #expect(Self.wait(Failure(.connectionLost, phase: .notSent), isResendable: false) != nil)
    }

    @Test func `the wait is the origin's Retry-After, else the backoff, at most five seconds`() {
        #expect(Self.wait(Self.answer(503, retryAfter: "3")) == .seconds(3))
        #expect(Self.wait(Self.answer(502)) == .seconds(2))
        let slow = RetryPolicy(retries: 9, backoff: Backoff(base: .seconds(60)))
        #expect(slow.wait(after: 1, Self.answer(502), isResendable: true, jitter: .none, now: 0) == .seconds(5))
        #expect(
            RetryPolicy(retries: 0).wait(after: 1, Self.answer(502), isResendable: true, jitter: .none, now: 0) == nil)
    }

    @Test(arguments: ["0", "0.0", "1", "0.25", "Thu, 01 Jan 1970 00:00:00 GMT"])
    func `a wait that the origin sets below the backoff counts as none`(value: String) {
        #expect(Self.wait(Self.answer(503, retryAfter: value)) == .seconds(2))
        #expect(Self.wait(Self.answer(429, retryAfter: value)) == nil)
        let hasty = RetryPolicy().wait(
            after: 1, Self.answer(503, retryAfter: "1"), isResendable: true, jitter: Jitter { 0 }, now: 0)
        #expect(hasty == .seconds(1), "it is no shorter either")
        let second = RetryPolicy().wait(
            after: 2, Self.answer(429, retryAfter: "3"), isResendable: true, jitter: .none, now: 0)
        #expect(second == nil, "the backoff has grown past it")
    }

    @Test func `the backoff after a call continues where its retries ended`() {
        func base(_ failure: Failure, retries: Int = 2, isResendable: Bool = true) -> Duration {
            RetryPolicy(retries: retries).backoff(after: failure, isResendable: isResendable, now: 0).base
        }
        #expect(base(Self.answer(503, retryAfter: "0")) == .seconds(8))
        #expect(base(Self.answer(503, retryAfter: "0"), retries: 0) == .seconds(2))
        #expect(base(Self.answer(503, retryAfter: "0"), isResendable: false) == .seconds(2))
        #expect(base(Self.answer(429, retryAfter: "0")) == .seconds(2))
        #expect(base(Self.answer(503, retryAfter: "60")) == .seconds(2))
    }

    @Test func `the node makes its number of tries and waits in between`() async throws {
        let (clock, tries) = (ManualClock(), Counter())
        let flaky = Step<Int, Int> { input, _ throws(Failure) in
            guard tries.next() > 2 else { throw Self.answer(503) }
            return input
        }
        async let answer = flaky.retry(RetryPolicy(retries: 2), jitter: .none, clock: clock).process(7, .test)
        await clock.sleepers(1)
        #expect(clock.waits == [.seconds(2)])
        clock.advance(by: .seconds(2))
        await clock.sleepers(1)
        #expect(clock.waits == [.seconds(4)])
        clock.advance(by: .seconds(4))
        #expect(try await answer == 7)
        #expect(tries.count == 3)
    }

    @Test func `the failure of the last try is the call's failure`() async {
        let (clock, tries) = (ManualClock(), Counter())
        let broken = Step<Int, Int> { _, _ throws(Failure) in throw Self.answer(501 + tries.next()) }
        async let failure = broken.retry(RetryPolicy(retries: 1), jitter: .none, clock: clock).failure(1)
        await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        #expect(await failure?.reason == Self.answer(503).reason)
        #expect(tries.count == 2)
    }

    @Test(
        arguments: [
            answer(503), Failure(.connectionLost, phase: .maybeSent), Failure(.notProcessed, phase: .notSent),
        ])
    func `cancelling while it waits is a cancellation, in the phase that the request had reached`(
        _ last: Failure
    ) async {
        let clock = ManualClock()
        let broken = Step<Int, Int> { _, _ throws(Failure) in throw last.at(node: "n", method: "PUT", url: "http://a/")
        }
        let call = Task { await broken.retry(RetryPolicy(), jitter: .none, clock: clock).failure(1) }
        await clock.sleepers(1)
        call.cancel()
        let failure = await call.value
        #expect(failure?.reason == .cancelled)
        #expect(failure?.phase == last.phase)
        #expect((failure?.node, failure?.method, failure?.url) == ("RetryNode", "PUT", "http://a/"))
        #expect(failure?.detail?.contains(last.reason.name) == true)
    }

    @Test func `a request that one try may have sent is never reported as not sent`() async {
        let (clock, tries) = (ManualClock(), Counter())
        let worse = Step<Int, Int> { _, _ throws(Failure) in
            throw tries.next() == 1
                ? Failure(.connectionLost, phase: .maybeSent) : Failure(.notProcessed, phase: .notSent)
        }
        let retrying = worse.retry(RetryPolicy(retries: 2), jitter: .none, clock: clock)
        let call = Task { await retrying.failure(1) }
        await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        await clock.sleepers(1)
        call.cancel()
        #expect(await call.value?.phase == .maybeSent)
        let last = Step<Int, Int> { _, _ throws(Failure) in
            throw tries.next() == 3
                ? Failure(.connectionLost, phase: .maybeSent) : Failure(.temporaryDNS, phase: .notSent)
        }
        let policy = RetryPolicy(retries: 2, backoff: Backoff(base: .zero))
        let failure = await last.retry(policy, jitter: .none, clock: clock).failure(1)
        #expect(failure?.reason == .temporaryDNS)
        #expect(failure?.phase == .maybeSent)
    }

    static func wait(_ failure: Failure, isResendable: Bool = true) -> Duration? {
        RetryPolicy().wait(after: 1, failure, isResendable: isResendable, jitter: .none, now: 0)
    }
}
