// SPDX-License-Identifier: Apache-2.0
/// Models access tokens that expire and refresh tokens that are valid once: using one a second time revokes everything, as at
/// origins with reuse detection (RFC 9700 §4.14.2).
package struct TokenRotation: Sendable {
    private let accessPrefix: String
    private let refreshPrefix: String
    private var generation: Int
    private var isExpired = false
    private var isRevoked = false
    private var spent: Set<String> = []
    /// The number of successful refreshes.
    package private(set) var refreshes = 0
    /// How often a spent refresh token was used again.
    package private(set) var reuses = 0

    /// - Parameters:
    ///   - accessPrefix: the text before the generation in access tokens: `access-7`.
    ///   - refreshPrefix: the same for refresh tokens.
    ///   - generation: the first generation.
    package init(accessPrefix: String = "access-", refreshPrefix: String = "refresh-", generation: Int = 0) {
        (self.accessPrefix, self.refreshPrefix, self.generation) = (accessPrefix, refreshPrefix, generation)
    }

    /// The current access token.
    package var accessToken: String { accessPrefix + String(generation) }
    /// The refresh token that the next refresh must use.
    package var refreshToken: String { refreshPrefix + String(generation) }

    /// Whether a request with this `Authorization` is accepted.
    package func opens(_ authorization: String?) -> Bool {
        !isRevoked && !isExpired && authorization == "Bearer \(accessToken)"
    }

    /// Exchanges a refresh token for the next pair; false if it is refused.
    package mutating func exchange(_ token: String) -> Bool {
        if spent.contains(token) {
            reuses += 1
            isRevoked = true
        }
        guard !isRevoked, token == refreshToken else { return false }
        spent.insert(token)
        generation += 1
        refreshes += 1
        isExpired = false
        return true
    }

    /// Expires the current access token; its refresh token stays valid.
    package mutating func expire() { isExpired = true }

    /// Revokes all tokens until ``signIn()``.
    package mutating func revoke() { isRevoked = true }

    /// Issues new tokens, as after a user's sign-in.
    package mutating func signIn() {
        generation += 1
        (isExpired, isRevoked) = (false, false)
    }
}
