public import SidingChain
internal import SidingSynchronization

/// Keeps sources signed in: one ``SidingChain/AccessSafety`` per source, over files that all processes with one directory
/// share, so that they have one sign-in and refresh it once.
public final class SignIns: Sendable {
    private let kept: KeptSignIns
    private let transports: any TransportFactory
    private let connectivity: any Connectivity
    private let wallClock: WallClock
    private let clock: any Clock<Duration>
    private let made = Mutex<[String: AccessSafety]>([:])

    /// - Parameters:
    ///   - directory: where the tokens lie, one file per source; made with mode 0700 where it is missing.
    ///   - transports: makes a transport per source; tokens are asked for by that of the source they are for.
    ///   - clock: on which time limits are measured.
    public init(
        directory: String, transports: any TransportFactory, connectivity: any Connectivity = LinuxConnectivity(),
        clock: any Clock<Duration> = ContinuousClock(), wallClock: WallClock = .system
    ) {
        kept = KeptSignIns(directory: directory)
        (self.transports, self.connectivity, self.clock, self.wallClock) = (transports, connectivity, clock, wallClock)
    }

    /// `source` with what keeps its requests signed in; unchanged where its authorization gets no tokens.
    public func signedIn(_ source: Source) -> Source {
        guard case .signIn(var signIn) = source.authorization else { return source }
        signIn.access = made.withLock { made in
            if let safety = made[source.name] { return safety }
            let safety = safety(of: source, signIn)
            made[source.name] = safety
            return safety
        }
        var source = source
        source.authorization = .signIn(signIn)
        return source
    }

    /// Waits until no refresh runs any more, so that a token that is on its way is not lost with the process.
    public func settled() async {
        for safety in made.withLock({ Array($0.values) }) { await safety.settled() }
    }

    private func safety(of source: Source, _ signIn: SignIn) -> AccessSafety {
        let store = SignInStore(signIn, origin: source.baseURL.origin, files: kept.files, wallClock: wallClock)
        let request = SignInRequest(
            signIn: signIn, baseURL: source.baseURL, headerFields: source.headerFields,
            transport: transports.transport(for: source.name, source.transport), connectivity: connectivity,
            wallClock: wallClock)
        let seconds: @Sendable () -> Double = { [wallClock] in wallClock.now.secondsSince1970 }
        var refresher = TokenRefresherNode(clock: clock, secondsSince1970: seconds) { spent, context in
            try await request.grant(spent, context)
        }
        refresher.refusalWords = signIn.refusalWords
        return AccessSafety(
            account: source.name, store: store, gate: SignInGate(gate: kept.gate(clock), store: store),
            refresher: refresher, statuses: signIn.statuses, early: signIn.early, token: signIn.token, clock: clock,
            secondsSince1970: seconds
        )
    }
}
