public import SidingChain

/// A client of an OAuth 2 token endpoint (RFC 6749 §2).
public struct OAuthClient: Sendable {
    /// Where the client's secret is sent (RFC 6749 §2.3.1).
    public enum Authentication: String, Sendable, CaseIterable {
        case basic
        case body
    }

    public var tokenURL: HTTPURL
    public var id: Secret
    /// Nil for a public client, which sends only its ID.
    public var secret: Secret?
    public var authentication: Authentication
    public var scope: String?
    /// Further parameters of the endpoint, such as `audience`.
    public var parameters: [String: Secret]

    public init(
        tokenURL: HTTPURL, id: Secret, secret: Secret? = nil, authentication: Authentication = .basic,
        scope: String? = nil, parameters: [String: Secret] = [:]
    ) {
        (self.tokenURL, self.id, self.secret) = (tokenURL, id, secret)
        (self.authentication, self.scope, self.parameters) = (authentication, scope, parameters)
    }

    var secrets: [Secret] {
        [id] + [secret].compactMap(\.self) + parameters.sorted { $0.key < $1.key }.map(\.value)
    }
}
