/// Defines how the requests of one account stay signed in: where its credential is stored, how it is renewed, and when.
///
/// Create one per source and give it to every chain of the source: copies share the running refresh, so that a hundred calls
/// with an expired token cause one refresh. If a refresh fails, all waiting calls fail once:
/// - refused by the token endpoint: ``Failure/Reason/http(_:)`` with status 401 and a ``RefreshRefusal`` as underlying error;
///   later calls fail the same way at once, without a request, until another credential is stored;
/// - failed otherwise: with the refresh's failure, such as ``Failure/Reason/noInternetConnection``, in phase `notSent`; a later
///   call may try again.
///
/// If a renewed credential is refused too, the underlying error is a `CredentialRefusal`, whatever the status.
///
/// A cancelled call returns at once. A refresh that no call waits for any more continues for `grace`: see `settled()`.
public struct AccessSafety: Sendable {
    /// The account's name in the store and at the gate: the source's name if it has only one account.
    package let account: String
    /// The statuses that mean that the credential is not, or no longer, valid.
    package let statuses: Set<Int>
    /// Further failures that mean the same.
    private(set) var refusals: [@Sendable (Failure, ChainContext) -> Bool] = []
    /// How requests carry the access token.
    public let token: AccessTokenProvider
    let accessGuard: AccessGuard

    /// Whether both renew the same credential; true where there is none.
    package static func areSame(_ one: AccessSafety?, _ other: AccessSafety?) -> Bool {
        one?.accessGuard === other?.accessGuard
    }

    /// - Parameters:
    ///   - account: names the credential in `store` and `gate`.
    ///   - store: where the credential lives; shared with other processes where the gate is.
    ///   - gate: shared by all who share the store; nil, as by default, where only this process does.
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
        account: String, store: any CredentialStore, gate: (any RefreshGate)? = nil,
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
                account: account, store: store, gate: gate ?? InMemoryRefreshGate(), refresher: refresher, early: early,
                grace: grace, clock: clock, wallClock: wallClock, initial: initial))
    }

    /// The same safety for a chain whose origin refuses credentials in more ways than by ``statuses``, such as by an error code
    /// in the body.
    package func alsoRefused(by isRefusal: @escaping @Sendable (Failure, ChainContext) -> Bool) -> AccessSafety {
        var safety = self
        safety.refusals.append(isRefusal)
        return safety
    }

    /// Stores the result of a user's sign-in as the next generation. Calls whose old credential was refused are sent again.
    ///
    /// - Throws: the errors of the gate and the store.
    @discardableResult
    public func signIn(_ grant: TokenGrant) async throws(Failure) -> Credential {
        try await accessGuard.signIn(grant)
    }

    /// The stored credential that a call would use now; nothing is renewed.
    ///
    /// - Throws: the store's errors, and ``Failure/Reason/credentialUnavailable`` if there is none.
    public func credential() async throws(Failure) -> Credential {
        try await accessGuard.stored()
    }

    /// Waits until the running refresh is over; returns at once if none is running.
    ///
    /// A cancelled caller does not wait for the refresh that it needed: the refresh continues and saves the token that is on
    /// its way. A program that exits after a cancellation calls this last, since otherwise that token is lost and the old one
    /// is already spent. It takes no longer than the refresh: if nobody else waits, `grace` plus the time in which the request
    /// winds down. The sync engine of `Siding` calls it by itself.
    public func waitForRefresh() async {
        await accessGuard.waitForRefresh()
    }
}
