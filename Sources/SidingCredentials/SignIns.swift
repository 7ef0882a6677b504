package import HTTPTypes
public import SidingChain
internal import SidingSynchronization

/// Keeps sources signed in: one ``SidingChain/AccessSafety`` per source, over files that all processes with the same directory
/// share, so that they have one sign-in and refresh it once.
public final class SignIns: Sendable {
    private let kept: KeptSignIns
    private let transports: any TransportFactory
    private let environment: Environment
    private let made = Mutex<[String: AccessSafety]>([:])

    /// - Parameters:
    ///   - directory: where the tokens lie, one file per source; made with mode 0700 where it is missing.
    ///   - transports: makes a transport per source; tokens are asked for by that of the source they are for.
    public init(
        directory: String, transports: any TransportFactory, environment: Environment
    ) {
        kept = KeptSignIns(directory: directory)
        (self.transports, self.environment) = (transports, environment)
    }

    /// `authorization` with what keeps the requests of the source that is named `source` signed in; unchanged where it gets
    /// no tokens.
    ///
    /// - Parameters:
    ///   - baseURL: the origin that the tokens are for, and what the path of a log-in is below.
    ///   - headerFields: sent with a log-in, as with every request to the source.
    ///   - settings: those of the source's transport.
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

    /// Waits until no refresh runs, so that no token on its way is lost when the process exits.
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
        return AccessSafety(
            account: source, store: store, gate: SignInGate(gate: kept.gate(clock), store: store),
            refresher: refresher, statuses: signIn.statuses, early: signIn.early, token: signIn.token, clock: clock,
            wallClock: wallClock
        )
    }
}
