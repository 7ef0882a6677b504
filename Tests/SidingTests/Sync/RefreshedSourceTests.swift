// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingCredentials
import SidingJSON
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct RefreshedSourceTests {
    /// The origin's pages, for those who are signed in.
    struct Guarded: TransportFactory {
        let tokens: RotatingTokenOrigin
        let pages: ScriptedOrigin
        /// How the origin words its 401, where it has a way of its own.
        var refusal: ScriptedAnswer?

        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            let inner = pages.transport(for: account, settings)
            return Door(tokens: tokens, inner: inner, refusal: refusal)
        }
    }

    struct Door: Transport {
        let tokens: RotatingTokenOrigin
        let inner: any Transport
        let refusal: ScriptedAnswer?

        func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
            let door = ScriptedTransport { tokens.answer($0) }
            let reply = try await door.send(request, body: body)
            if let refusal, reply.response.status == .unauthorized {
                return try await ScriptedTransport { _ in refusal }.send(request, body: body)
            }
            guard reply.response.status == .ok, request.path != "/token" else { return reply }
            return try await inner.send(request, body: body)
        }
    }

    private func sync(
        _ bench: EngineBench, _ tokens: RotatingTokenOrigin, grace: any Clock<Duration> = ManualClock(),
        refusal: ScriptedAnswer? = nil,
        _ beforeGrant: @escaping @Sendable () async -> Void = {}
    ) async throws -> SyncReport {
        let transports = Guarded(tokens: tokens, pages: bench.origin, refusal: refusal)
        let door = transports.transport(for: "", TransportSettings())
        let refresher = TokenRefresherNode { spent, _ in
            let form = EncodedBody.bytes(Array("refresh_token=\(spent.refreshToken ?? "")".utf8))
            let url = try HTTPURL("https://api.example.org/token")
            let reply = try await door.send(url.request(.post, headerFields: [:]), body: form)
            guard reply.response.status == .ok else { throw RefreshRefusal("invalid_grant") }
            await beforeGrant()
            return try TokenGrant(parsing: try await reply.body.collect(upTo: 65_536))
        }
        let safety = AccessSafety(
            AccessSettings(account: "blog", store: store, refresher: refresher).with(\.clock, grace))
        var resource = bench.resource
        resource.source.authorization = .refreshed(safety)
        let engine = bench.engine(over: transports)
        return try await engine.sync(resource)
    }

    private let store = InMemoryCredentialStore()

    private func signIn(_ tokens: RotatingTokenOrigin) async throws {
        let grant = tokens.grant
        try await store.save(
            Credential(accessToken: grant.accessToken, refreshToken: grant.refreshToken), of: "blog")
    }

    @Test func `a sync whose token has expired renews it once and continues`() async throws {
        let bench = try await EngineBench()
        let tokens = RotatingTokenOrigin()
        try await signIn(tokens)
        tokens.expire()
        #expect(try await sync(bench, tokens).result.outcome == .saved)
        #expect(tokens.refreshes == 1)
        #expect(try await !bench.keys().isEmpty)
    }

    @Test(arguments: [HTTPResponse.Status.badRequest, .ok])
    func `a token that the origin refuses with its own message is renewed where a rule says so`(
        _ status: HTTPResponse.Status
    ) async throws {
        var bench = try await EngineBench()
        let told = FailureRule.Trait(at: JSONPath(member: "error"), .equals("token_expired"))
        bench.resource.source.failureRules = [try FailureRule(when: .answer(.init(body: told)), do: .refreshToken)]
        let tokens = RotatingTokenOrigin()
        try await signIn(tokens)
        tokens.expire()
        let refusal = ScriptedAnswer.text(#"{"error":"token_expired"}"#, status: status)
        #expect(try await sync(bench, tokens, refusal: refusal).result.outcome == .saved)
        #expect(tokens.refreshes == 1)
    }

    @Test func `a refused refresh fails the sync and closes the gate of the source until an operator signs in`()
        async throws
    {
        let bench = try await EngineBench()
        let tokens = RotatingTokenOrigin()
        try await signIn(tokens)
        tokens.revoke()
        let report = try await sync(bench, tokens)
        #expect(report.result.outcome == .failed)
        #expect(report.failure?.reason.name == "unauthorized")
        #expect(try await bench.store.gates().map(\.reason) == [.signIn])
        #expect(try await bench.keys().isEmpty)
    }

    @Test func `a sync that is cancelled while its token is renewed ends when the new one is saved`()
        async throws
    {
        let bench = try await EngineBench()
        let (tokens, hold, grace) = (RotatingTokenOrigin(), ManualClock(), ManualClock())
        try await signIn(tokens)
        tokens.expire()
        let syncing = Task { try await sync(bench, tokens, grace: grace) { try? await hold.sleep(for: .seconds(1)) } }
        await hold.sleepers(1)
        syncing.cancel()
        // Nobody waits for the token any more.
        await grace.sleepers(1)
        let ended = Task {
            let report = try await syncing.value
            return (report, try await store.credential(of: "blog")?.generation)
        }
        for _ in 0..<10_000 { await Task.yield() }
        hold.advance(by: .seconds(1))
        let (report, generation) = try await ended.value
        #expect(report.failure?.reason == .cancelled)
        #expect(generation == 2)
    }
}
