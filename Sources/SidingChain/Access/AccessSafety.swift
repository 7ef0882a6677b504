// SPDX-License-Identifier: Apache-2.0
/// Defines how the requests of one account stay signed in: where its credential is stored, how it is renewed, and when.
///
/// Create one per source and give it to every chain of the source: copies share the running refresh, so that a hundred calls
/// with an expired token cause one refresh. If a refresh fails, all waiting calls fail once:
/// - refused by the token endpoint: ``Failure/Reason/http(_:)`` with status 401 and a ``RefreshRefusal`` as underlying error;
///   later calls fail the same way at once, without a request, until another credential is stored;
/// - failed otherwise: with the refresh's failure, such as ``Failure/Reason/noInternetConnection``, in phase `notSent`; a later
///   call may try again.
///
/// If a renewed credential is refused too, the failure says so, whatever the status.
///
/// A cancelled call returns at once. A refresh that no call waits for any more continues for ``AccessSettings/grace``: see
/// ``waitForRefresh()``.
public struct AccessSafety: Sendable {
    let settings: AccessSettings
    /// Further failures that mean the same as ``AccessSettings/statuses``.
    private(set) var refusals: [@Sendable (Failure, ChainContext) -> Bool] = []
    /// How requests carry the access token.
    public var token: AccessTokenProvider { settings.token }
    let accessGuard: AccessGuard

    /// Whether both renew the same credential; true where there is none.
    package static func areSame(_ one: AccessSafety?, _ other: AccessSafety?) -> Bool {
        one?.accessGuard === other?.accessGuard
    }

    /// Sets up one account.
    public init(_ settings: AccessSettings) {
        self.settings = settings
        accessGuard = AccessGuard(settings)
    }

    /// The same safety for a chain whose origin refuses credentials in more ways than by status, such as by an error code
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
        let settings = settings
        return try await settings.gate.withRefresh(of: settings.account) { () async throws(Failure) -> Credential in
            // An unreadable credential is replaced too.
            let old = try? await settings.store.credential(of: settings.account)
            // Only the generation is kept: the old refresh token may belong to another user.
            let fresh = grant.credential(
                generation: (old?.generation ?? 0) &+ 1, now: settings.wallClock.now.secondsSince1970)
            try await settings.store.save(fresh, of: settings.account)
            return fresh
        }
    }

    /// The stored credential that a call would use now; nothing is renewed.
    ///
    /// - Throws: the store's errors, and ``Failure/Reason/credentialUnavailable`` if there is none.
    public func credential() async throws(Failure) -> Credential {
        try await settings.stored()
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
