// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

/// A refresh request that does not heed its cancellation: whoever waits is told in time all the same.
@Suite(.timeLimit(.minutes(5))) struct DeafRefreshTests {
    @Test func `all waiting calls fail soon after the limit, and the late token is saved`() async throws {
        let (limit, hold, gate) = (ManualClock(), ManualClock(), Gate())
        let bench = AccessBench(limitClock: limit) { asked in
            if asked.request.path == "/token" { await gate.passDeaf() } else { try? await hold.sleep(for: .seconds(1)) }
            return nil
        }
        bench.origin.expire()
        async let failures = bench.failures(10)
        // All are under way before the first is refused.
        await hold.sleepers(10)
        hold.advance(by: .seconds(1))
        await gate.reached()
        await limit.sleepers(1)
        limit.advance(by: .seconds(30))
        await limit.sleepers(1)
        #expect(limit.waits == [.seconds(5)])
        limit.advance(by: .seconds(5))
        for failure in await failures {
            #expect(failure?.reason == .timeout(.total))
            #expect(failure?.phase == .notSent)
            #expect(failure?.detail?.contains("did not end within 5") == true)
        }
        // The endpoint may be about to answer: no second request goes out with a token that is good for one.
        async let next = bench.chain.failure("/next")
        await hold.sleepers(1)
        hold.advance(by: .seconds(1))
        let told = await next
        #expect(told?.reason == .timeout(.total))
        #expect(told?.detail?.contains("has not ended yet") == true)
        #expect(bench.tokenRequests == 1)
        gate.open()
        while try await bench.stored?.generation == 1 { await Task.yield() }
        #expect(try await bench.stored?.accessToken == "s3cret-access-2")
        async let last = bench.chain.failure("/last")
        await hold.sleepers(1)
        hold.advance(by: .seconds(1))
        #expect(await last == nil)
        #expect((bench.tokenRequests, bench.origin.reuses) == (1, 0))
    }

    @Test func `once it has failed after all, a later call tries again`() async throws {
        let (limit, gate, asked) = (ManualClock(), Gate(), Counter())
        let safety = Self.safety(limit) { _, _ in
            guard asked.next() == 1 else { return TokenGrant(accessToken: "new") }
            await gate.passDeaf()
            throw Failure(.connectionLost, phase: .maybeSent)
        }
        let chain = Self.chain(safety)
        async let first = chain.failure(1)
        await gate.reached()
        await Self.pass(limit)
        #expect(await first?.reason == .timeout(.total))
        #expect(await chain.failure(2)?.detail?.contains("has not ended yet") == true)
        gate.open()
        while await chain.failure(3) != nil { await Task.yield() }
        #expect(asked.count == 2)
    }

    @Test func `a sign-in meanwhile is not held up, and the late token does not take its place`() async throws {
        let (limit, gate, answered) = (ManualClock(), Gate(), Counter())
        let store = InMemoryCredentialStore([
            "tracker": Credential(accessToken: "old", refreshToken: "r1")
        ])
        let safety = Self.safety(limit, store) { _, _ in
            await gate.passDeaf()
            defer { answered.next() }
            return TokenGrant(accessToken: "late")
        }
        let chain = Self.chain(safety)
        async let first = chain.failure(1)
        await gate.reached()
        await Self.pass(limit)
        #expect(await first?.reason == .timeout(.total))
        try await safety.signIn(TokenGrant(accessToken: "mine"))
        #expect(await chain.failure(2) == nil)
        gate.open()
        while answered.count == 0 { await Task.yield() }
        await settle()
        #expect(try await store.credential(of: "tracker")?.accessToken == "mine")
    }

    @Test func `a refresh without a waiting call ends in bounded time too`() async throws {
        let (limit, grace, gate) = (ManualClock(), ManualClock(), Gate())
        let safety = Self.safety(limit, grace: grace) { _, _ in
            await gate.passDeaf()
            return TokenGrant(accessToken: "late")
        }
        let chain = Self.chain(safety)
        let call = Task { await chain.failure(1) }
        await gate.reached()
        call.cancel()
        #expect(await call.value?.reason == .cancelled)
        await grace.sleepers(1)
        grace.advance(by: .seconds(5))
        while limit.waits.first != .seconds(5) { await Task.yield() }
        limit.advance(by: .seconds(5))
        await safety.waitForRefresh()
        gate.open()
    }

    private static func safety(
        _ limit: ManualClock,
        _ store: InMemoryCredentialStore = InMemoryCredentialStore([
            "tracker": Credential(accessToken: "old", refreshToken: "r1")
        ]),
        grace: ManualClock = ManualClock(),
        _ request: @escaping @Sendable (Credential, ChainContext) async throws -> TokenGrant
    ) -> AccessSafety {
        AccessSafety(
            AccessSettings(account: "tracker", store: store, refresher: TokenRefresherNode(clock: limit, request))
                .with(\.clock, grace))
    }

    /// What takes every access token but the old one.
    private static func chain(_ safety: AccessSafety) -> some Node<Int, Int> {
        Step<Int, Int> { input, context throws(Failure) in
            guard context.credential?.accessToken != "old" else {
                throw Failure(.http(HTTPFailure(status: 401)), phase: .answered)
            }
            return input
        }
        .accessSafe(safety)
    }

    /// The limit of a refresh, and then the time in which it is to wind down.
    private static func pass(_ limit: ManualClock) async {
        await limit.sleepers(1)
        limit.advance(by: .seconds(30))
        await limit.sleepers(1)
        limit.advance(by: .seconds(5))
    }
}

extension Gate {
    /// Waits for the gate as code does that does not heed its cancellation.
    func passDeaf() async {
        await Task { await pass() }.value
    }
}
