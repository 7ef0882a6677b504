// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// A stored credential with its time and the last refusal of its token endpoint.
struct KeptCredential: Sendable, Hashable {
    /// A refusal of a token endpoint.
    struct Refusal: Sendable, Hashable {
        /// The endpoint's message: `400 invalid_grant`.
        var word: String
        var at: Timestamp
    }

    var credential: Credential
    var savedAt: Timestamp?
    var refusal: Refusal?

    /// Whether there are no tokens. A forgotten credential leaves its generation, so that the next one can be distinguished
    /// from it.
    var isEmpty: Bool { credential.accessToken.isEmpty && credential.refreshToken == nil }
}
