// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct AccessSafeNodeTests {
    @Test func `a good token is sent with each call, and nothing is refreshed`() async {
        let bench = AccessBench()
        #expect(await bench.failures(3).allSatisfy { $0 == nil })
        #expect(bench.bearers == ["1", "1", "1"])
        #expect(bench.tokenRequests == 0)
    }

    @Test func `a hundred calls with a spent token make one refresh and all succeed`() async throws {
        let hold = ManualClock()
        let bench = AccessBench { asked in
            // All are under way before the first is refused.
            if asked.request.headerFields[.authorization] == "Bearer s3cret-access-1" {
                try? await hold.sleep(for: .seconds(1))
            }
            return nil
        }
        bench.origin.expire()
        async let failures = bench.failures(100)
        await hold.sleepers(100)
        hold.advance(by: .seconds(1))
        #expect(await failures.allSatisfy { $0 == nil })
        #expect(bench.tokenRequests == 1)
        #expect(bench.origin.reuses == 0)
        #expect(bench.bearers.count { $0 == "1" } == 100)
        #expect(bench.bearers.count { $0 == "2" } == 100)
        #expect(try await bench.stored?.generation == 2)
        #expect(try await bench.stored?.expiresAt == 4_600)
    }

    @Test func `new calls wait while a refresh runs, and are sent with its token`() async {
        let hold = ManualClock()
        let bench = AccessBench { asked in
            if asked.request.path == "/token" { try? await hold.sleep(for: .seconds(1)) }
            return nil
        }
        bench.origin.expire()
        async let first = bench.chain.failure("/first")
        await hold.sleepers(1)
        async let others = bench.failures(20)
        await bench.waiting(21)
        #expect(bench.bearers == ["1"])
        hold.advance(by: .seconds(1))
        #expect(await first == nil)
        #expect(await others.allSatisfy { $0 == nil })
        #expect(bench.bearers == Array(repeating: "2", count: 22).with("1", at: 0))
        #expect(bench.tokenRequests == 1)
    }

    @Test func `a late 401 with an older generation only makes the call again`() async throws {
        let hold = ManualClock()
        let bench = AccessBench { asked in
            if asked.request.path == "/late" { try? await hold.sleep(for: .seconds(1)) }
            return nil
        }
        bench.origin.expire()
        async let late = bench.chain.failure("/late")
        await hold.sleepers(1)
        #expect(await bench.chain.failure("/early") == nil)
        #expect(bench.tokenRequests == 1)
        hold.advance(by: .seconds(1))
        await hold.sleepers(1)
        hold.advance(by: .seconds(1))
        #expect(await late == nil)
        #expect(bench.tokenRequests == 1)
        #expect(try await bench.stored?.generation == 2)
    }

    @Test func `a second 401 after the refresh ends the call`() async throws {
        let bench = AccessBench { asked in asked.request.path == "/token" ? nil : .status(.unauthorized) }
        let failure = try #require(await bench.chain.failure("/"))
        #expect(failure.reason.name == "unauthorized")
        #expect(failure.phase == .answered)
        #expect(failure.retention(of: .fetch) == .signIn)
        #expect(failure.description.contains("renewed credential of 'tracker'"))
        #expect(bench.bearers == ["1", "2"])
        #expect(bench.tokenRequests == 1)
    }

    @Test func `another status does not refresh the token, unless the source says so`() async {
        let forbidding: @Sendable (ScriptedTransport.Request) async -> ScriptedAnswer? = { asked in
            asked.request.headerFields[.authorization] == "Bearer s3cret-access-1" ? .status(.forbidden) : nil
        }
        let strict = AccessBench(forbidding)
        #expect(await strict.chain.failure("/")?.reason == .http(HTTPFailure(status: 403)))
        #expect(strict.tokenRequests == 0)
        let lenient = AccessBench(statuses: [401, 403], forbidding)
        #expect(await lenient.chain.failure("/") == nil)
        #expect(lenient.bearers == ["1", "2"])
    }

    @Test func `a status that the source takes for a refused credential wants a sign-in where it comes again`()
        async throws
    {
        let bench = AccessBench(statuses: [401, 403]) { asked in
            asked.request.path == "/token" ? nil : .status(.forbidden)
        }
        let failure = try #require(await bench.chain.failure("/"))
        #expect(failure.reason == .http(HTTPFailure(status: 403)) && failure.underlying is CredentialRefusal)
        #expect(failure.retention(of: .fetch) == .signIn)
        #expect(failure.retention(of: .write(resendable: false)) == .signIn)
        #expect(failure.description.contains("renewed credential of 'tracker'"))
        #expect(bench.bearers == ["1", "2"] && bench.tokenRequests == 1)
    }

    @Test func `a write is sent again whole, with a new streamed body`() async {
        let bench = AccessBench()
        bench.origin.expire()
        let write = RequestRouterNode<Int> { _ in
            RequestDraft(
                route: RequestRoute(.post, try HTTPURL("https://api.example.com/issues")),
                body: .stream(length: 6) {
                    let rest = Counter()
                    return { rest.next() <= 3 ? Array("ab".utf8) : nil }
                })
        }
        .then(RequestCreatorNode(providers: [AccessTokenProvider()])).then(AccessBench.answer(bench.transport))
        .accessSafe(bench.safety)
        #expect(await write.failure(1) == nil)
        let sent = bench.transport.requests.filter { $0.request.path == "/issues" }
        #expect(sent.map { String(decoding: $0.body, as: UTF8.self) } == ["ababab", "ababab"])
    }

    @Test func `a refresh that is sent through the same safety is let through`() async {
        let (origin, transports) = (RotatingTokenOrigin(), Counter())
        let grant = origin.grant
        let store = InMemoryCredentialStore([
            "tracker": Credential(accessToken: grant.accessToken, refreshToken: grant.refreshToken)
        ])
        let transport = ScriptedTransport { asked in
            if asked.request.path == "/token" { transports.next() }
            return origin.answer(asked)
        }
        let box = Box<AccessSafety>()
        let safety = AccessSafety(
            AccessSettings(
                account: "tracker", store: store,
                refresher: TokenRefresherNode(clock: ManualClock()) { spent, context in
                    guard let safety = box.value else { throw CancellationError() }
                    return try await AccessBench.refresh(transport).accessSafe(safety).process(spent, context)
                }))
        box.value = safety
        origin.expire()
        #expect(await AccessBench.chain(transport, safety).failure("/") == nil)
        #expect(transports.count == 1)
    }

    @Test func `without a credential no request is made`() async throws {
        let transport = ScriptedTransport([])
        let safety = AccessSafety(
            AccessSettings(
                account: "tracker", store: InMemoryCredentialStore(),
                refresher: TokenRefresherNode(AccessBench.refresh(transport))))
        let failure = try #require(await AccessBench.chain(transport, safety).failure("/"))
        #expect(failure.reason == .credentialUnavailable)
        #expect(failure.description.contains("'tracker' is stored: sign in first"))
        #expect(transport.requests.isEmpty)
    }

    @Test func `it names the steps that it wraps`() {
        let bench = AccessBench()
        #expect(bench.chain.description.hasPrefix("AccessSafeNode(RequestRouterNode → RequestCreatorNode → "))
    }
}

extension Array {
    fileprivate func with(_ element: Element, at index: Int) -> [Element] {
        var changed = self
        changed[index] = element
        return changed
    }
}
