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
/// A cancelled call returns at once. A refresh that no call waits for any more continues for `grace`: see
/// ``waitForRefresh()``.
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

    /// Sets up one account. Only the store and the refresher are required.
    ///
    /// - Parameters:
    ///   - account: the account's name in `store` and `gate`.
    ///   - store: keeps the credential. If other processes use it too, they must share `gate` as well.
    ///   - gate: allows one refresh at a time among all who share `store`; nil, the default, if only this process uses it.
    ///   - refresher: requests the next credential with the spent one.
    ///   - statuses: the statuses by which the origin refuses a credential; only 401 by default, for some origins also 403.
    ///   - early: how long before its expiry an access token is renewed, without waiting for a 401; nil, the default, for
    ///     never.
    ///   - grace: how long a refresh continues when no call waits for it any more; 5 s by default. A token that the endpoint
    ///     has already issued is saved in any case.
    ///   - initial: returns the credential to use while the store has none, such as a refresh token from the configuration
    ///     with an empty access token. Called again each time.
    ///   - token: how requests carry the access token; `Authorization: Bearer …` by default.
    ///   - clock: measures `grace`.
    ///   - wallClock: compares expiry times with the present; the system's by default.
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

    /// The number of calls that wait for the running refresh; 0 if none is running.
    package var waitingCalls: Int { accessGuard.waitingCalls }

    /// The credential that somebody else has stored, such as a user or another process: the present one, or the one that this
    /// safety has renewed since.
    ///
    /// - Throws: as ``credential()``.
    package func givenCredential() async throws(Failure) -> Credential {
        try await accessGuard.given()
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
