// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain
internal import SidingOrigin
internal import SidingSynchronization

/// An origin with a token endpoint whose refresh tokens are valid once: using one a second time revokes everything, as at
/// origins with rotation and reuse detection.
///
/// `POST /token` with `refresh_token=…` returns the next pair of tokens; every other request requires the current access token.
///
/// ```swift
/// let origin = RotatingTokenOrigin()
/// let transport = ScriptedTransport { origin.answer($0) }
/// ```
public final class RotatingTokenOrigin: Sendable {
    private let tokens = Mutex(
        TokenRotation(accessPrefix: "s3cret-access-", refreshPrefix: "s3cret-refresh-", generation: 1))

    /// An origin with a first pair of tokens; ``grant`` has them.
    public init() {}

    /// The tokens that a sign-in returns now.
    public var grant: TokenGrant { tokens.withLock { Self.grant($0) } }

    /// The number of successful refreshes.
    public var refreshes: Int { tokens.withLock { $0.refreshes } }
    /// How often a spent refresh token was used again.
    public var reuses: Int { tokens.withLock { $0.reuses } }

    /// Expires the current access token.
    public func expire() { tokens.withLock { $0.expire() } }

    /// Revokes all tokens until ``signIn()``.
    public func revoke() { tokens.withLock { $0.revoke() } }

    /// Issues new tokens, as after a user's sign-in.
    public func signIn() -> TokenGrant {
        tokens.withLock { tokens in
            tokens.signIn()
            return Self.grant(tokens)
        }
    }

    /// Responds to one request.
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
