// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting

/// A source with a credential that rotates, and the chains that ask it.
struct AccessBench: Sendable {
    let origin = RotatingTokenOrigin()
    let store: InMemoryCredentialStore
    let transport: ScriptedTransport
    let safety: AccessSafety

    static let account = "tracker"

    /// - Parameters:
    ///   - answer: what becomes of a request; nil leaves it to the origin.
    ///   - limitClock: on which the refresh's time limit runs.
    ///   - graceClock: on which an abandoned refresh is waited for.
    ///   - expiresAt: the end of the stored access token, as `now` counts.
    init(
        statuses: Set<Int> = [401], early: Duration? = nil, limitClock: any Clock<Duration> = ManualClock(),
        graceClock: any Clock<Duration> = ManualClock(), expiresAt: Double? = nil,
        now: Box<Double> = Box(1_000), hasRoom: Bool = true,
        _ answer: @escaping @Sendable (ScriptedTransport.Request) async -> ScriptedAnswer? = { _ in nil }
    ) {
        let (origin, grant) = (origin, origin.grant)
        store = InMemoryCredentialStore([
            Self.account: Credential(
                accessToken: grant.accessToken, refreshToken: grant.refreshToken, expiresAt: expiresAt)
        ])
        transport = ScriptedTransport { asked in await answer(asked) ?? origin.answer(asked) }
        var settings = AccessSettings(
            account: Self.account,
            // As a store may that waits for something.
            store: FlakyStore(store, hasRoom: hasRoom) {
                Task.isCancelled ? Failure(.cancelled, phase: .notSent) : nil
            },
            refresher: TokenRefresherNode(
                Self.refresh(transport), clock: limitClock,
                wallClock: WallClock { Timestamp(secondsSince1970: now.value ?? 0) }))
        (settings.statuses, settings.early, settings.clock) = (statuses, early, graceClock)
        settings.wallClock = WallClock { Timestamp(secondsSince1970: now.value ?? 0) }
        safety = AccessSafety(settings)
    }

    /// The refresh request as a chain.
    static func refresh(_ transport: any Transport) -> some Node<Credential, TokenGrant> {
        RequestRouterNode<Credential> { spent in
            RequestDraft(
                route: RequestRoute(.post, try HTTPURL("https://api.example.com/token")),
                body: .bytes(Array("refresh_token=\(spent.refreshToken ?? "")".utf8)))
        }
        .then(RequestCreatorNode()).then(answer(transport)).map { try TokenGrant(parsing: $0.bytes ?? []) }
    }

    /// A chain that asks for the path that it is given, signed in.
    var chain: some Node<String, LoadedResponse> { Self.chain(transport, safety) }

    static func chain(_ transport: any Transport, _ safety: AccessSafety) -> some Node<String, LoadedResponse> {
        RequestRouterNode<String> {
            RequestDraft(route: RequestRoute(.get, try HTTPURL("https://api.example.com\($0)")))
        }
        .then(RequestCreatorNode(providers: [AccessTokenProvider()])).then(answer(transport)).accessSafe(safety)
    }

    static func answer(_ transport: any Transport) -> some Node<OutgoingRequest, LoadedResponse> {
        RequestSenderNode(transport).then(ResponseProcessorNode()).then(ResponseHTTPErrorProcessorNode())
            .then(ResponseDataPreprocessorNode()).then(ResponseDataLoaderNode())
    }

    /// The outcome of so many calls at once: nil for each that went well.
    func failures(_ count: Int) async -> [Failure?] {
        let chain = chain
        return await withTaskGroup(of: Failure?.self) { group in
            for number in 0..<count { group.addTask { await chain.failure("/\(number)") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Returns once so many calls wait for the running refresh.
    func waiting(_ count: Int) async {
        while safety.waitingCalls < count, !Task.isCancelled { await Task.yield() }
    }

    /// The credential that is stored now.
    var stored: Credential? {
        get async throws { try await store.credential(of: Self.account) }
    }

    /// How often the token endpoint was asked.
    var tokenRequests: Int { transport.requests.count { $0.request.path == "/token" } }

    /// What the other requests said who asks, in order.
    var bearers: [String] {
        transport.requests.filter { $0.request.path != "/token" }
            .map { String($0.request.headerFields[.authorization]?.split(separator: "-").last ?? "none") }
    }
}

/// Gives other tasks their turn, mostly often enough that whatever can go on has gone on: only before what must not happen.
func settle() async {
    for _ in 0..<10_000 { await Task.yield() }
}
