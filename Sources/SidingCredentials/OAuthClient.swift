// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// A client of an OAuth 2 token endpoint (RFC 6749 §2).
public struct OAuthClient: Sendable {
    /// Where the client's secret is sent (RFC 6749 §2.3.1).
    public enum Authentication: String, Sendable, CaseIterable {
        /// In the header field `Authorization: Basic …`, ID and secret form-encoded first.
        case basic
        /// In the form, as `client_id` and `client_secret`.
        case body
    }

    /// The token endpoint (RFC 6749 §3.2), to which the form is posted.
    public var tokenURL: HTTPURL
    /// The client ID, which the origin gave when the client was registered.
    public var id: Secret
    /// Nil for a public client, which sends only its ID.
    public var secret: Secret?
    /// Where ID and secret are sent; `basic` by default.
    public var authentication: Authentication
    /// The requested scope, names separated by spaces (RFC 6749 §3.3); nil leaves it to the endpoint.
    public var scope: String?
    /// Further parameters of the endpoint, such as `audience`.
    public var parameters: [String: Secret]

    /// The parameters are the properties of the same names.
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
