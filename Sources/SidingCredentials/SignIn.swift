// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Describes how a source obtains its access tokens and when it renews them; it holds no token.
///
/// ``SignIns`` stores the tokens of such a source: one sign-in for all processes that share its directory.
public struct SignIn: Sendable {
    /// How a token is obtained.
    public enum Grant: Sendable {
        /// The client authenticates itself (RFC 6749 §4.4).
        case clientCredentials(OAuthClient)
        /// A refresh token, which each refresh may replace (RFC 6749 §6); `first` is the initial one.
        case refreshToken(OAuthClient, first: Secret)
        /// A log-in with secrets, as the origin requires.
        case session(SessionLogin)
        /// The output of a program: a token, or JSON that holds one.
        case command(Secret, TokenPlaces)
    }

    /// How a token is obtained: OAuth, a log-in of the origin, or a program.
    public var grant: Grant
    /// How requests carry the token.
    public var token: AccessTokenProvider
    /// How long before its known expiry a token is renewed; nil waits until the origin refuses it.
    public var early: Duration?
    /// The statuses that mean that the token is not, or no longer, valid.
    public var statuses: Set<Int>
    /// Keeps the requests signed in; set by ``SignIns``.
    var access: AccessSafety?

    /// By default a token is renewed 60 s early, and a 401 says that it is not valid.
    public init(
        _ grant: Grant, token: AccessTokenProvider = AccessTokenProvider(), early: Duration? = .seconds(60),
        statuses: Set<Int> = [401]
    ) {
        (self.grant, self.token, self.early, self.statuses) = (grant, token, early, statuses)
    }

    /// The name used in the configuration.
    package var kind: String {
        switch grant {
        case .clientCredentials: "oauth2_client"
        case .refreshToken: "oauth2_refresh"
        case .session: "session"
        case .command: "command"
        }
    }

    /// The text that says who gave no token, for people: not every grant uses a token endpoint.
    var refusalWords: String {
        switch grant {
        case .clientCredentials, .refreshToken: "the token endpoint refused"
        case .session: "the log-in gave no token"
        case .command: "the program gave no token"
        }
    }

    /// The URL of the token endpoint; nil for a program, and for a path below the source's own URL.
    package var tokenURL: HTTPURL? {
        switch grant {
        case .clientCredentials(let client), .refreshToken(let client, _): client.tokenURL
        case .session, .command: nil
        }
    }

    /// The secrets that the grant reads, including plain text in their place. The program of `command` is not one.
    package var secrets: [Secret] {
        switch grant {
        case .clientCredentials(let client): client.secrets
        case .refreshToken(let client, let first): client.secrets + [first]
        case .session(let login): login.body.secrets
        case .command: []
        }
    }

    /// The program that prints tokens.
    package var program: Secret? {
        if case .command(let program, _) = grant { program } else { nil }
    }
}
