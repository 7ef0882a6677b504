// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@Suite struct EarlyRefreshTests {
    @Test(
        arguments: [
            (nil, 900, ["1"]), (.zero, 1_000, ["2"]), (.zero, 1_001, ["1"]), (.seconds(60), 1_060, ["2"]),
            (.seconds(60), 1_061, ["1"]), (.seconds(60), nil, ["1"]),
        ] as [(Duration?, Double?, [String])])
    func `a token that is known to end soon is renewed before the call, by choice`(
        _ early: Duration?, _ end: Double?, _ bearers: [String]
    ) async {
        let bench = AccessBench(early: early, expiresAt: end) { asked in
            asked.request.path == "/token" ? nil : .text("{}")
        }
        #expect(await bench.chain.failure("/") == nil)
        #expect(bench.bearers == bearers)
    }

    @Test func `a hundred calls with a token that has ended make one refresh and no 401`() async {
        let bench = AccessBench(early: .zero, expiresAt: 900)
        #expect(await bench.failures(100).allSatisfy { $0 == nil })
        #expect(bench.tokenRequests == 1)
        #expect(bench.bearers == Array(repeating: "2", count: 100))
    }

    @Test func `where an early refresh fails the old token is sent until its end`() async {
        let now = Box(1_000.0)
        let bench = AccessBench(early: .seconds(60), expiresAt: 1_030, now: now) { asked in
            asked.request.path == "/token" ? .failure(Failure(.noInternetConnection, phase: .notSent)) : .text("{}")
        }
        #expect(await bench.failures(10).allSatisfy { $0 == nil })
        #expect(await bench.chain.failure("/") == nil)
        #expect(bench.tokenRequests == 1)
        now.value = 1_030
        #expect(await bench.chain.failure("/")?.reason == .noInternetConnection)
        #expect(bench.tokenRequests == 2)
        #expect(bench.bearers == Array(repeating: "1", count: 11))
    }

    @Test func `a refresh token from the configuration is turned into the first access token`() async throws {
        let (origin, store) = (RotatingTokenOrigin(), InMemoryCredentialStore())
        let transport = ScriptedTransport { origin.answer($0) }
        let refreshToken = origin.grant.refreshToken
        var access = AccessSettings(
            account: "tracker", store: store,
            refresher: TokenRefresherNode(AccessBench.refresh(transport), clock: ManualClock()))
        access.initial = { Credential(accessToken: "", refreshToken: refreshToken, generation: 0) }
        let safety = AccessSafety(access)
        #expect(await AccessBench.chain(transport, safety).failure("/") == nil)
        #expect(await AccessBench.chain(transport, safety).failure("/") == nil)
        #expect(origin.refreshes == 1)
        #expect(try await store.credential(of: "tracker")?.generation == 1)
    }
}
