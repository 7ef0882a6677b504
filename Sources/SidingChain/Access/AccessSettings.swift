internal import HTTPTypes
internal import SidingJSON

/// The settings of an access guard, and the texts of its failures.
struct AccessSettings: Sendable {
    let account: String
    let store: any CredentialStore
    let gate: any RefreshGate
    let refresher: TokenRefresherNode
    /// How long before its expiry an access token is renewed; nil waits for the origin's 401.
    let early: Duration?
    /// How long a refresh continues that no call waits for.
    let grace: Duration
    let clock: any Clock<Duration>
    let wallClock: WallClock
    private let first: @Sendable () async throws -> Credential?

    init(
        account: String, store: any CredentialStore, gate: any RefreshGate, refresher: TokenRefresherNode,
        early: Duration?, grace: Duration, clock: any Clock<Duration>,
        wallClock: WallClock, initial: @escaping @Sendable () async throws -> Credential?
    ) {
        (self.account, self.store, self.gate, self.refresher) = (account, store, gate, refresher)
        (self.early, self.grace, self.clock) = (early, grace, clock)
        (self.wallClock, self.first) = (wallClock, initial)
    }

    /// The credential to use while none is stored.
    func initial() async throws(Failure) -> Credential? {
        do { return try await first() } catch { throw Failure.wrapping(error, phase: .notSent) }
    }

    /// The stored credential, or the initial one.
    func stored() async throws(Failure) -> Credential {
        if let stored = try await store.credential(of: account) { return stored }
        if let initial = try await initial() { return initial }
        throw Failure(
            .credentialUnavailable, phase: .notSent,
            detail: "there is no credential of '\(account)': sign in first")
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
