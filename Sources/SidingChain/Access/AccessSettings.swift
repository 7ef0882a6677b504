// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingJSON

/// What an ``AccessSafety`` needs to know of one account. Only the store and the refresher are required.
public struct AccessSettings: Changeable, Sendable {
    /// The account's name in the store and at the gate: the source's name if it has only one account.
    public let account: String
    /// Keeps the credential. If other processes use it too, they must share ``gate`` as well.
    public let store: any CredentialStore
    /// Requests the next credential with the spent one.
    public let refresher: TokenRefresherNode
    /// Allows one refresh at a time among all who share the store; by default among those of this process.
    public var gate: any RefreshGate = InMemoryRefreshGate()
    /// The statuses by which the origin refuses a credential; only 401 by default, for some origins also 403.
    public var statuses: Set<Int> = [401]
    /// How long before its expiry an access token is renewed; nil, the default, waits for the origin's 401.
    public var early: Duration?
    /// How long a refresh continues when no call waits for it any more; 5 s by default. A token that the endpoint has already
    /// issued is saved in any case.
    public var grace = Duration.seconds(5)
    /// Returns the credential to use while the store has none, such as a refresh token from the configuration with an empty
    /// access token. Called again each time.
    public var initial: @Sendable () async throws -> Credential? = { nil }
    /// How requests carry the access token; `Authorization: Bearer …` by default.
    public var token = AccessTokenProvider()
    /// Measures ``grace``.
    public var clock: any Clock<Duration> = ContinuousClock()
    /// Compares expiry times with the present; the system's by default.
    public var wallClock = WallClock.system

    public init(account: String, store: any CredentialStore, refresher: TokenRefresherNode) {
        (self.account, self.store, self.refresher) = (account, store, refresher)
    }
}

extension AccessSettings {
    /// The stored credential, or the initial one.
    func stored() async throws(Failure) -> Credential {
        if let stored = try await store.credential(of: account) { return stored }
        do { if let initial = try await initial() { return initial } } catch {
            throw Failure.wrapping(error, phase: .notSent)
        }
        throw Failure(
            .credentialUnavailable, phase: .notSent,
            detail: "no credential of '\(account)' is stored: sign in first")
    }

    /// Whether to refresh before the call. A failed early refresh is not repeated before the token expires.
    func mustRefresh(_ credential: Credential, hasFailed: Bool) -> Bool {
        if credential.accessToken.isEmpty { return true }
        guard let early, let end = credential.expiresAt else { return false }
        // A token that lives no longer than `early` would be renewed for each call.
        let margin = min(early, credential.lifetime.map { $0 / 2 } ?? early)
        return end - wallClock.now.secondsSince1970 <= (hasFailed ? 0 : margin / .seconds(1))
    }

    /// Whether the access token is known to be valid, at a source that refreshes early.
    func isStillGood(_ credential: Credential) -> Bool {
        guard early != nil, !credential.accessToken.isEmpty, let end = credential.expiresAt else { return false }
        return end > wallClock.now.secondsSince1970
    }
}

extension AccessSettings {
    /// The failure of a refresh for the calls that waited for it. Their own requests were not sent, so each may be sent again.
    func described(_ failure: Failure) -> Failure {
        var described = failure
        described.phase = .notSent
        guard !(failure.underlying is RefreshRefusal) else { return described }
        let why = failure.detail.map { ": \($0)" } ?? ""
        described.detail = PlainText.oneLine("while the credential of '\(account)' was renewed\(why)")
        return described
    }

    /// Prevents a second request for one credential: its refresh token may be valid for one use only.
    func stillAsking(for spent: Credential) -> Failure {
        described(
            Failure(
                .timeout(.total), phase: .notSent,
                detail: "an earlier refresh of generation \(spent.generation) was cancelled and has not ended yet; "
                    + "see that the refresher heeds cancellation"))
    }

    /// The failure of a refresh request. Refusals become status 401; secrets and response contents are removed.
    func describedRequest(_ failure: Failure, _ spent: Credential) -> Failure {
        guard let refusal = failure.refusal else {
            var described = failure
            described.detail = failure.detail.map(spent.cutOut)
            // These errors quote the unreadable text, which may contain a new token.
            if failure.underlying is DocumentFault {
                (described.detail, described.underlying) = ("the token endpoint's answer is no JSON", nil)
            } else if let quoting = failure.underlying as? any QuotingError {
                described.detail = PlainText.oneLine(
                    "the token endpoint's answer cannot be used: \(quoting.place)", limit: 200)
                described.underlying = nil
            }
            if case .http(var answer) = failure.reason {
                answer.body = []
                answer.headerFields = answer.headerFields[.retryAfter].map { [.retryAfter: $0] } ?? [:]
                described.reason = .http(answer)
            }
            return described
        }
        let word = RefreshRefusal(spent.cutOut(of: refusal.description))
        return Failure(
            .http(HTTPFailure(status: 401)), phase: .notSent,
            detail: "the credential of '\(account)' (generation \(spent.generation)) could not be renewed, "
                + "\(refresher.refusalWords): \(word); sign in again",
            underlying: word)
    }
}
