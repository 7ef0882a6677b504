/// Access tokens that expire and refresh tokens that are good once: who uses one a second time signs everyone out, as
/// origins with reuse detection do (RFC 9700 §4.14.2).
public struct TokenRotation: Sendable {
    private let accessPrefix: String
    private let refreshPrefix: String
    private var generation: Int
    private var isExpired = false
    private var isRevoked = false
    private var spent: Set<String> = []
    /// Refreshes that were granted.
    public private(set) var refreshes = 0
    /// How often a spent refresh token came back.
    public private(set) var reuses = 0

    /// - Parameters:
    ///   - accessPrefix: before the generation in access tokens: `access-7`.
    ///   - refreshPrefix: the same for refresh tokens.
    ///   - generation: the first.
    public init(accessPrefix: String = "access-", refreshPrefix: String = "refresh-", generation: Int = 0) {
        (self.accessPrefix, self.refreshPrefix, self.generation) = (accessPrefix, refreshPrefix, generation)
    }

    /// The access token of now.
    public var accessToken: String { accessPrefix + String(generation) }
    /// The refresh token that the next refresh must bring.
    public var refreshToken: String { refreshPrefix + String(generation) }

    /// Whether a request with this `Authorization` comes in.
    public func opens(_ authorization: String?) -> Bool {
        !isRevoked && !isExpired && authorization == "Bearer \(accessToken)"
    }

    /// Takes a refresh token for the next pair; false where it is refused.
    public mutating func exchange(_ token: String) -> Bool {
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

    /// The access token of now opens nothing any more; its refresh token stays good.
    public mutating func expire() { isExpired = true }

    /// No token is good any more, until ``signIn()``.
    public mutating func revoke() { isRevoked = true }

    /// A person signs in: new tokens.
    public mutating func signIn() {
        generation += 1
        (isExpired, isRevoked) = (false, false)
    }
}
