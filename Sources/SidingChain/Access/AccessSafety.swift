/// How the requests of one account stay signed in: where its credential lives, how it is renewed, and when.
///
/// Made once per source and given to every chain of it: copies share who refreshes now, so that a hundred calls with a
/// spent token make one refresh. Where a refresh fails, all who wait are told once:
/// - refused by the token endpoint: ``Failure/Reason/http(_:)`` with status 401 and a ``RefreshRefusal`` beneath; later
///   calls fail the same way at once, without a request, until another credential is stored;
/// - failed otherwise: as the refresh did, such as ``Failure/Reason/noInternetConnection``, in phase `notSent`; a later
///   call may try again.
///
/// Where a renewed credential is refused too, the failure has a ``CredentialRefusal`` beneath, whatever its status.
///
/// A call that is cancelled leaves at once, and a refresh that is then nobody's goes on for `grace`: see ``settled()``.
public struct AccessSafety: Sendable {
    /// The account's name in the store and at the gate; a source's name where it has but one account.
    public let account: String
    /// The statuses by which the origin says that the credential is not, or no longer, good.
    public let statuses: Set<Int>
    /// More failures by which the origin says so.
    private(set) var refusals: [@Sendable (Failure, ChainContext) -> Bool] = []
    /// How requests carry the access token.
    public let token: AccessTokenProvider
    let accessGuard: AccessGuard

    /// - Parameters:
    ///   - account: names the credential in `store` and `gate`.
    ///   - store: where the credential lives; shared with other processes where the gate is.
    ///   - gate: shared by all who share the store.
    ///   - refresher: makes the next credential of the spent one.
    ///   - statuses: 401 unless said otherwise; 403 too for origins that mean it so.
    ///   - early: how long before its known end an access token is renewed without waiting for a 401; nil, as by
    ///     default, for never.
    ///   - grace: how long a refresh goes on for which nobody waits any more, 5 s unless said otherwise; a token that the
    ///     endpoint has given is saved in any case.
    ///   - initial: what counts where the store holds nothing yet, such as a refresh token from the configuration with an
    ///     empty access token; asked for anew each time.
    ///   - token: how requests carry the access token; `Authorization: Bearer …` unless said otherwise.
    ///   - clock: on which `grace` is measured.
    ///   - wallClock: the system's by default, that `early` looks at.
    public init(
        account: String, store: any CredentialStore, gate: any RefreshGate = InMemoryRefreshGate(),
        refresher: TokenRefresherNode, statuses: Set<Int> = [401], early: Duration? = nil,
        grace: Duration = .seconds(5), initial: @escaping @Sendable () async throws -> Credential? = { nil },
        token: AccessTokenProvider = AccessTokenProvider(), clock: any Clock<Duration> = ContinuousClock(),
        wallClock: WallClock = .system
    ) {
        self.account = account
        self.statuses = statuses
        self.token = token
        accessGuard = AccessGuard(
            AccessSettings(
                account: account, store: store, gate: gate, refresher: refresher, early: early, grace: grace,
                clock: clock, wallClock: wallClock,
                initial: initial))
    }

    /// The same safety for a chain of which the origin refuses the credential in more ways than by ``statuses``, such as by
    /// a word in the body.
    public func alsoRefused(by isRefusal: @escaping @Sendable (Failure, ChainContext) -> Bool) -> AccessSafety {
        var safety = self
        safety.refusals.append(isRefusal)
        return safety
    }

    /// Stores what a person's sign-in gave, as the next generation; calls that the old credential was refused to go out
    /// again.
    ///
    /// - Throws: what the gate and the store throw.
    @discardableResult
    public func signIn(_ grant: TokenGrant) async throws(Failure) -> Credential {
        try await accessGuard.signIn(grant)
    }

    /// The credential with which a call would go out now, as it is stored; nothing is renewed.
    ///
    /// - Throws: what the store throws, and ``Failure/Reason/credentialUnavailable`` where there is none.
    public func credential() async throws(Failure) -> Credential {
        try await accessGuard.stored()
    }

    /// Waits until the refresh that runs now is over; returns at once where none does.
    ///
    /// A caller that is cancelled does not wait for the refresh that it needed: this goes on by itself, and saves the token
    /// that is on its way. A program that ends after a cancellation calls this last, since that token would be lost with it,
    /// and the old one is spent. It takes no longer than the refresh: where nobody else waits, `grace` and the time in which
    /// the request winds down. The sync engine of `Siding` does so by itself.
    public func settled() async {
        await accessGuard.settled()
    }
}
