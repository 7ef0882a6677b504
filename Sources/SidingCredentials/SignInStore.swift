// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// The credential store of one source's sign-in: returns the stored credential if it was obtained with the current
/// configuration, otherwise an initial one that holds only the means to get a first token.
///
/// The secrets are read at the first call, for each refresh, and at every call after a refused refresh, so that a corrected
/// secret is used at once.
final class SignInStore: CredentialStore {
    private struct Known {
        var descent: Descent?
        /// Whether the last refresh was refused.
        var wasRefused = false
    }

    private let signIn: SignIn
    /// The origin that the tokens belong to.
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
        var renewable = kept.credential
        // Without one only the first one is left to ask with.
        if renewable.refreshToken == nil { renewable.refreshToken = try await first() }
        guard stored.configuration != now.configuration else { return renewable }
        // An access token obtained with other secrets, or for another scope, does not fit any more; its refresh token is still
        // valid.
        (renewable.accessToken, renewable.expiresAt, renewable.descent) = ("", nil, now.text)
        return renewable
    }

    func save(_ credential: Credential, of account: String) async throws(Failure) {
        try await files.keep(KeptCredential(credential: credential, savedAt: wallClock.now), of: account)
        known.withLock { $0.wasRefused = false }
    }

    func reserve(for account: String) async throws(Failure) { try await files.reserve(for: account) }

    /// Makes the next call read the secrets again.
    func lookAgain() { known.withLock { $0.descent = nil } }

    /// Records a refusal of the token endpoint beside the stored credential. Call it only inside the gate.
    func note(_ refusal: RefreshRefusal, of account: String) async {
        known.withLock { $0.wasRefused = true }
        var kept = (try? files.kept(of: account)) ?? KeptCredential(credential: .none)
        kept.refusal = KeptCredential.Refusal(word: refusal.description, at: wallClock.now)
        // If it cannot be recorded, the refusal is still thrown.
        try? await files.keep(kept, of: account)
    }

    private func first() async throws(Failure) -> String? {
        guard case .refreshToken(_, let secret) = signIn.grant else { return nil }
        return try await secret.read()
    }

    private func descent(salt: String) async throws(Failure) -> Descent {
        let known = known.withLock { $0.wasRefused ? nil : $0.descent }
        if let known, known.salt == salt { return known }
        let read = try await signIn.descent(origin, salt: salt)
        self.known.withLock { $0.descent = read }
        return read
    }
}

extension Credential {
    /// A credential without tokens, of generation 0.
    static let none = Credential(accessToken: "", generation: 0)
}
