public import SidingChain

/// How a source gets its access tokens, and when the next one is got: a description, which holds no token.
///
/// ``SignIns`` keeps the tokens of a source that is described so, one sign-in for all processes that share its directory.
public struct SignIn: Sendable {
    /// By what a token is given.
    public enum Grant: Sendable {
        /// The client asks for itself (RFC 6749 §4.4).
        case clientCredentials(OAuthClient)
        /// A refresh token, which each refresh may replace (RFC 6749 §6); `first` is the one to begin with.
        case refreshToken(OAuthClient, first: Secret)
        /// A log-in with secrets, as the origin wants it.
        case session(SessionLogin)
        /// What a program prints: a token, or JSON that holds one.
        case command(Secret, TokenPlaces)
    }

    public var grant: Grant
    /// How requests carry the token.
    public var token: AccessTokenProvider
    /// How long before its known end a token is renewed; nil leaves that to the origin's refusal.
    public var early: Duration?
    /// The statuses by which the origin says that the token is not, or no longer, good.
    public var statuses: Set<Int>
    /// What keeps the requests signed in; ``SignIns`` sets it.
    var access: AccessSafety?

    /// - Parameters:
    ///   - early: 60 s unless said otherwise.
    ///   - statuses: 401 unless said otherwise.
    public init(
        _ grant: Grant, token: AccessTokenProvider = AccessTokenProvider(), early: Duration? = .seconds(60),
        statuses: Set<Int> = [401]
    ) {
        (self.grant, self.token, self.early, self.statuses) = (grant, token, early, statuses)
    }

    /// The word of the configuration for it.
    public var kind: String {
        switch grant {
        case .clientCredentials: "oauth2_client"
        case .refreshToken: "oauth2_refresh"
        case .session: "session"
        case .command: "command"
        }
    }

    /// Who gave no token, for a person: not every way to one leads to a token endpoint.
    var refusalWords: String {
        switch grant {
        case .clientCredentials, .refreshToken: "the token endpoint refused"
        case .session: "the log-in gave no token"
        case .command: "the program gave no token"
        }
    }

    /// Where tokens are asked for; nil for a program, and for a path below the source's own URL.
    public var tokenURL: HTTPURL? {
        switch grant {
        case .clientCredentials(let client), .refreshToken(let client, _): client.tokenURL
        case .session, .command: nil
        }
    }

    /// The secrets that it reads, and plain text in the place of some. A program that prints tokens is none.
    public var secrets: [Secret] {
        switch grant {
        case .clientCredentials(let client): client.secrets
        case .refreshToken(let client, let first): client.secrets + [first]
        case .session(let login): login.body.secrets
        case .command: []
        }
    }

    /// The program that prints tokens.
    public var program: Secret? {
        if case .command(let program, _) = grant { program } else { nil }
    }
}
