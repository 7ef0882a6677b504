internal import SidingChain
internal import SidingSynchronization

/// The credential of one source as its sign-in has it: what is kept, where that stems from what the configuration says now,
/// else what a first token is got with.
///
/// The secrets are read at the first look, for each refresh, and at every look after one that was refused: whoever has put
/// another in its place shall not wait.
final class SignInStore: CredentialStore {
    private struct Known {
        var descent: Descent?
        /// Whether the last refresh was refused.
        var isDoubtful = false
    }

    private let signIn: SignIn
    /// The origin that the tokens are for.
    private let origin: String
    private let files: FileCredentialStore
    private let wallClock: WallClock
    private let salt = Descent.newSalt()
    private let known = Mutex(Known())

    init(_ signIn: SignIn, origin: String, files: FileCredentialStore, wallClock: WallClock) {
        (self.signIn, self.origin, self.files, self.wallClock) = (signIn, origin, files, wallClock)
    }

    func credential(of account: String) async throws(Failure) -> Credential? {
        let kept = try files.kept(of: account)
        let stored = Descent(kept?.credential.descent)
        let now = try await descent(salt: stored?.salt ?? salt)
        guard let kept, !kept.isEmpty, let stored, stored.lineage == now.lineage else {
            return Credential(
                accessToken: "", refreshToken: try await first(), generation: kept?.credential.generation ?? 0,
                descent: now.text)
        }
        guard stored.configuration != now.configuration else { return kept.credential }
        // What was given to other secrets, or for another scope, is not what these would get; its refresh token is good.
        var renewable = kept.credential
        (renewable.accessToken, renewable.expiresAt, renewable.descent) = ("", nil, now.text)
        return renewable
    }

    func save(_ credential: Credential, of account: String) async throws(Failure) {
        try await files.keep(KeptCredential(credential: credential, savedAt: wallClock.now), of: account)
        known.withLock { $0.isDoubtful = false }
    }

    func reserve(for account: String) async throws(Failure) { try await files.reserve(for: account) }

    /// The next look reads the secrets.
    func lookAgain() { known.withLock { $0.descent = nil } }

    /// Notes that the token endpoint said no, beside what is kept. Inside of the gate only.
    func note(_ refusal: RefreshRefusal, of account: String) async {
        known.withLock { $0.isDoubtful = true }
        var kept = (try? files.kept(of: account)) ?? KeptCredential(credential: .none)
        kept.refusal = KeptCredential.Refusal(word: refusal.description, at: wallClock.now)
        // What cannot be noted is told all the same.
        try? await files.keep(kept, of: account)
    }

    private func first() async throws(Failure) -> String? {
        guard case .refreshToken(_, let secret) = signIn.grant else { return nil }
        return try await secret.read()
    }

    private func descent(salt: String) async throws(Failure) -> Descent {
        let known = known.withLock { $0.isDoubtful ? nil : $0.descent }
        if let known, known.salt == salt { return known }
        let read = try await signIn.descent(origin, salt: salt)
        self.known.withLock { $0.descent = read }
        return read
    }
}

extension Credential {
    /// Nothing to ask with, and nothing before it.
    static let none = Credential(accessToken: "", generation: 0)
}
