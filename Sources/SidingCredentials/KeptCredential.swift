internal import SidingChain

/// A credential as it is kept: with when it came, and what its token endpoint refused last.
struct KeptCredential: Sendable, Hashable {
    /// A token endpoint's no.
    struct Refusal: Sendable, Hashable {
        /// The endpoint's word: `400 invalid_grant`.
        var word: String
        var at: Timestamp
    }

    var credential: Credential
    var savedAt: Timestamp?
    var refusal: Refusal?

    /// Whether there is nothing to ask with: what is left of a credential that was forgotten is its count, so that the next
    /// one is told from it.
    var isEmpty: Bool { credential.accessToken.isEmpty && credential.refreshToken == nil }
}
