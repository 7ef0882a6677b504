// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingNodes
import SidingTesting
import Testing

/// How a refresh fails: for all who wait, once, and without a storm.
@Suite(.timeLimit(.minutes(5))) struct FailedRefreshTests {
    @Test(arguments: [400, 401, 403])
    func `a refused refresh fails a hundred calls with one request, and the source is gated`(_ status: Int) async throws
    {
        let hold = ManualClock()
        let bench = AccessBench { asked in
            if asked.request.path == "/token" {
                return .text("s3cret body", status: HTTPResponse.Status(code: status))
            }
            try? await hold.sleep(for: .seconds(1))
            return .status(.unauthorized)
        }
        async let failures = bench.failures(100)
        await hold.sleepers(100)
        hold.advance(by: .seconds(1))
        for failure in await failures {
            let failure = try #require(failure)
            #expect(failure.reason.name == "unauthorized")
            #expect(failure.retention(of: .write(resendable: false)) == .signIn)
            #expect(failure.description.contains("'tracker' (generation 1)"))
            #expect(failure.description.contains("refused: \(status)") && failure.description.contains("sign in again"))
            #expect(failure.underlying is RefreshRefusal)
        }
        #expect(bench.tokenRequests == 1)
        #expect(bench.bearers.count == 100)
        // Gated: not even a request.
        let later = try #require(await bench.chain.failure("/later"))
        #expect(later.reason.name == "unauthorized")
        #expect(later.phase == .notSent)
        #expect(bench.transport.requests.count == 101)
    }

    @Test func `where the next credential could not be saved, no request is sent to the token endpoint`() async throws {
        let bench = AccessBench(hasRoom: false)
        bench.origin.revoke()
        let failure = try #require(await bench.chain.failure("/"))
        #expect(failure.reason == .localResource && failure.phase == .notSent)
        #expect(bench.tokenRequests == 0)
    }

    @Test func `the gate opens when the credential changes`() async throws {
        let bench = AccessBench()
        bench.origin.revoke()
        #expect(await bench.chain.failure("/")?.reason.name == "unauthorized")
        #expect(await bench.chain.failure("/")?.reason.name == "unauthorized")
        #expect(bench.tokenRequests == 1)
        let credential = try await bench.safety.signIn(bench.origin.signIn())
        #expect(credential.generation == 2)
        #expect(await bench.chain.failure("/") == nil)
        #expect(bench.tokenRequests == 1)
    }

    @Test func `a sign-in takes nothing over but the count`() async throws {
        let bench = AccessBench()
        let credential = try await bench.safety.signIn(TokenGrant(accessToken: "other"))
        #expect(credential == Credential(accessToken: "other", generation: 2))
        #expect(try await bench.stored == credential)
    }

    @Test func `invalid_grant is a refusal under any status, and a closure may declare other refusals`() async {
        let odd = AccessBench { asked in
            asked.request.path == "/token"
                ? .text(#"{"error":"invalid_grant"}"#, status: .unprocessableContent) : .status(.unauthorized)
        }
        #expect(await odd.chain.failure("/")?.underlying is RefreshRefusal)
        let polite = AccessBench { asked in
            asked.request.path == "/token" ? .text(#"{"error":"bad_refresh_token"}"#) : .status(.unauthorized)
        }
        #expect(await polite.chain.failure("/")?.description.contains("bad_refresh_token") == true)
        #expect(await polite.chain.failure("/")?.phase == .notSent)
        #expect(polite.tokenRequests == 1)
    }

    @Test(arguments: ["server_error", "slow_down", "temporarily_unavailable"], [400, 401, 403, 503])
    func `an error that does not concern the credential does not count as a refusal: a later call tries again`(
        _ error: String, _ status: Int
    ) async throws {
        let isWell = Box(false)
        let bench = AccessBench { asked in
            guard asked.request.path == "/token", isWell.value != true else { return nil }
            return .text(#"{"error":"\#(error)"}"#, status: HTTPResponse.Status(code: status))
        }
        bench.origin.expire()
        let failure = try #require(await bench.chain.failure("/"))
        #expect(!(failure.underlying is RefreshRefusal))
        #expect(failure.reason == .http(HTTPFailure(status: status)))
        #expect(failure.phase == .notSent)
        isWell.value = true
        #expect(await bench.chain.failure("/") == nil)
        #expect(bench.tokenRequests == 2)
    }

    @Test(
        arguments: [
            #"{"access_token":"canary","refresh_token":"canary""#, #"{"access_token":7,"refresh_token":"canary"}"#,
            #"{"token":"canary"}"#, #"["canary"]"#, "canary", #"{"access_token":"","id_token":"canary"}"#,
        ], [200, 500])
    func `no answer of the token endpoint is quoted, regardless of its fault`(
        _ answer: String, _ status: Int
    ) async throws {
        let bench = AccessBench { asked in
            asked.request.path == "/token" ? .text(answer, status: HTTPResponse.Status(code: status)) : nil
        }
        bench.origin.expire()
        let failure = try #require(await bench.chain.failure("/"))
        #expect(failure.phase == .notSent)
        #expect(!String(reflecting: failure).contains("canary"))
        #expect(!"\(failure)".contains("canary"))
        // Nor where the refresh is a typed chain, whose errors quote what they could not read.
        struct Grant: Decodable, Sendable { var accessToken: String }
        let assembly = ChainAssembly(
            transport: ScriptedTransport { _ in .text(answer) }, connectivity: TestConnectivity())
        let token: Chain<Void, Grant> = try URLChainBuilder(assembly).route(.post, HTTPURL("http://a/token")).build()
        let safety = AccessSafety(
            AccessSettings(
                account: "tracker", store: bench.store,
                refresher: TokenRefresherNode(clock: ManualClock()) { _, _ in
                    TokenGrant(accessToken: try await token().accessToken)
                }))
        let typed = try #require(await AccessBench.chain(bench.transport, safety).failure("/"))
        #expect(!String(reflecting: typed).contains("canary"))
    }

    @Test func `a refresh without a network fails all calls as not sent, and a later call tries again`()
        async throws
    {
        let (hold, isOnline) = (ManualClock(), Box(false))
        let bench = AccessBench { asked in
            guard asked.request.path == "/token" else {
                if isOnline.value != true { try? await hold.sleep(for: .seconds(1)) }
                return nil
            }
            return isOnline.value == true ? nil : .failure(Failure(.noInternetConnection, phase: .notSent))
        }
        bench.origin.expire()
        async let failures = bench.failures(100)
        await hold.sleepers(100)
        hold.advance(by: .seconds(1))
        for failure in await failures {
            let failure = try #require(failure)
            #expect(failure.reason == .noInternetConnection)
            #expect(failure.phase == .notSent)
            #expect(failure.retention(of: .write(resendable: false)) == .keep(counted: false))
            #expect(failure.description.contains("while the credential of 'tracker' was renewed"))
        }
        #expect(bench.tokenRequests == 1)
        isOnline.value = true
        #expect(await bench.chain.failure("/") == nil)
        #expect(bench.tokenRequests == 2)
    }

    @Test func `a fault of the token endpoint keeps the request, and shows nothing of the answer`() async throws {
        let bench = AccessBench { asked in
            guard asked.request.path == "/token" else { return nil }
            return .text(
                "s3cret body", status: .serviceUnavailable, headerFields: [.retryAfter: "7", .location: "s3cret"])
        }
        bench.origin.expire()
        let failure = try #require(await bench.chain.failure("/"))
        #expect(failure.reason == .http(HTTPFailure(status: 503, headerFields: [.retryAfter: "7"])))
        #expect(failure.phase == .notSent)
        #expect(failure.retention(of: .write(resendable: false)) == .keep(counted: false))
        #expect(await bench.chain.failure("/") != nil)
        #expect(bench.tokenRequests == 2)
    }

    @Test func `a refresh is bounded in time`() async throws {
        let (clock, hold) = (ManualClock(), ManualClock())
        let bench = AccessBench(limitClock: clock) { asked in
            guard asked.request.path == "/token" else {
                // All are under way before the first is refused: who comes after the failure may try again.
                try? await hold.sleep(for: .seconds(1))
                return nil
            }
            do { try await clock.sleep(for: .seconds(3600)) } catch {}
            return .failure(Failure(.cancelled, phase: .maybeSent))
        }
        bench.origin.expire()
        async let failures = bench.failures(10)
        await hold.sleepers(10)
        hold.advance(by: .seconds(1))
        await clock.sleepers(2)
        #expect(clock.waits.first == .seconds(30))
        clock.advance(by: .seconds(30))
        for failure in await failures {
            #expect(failure?.reason == .timeout(.total))
            #expect(failure?.phase == .notSent)
        }
        #expect(bench.tokenRequests == 1)
    }

    @Test func `an answer that arrives as the time runs out is saved and used`() async throws {
        let (clock, origin) = (ManualClock(), Box<RotatingTokenOrigin>())
        let bench = AccessBench(limitClock: clock) { asked in
            guard asked.request.path == "/token" else { return nil }
            let answer = origin.value?.answer(asked)
            try? await clock.sleep(for: .seconds(3600))
            return answer
        }
        origin.value = bench.origin
        bench.origin.expire()
        async let failure = bench.chain.failure("/")
        await clock.sleepers(2)
        clock.advance(by: .seconds(30))
        #expect(await failure == nil)
        #expect(try await bench.stored?.accessToken == "s3cret-access-2")
    }

    @Test func `a refresh whose answer was lost is tried only once more, with the old token`() async {
        let (lost, origin) = (Counter(), Box<RotatingTokenOrigin>())
        let bench = AccessBench { asked in
            guard asked.request.path == "/token", lost.next() == 1 else { return nil }
            // The endpoint rotated; the line broke before its answer came.
            _ = origin.value?.answer(asked)
            return .failure(Failure(.connectionLost, phase: .maybeSent))
        }
        origin.value = bench.origin
        bench.origin.expire()
        let first = await bench.chain.failure("/")
        #expect(first?.reason == .connectionLost)
        #expect(first?.phase == .notSent)
        #expect(await bench.chain.failure("/")?.underlying is RefreshRefusal)
        #expect(await bench.chain.failure("/")?.underlying is RefreshRefusal)
        #expect(bench.tokenRequests == 2)
    }

    @Test func `a token that could not be saved is not used and not lost`() async throws {
        let (origin, saves) = (RotatingTokenOrigin(), Counter())
        let grant = origin.grant
        let store = FlakyStore(
            InMemoryCredentialStore([
                "tracker": Credential(accessToken: grant.accessToken, refreshToken: grant.refreshToken)
            ])
        ) { saves.next() == 1 ? Failure(.localResource, phase: .notSent, detail: "disk full") : nil }
        let transport = ScriptedTransport { origin.answer($0) }
        let safety = AccessSafety(
            AccessSettings(
                account: "tracker", store: store,
                refresher: TokenRefresherNode(AccessBench.refresh(transport), clock: ManualClock())))
        origin.expire()
        let failure = try #require(await AccessBench.chain(transport, safety).failure("/"))
        #expect(failure.reason == .localResource)
        #expect(failure.description.contains("disk full"))
        #expect(!transport.requests.contains { $0.request.headerFields[.authorization] == "Bearer s3cret-access-2" })
        #expect(await AccessBench.chain(transport, safety).failure("/") == nil)
        #expect((origin.refreshes, origin.reuses) == (1, 0))
        #expect(try await store.credential(of: "tracker")?.generation == 2)
    }

    @Test func `an error of the program's own is reported without the tokens that it quotes`() async throws {
        let origin = RotatingTokenOrigin()
        let grant = origin.grant
        let store = InMemoryCredentialStore([
            "tracker": Credential(accessToken: grant.accessToken, refreshToken: grant.refreshToken)
        ])
        let transport = ScriptedTransport { origin.answer($0) }
        let safety = AccessSafety(
            AccessSettings(
                account: "tracker", store: store,
                refresher: TokenRefresherNode(clock: ManualClock()) { spent, _ in
                    throw Failure(
                        .contract, phase: .answered,
                        detail: "no answer to \(spent.refreshToken ?? "") \(spent.accessToken)"
                    )
                }))
        origin.expire()
        let failure = try #require(await AccessBench.chain(transport, safety).failure("/"))
        #expect(failure.detail?.contains("no answer to … …") == true)
        #expect(!String(reflecting: failure).contains("s3cret"))
    }
}
