// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
public import SidingChain
internal import SidingSynchronization

/// Gets access tokens for sources that sign in, stores them in files and refreshes them. A source has one file, which all processes with
/// the same directory share: a token that one of them gets is used by all, and only one refreshes it.
public final class SignIns: Sendable {
    private let kept: KeptSignIns
    private let transports: any TransportFactory
    private let environment: RuntimeEnvironment
    private let made = Mutex<[String: AccessSafety]>([:])

    /// - Parameters:
    ///   - directory: of the token files; it is created with mode 0700.
    ///   - transports: makes the transport of a source, which also sends the requests for its tokens.
    ///   - environment: the clocks, the randomness and the logger.
    public init(
        directory: String, transports: any TransportFactory, environment: RuntimeEnvironment
    ) {
        kept = KeptSignIns(directory: directory)
        (self.transports, self.environment) = (transports, environment)
    }

    /// `authorization` with access to the tokens of `source`; unchanged if it needs none, such as a fixed API key.
    ///
    /// - Parameters:
    ///   - source: the name of the source. Its first call makes the access; later calls return the same one.
    ///   - baseURL: of the source. Its tokens are for this origin, and the path of a log-in is relative to it.
    ///   - headerFields: of all requests to the source; a log-in sends them too.
    ///   - settings: of the source's transport.
    package func signedIn(
        _ authorization: Authorization, of source: String, at baseURL: HTTPURL, headerFields: HTTPFields,
        _ settings: TransportSettings
    ) -> Authorization {
        guard case .signIn(var signIn) = authorization else { return authorization }
        signIn.access = made.withLock { made in
            if let safety = made[source] { return safety }
            let request = SignInRequest(
                signIn: signIn, baseURL: baseURL, headerFields: headerFields,
                transport: transports.transport(for: source, settings), environment: environment)
            let safety = safety(of: source, request)
            made[source] = safety
            return safety
        }
        return .signIn(signIn)
    }

    /// Waits for refreshes that are under way. Call it before the process exits: the origin may already have replaced the stored token
    /// by the one in the answer.
    public func waitForRefresh() async {
        for safety in made.withLock({ Array($0.values) }) { await safety.waitForRefresh() }
    }

    private func safety(of source: String, _ request: SignInRequest) -> AccessSafety {
        let signIn = request.signIn
        let store = SignInStore(
            signIn, origin: request.baseURL.origin, files: kept.files, wallClock: environment.wallClock)
        let (clock, wallClock) = (environment.clock, environment.wallClock)
        var refresher = TokenRefresherNode(clock: clock, wallClock: wallClock) { spent, context in
            try await request.grant(spent, context)
        }
        refresher.refusalWords = signIn.refusalWords
        var access = AccessSettings(account: source, store: store, refresher: refresher)
        access.gate = SignInGate(gate: kept.gate(clock), store: store)
        (access.statuses, access.early, access.token) = (signIn.statuses, signIn.early, signIn.token)
        (access.clock, access.wallClock) = (clock, wallClock)
        return AccessSafety(access)
    }
}
