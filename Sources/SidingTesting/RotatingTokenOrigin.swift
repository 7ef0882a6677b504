internal import HTTPTypes
public import SidingChain
internal import SidingOrigin
internal import SidingSynchronization

/// An origin with a token endpoint whose refresh tokens are good once: whoever uses one a second time signs everyone out,
/// as origins with rotation and reuse detection do.
///
/// `POST /token` with `refresh_token=…` gives the next pair of tokens; every other request wants the current access token.
///
/// ```swift
/// let origin = RotatingTokenOrigin()
/// let transport = ScriptedTransport { origin.answer($0) }
/// ```
public final class RotatingTokenOrigin: Sendable {
    private let tokens = Mutex(
        TokenRotation(accessPrefix: "s3cret-access-", refreshPrefix: "s3cret-refresh-", generation: 1))

    public init() {}

    /// What a person who signs in now gets.
    public var grant: TokenGrant { tokens.withLock { Self.grant($0) } }

    /// The refreshes that went well.
    public var refreshes: Int { tokens.withLock { $0.refreshes } }
    /// How often a refresh token came that had been used before.
    public var reuses: Int { tokens.withLock { $0.reuses } }

    /// The current access token is not taken any more.
    public func expire() { tokens.withLock { $0.expire() } }

    /// No token is taken any more, until ``signIn()``.
    public func revoke() { tokens.withLock { $0.revoke() } }

    /// A person signs in: new tokens.
    public func signIn() -> TokenGrant {
        tokens.withLock { tokens in
            tokens.signIn()
            return Self.grant(tokens)
        }
    }

    /// Answers one request.
    public func answer(_ asked: ScriptedTransport.Request) -> ScriptedAnswer {
        if asked.request.path == "/token" { return token(String(decoding: asked.body, as: UTF8.self)) }
        let isTaken = tokens.withLock { $0.opens(asked.request.headerFields[.authorization]) }
        return isTaken ? .text("{}") : .status(.unauthorized)
    }

    private func token(_ form: String) -> ScriptedAnswer {
        let token = String(form.dropFirst("refresh_token=".count))
        return tokens.withLock { tokens in
            guard tokens.exchange(token) else { return .text(#"{"error":"invalid_grant"}"#, status: .badRequest) }
            let (access, refresh) = (tokens.accessToken, tokens.refreshToken)
            return .text(#"{"access_token":"\#(access)","refresh_token":"\#(refresh)","expires_in":3600}"#)
        }
    }

    private static func grant(_ tokens: TokenRotation) -> TokenGrant {
        TokenGrant(accessToken: tokens.accessToken, refreshToken: tokens.refreshToken)
    }
}
