internal import FoundationEssentials
public import HTTPTypes
public import SidingChain

/// How requests to a source say who asks.
public enum Authorization: Sendable {
    case none
    /// `Authorization: Bearer …` (RFC 6750).
    case bearer(Secret)
    /// `Authorization: Basic …` (RFC 7617). Without a password it is empty: the user's name is the key then.
    case basic(user: Secret, password: Secret? = nil)
    /// `Authorization: Bearer …` with a token that is renewed when the origin refuses it, once for all requests of the
    /// source. Make one ``AccessSafety`` per source, over a ``FileCredentialStore`` and a ``FileRefreshGate`` where several
    /// processes share the sign-in.
    case refreshed(AccessSafety)
    /// A token that is got, kept and renewed as `SignIn` describes it; ``SignIns`` does that.
    case signIn(SignIn)
    /// A key in a header field of the origin's choice.
    case apiKeyHeader(HTTPField.Name, Secret)
    /// A key in a query parameter: added at send, never stored.
    case apiKeyQuery(String, Secret)

    /// A bearer token that `token` gives, asked for anew with each request.
    public static func bearer(_ token: @escaping @Sendable () async throws -> String) -> Authorization {
        .bearer(Secret("given by the program", token))
    }

    /// What keeps requests signed in, where tokens are renewed.
    package var access: AccessSafety? {
        switch self {
        case .refreshed(let safety): safety
        case .signIn(let signIn): signIn.access
        case .none, .bearer, .basic, .apiKeyHeader, .apiKeyQuery: nil
        }
    }

    /// How tokens are got, where they are.
    public var signIn: SignIn? {
        if case .signIn(let signIn) = self { signIn } else { nil }
    }

    /// The header field that carries credentials, where there is one.
    public var field: HTTPField.Name? {
        switch self {
        case .none, .apiKeyQuery: nil
        case .bearer, .basic: .authorization
        case .refreshed(let safety): safety.token.field
        case .signIn(let signIn): signIn.token.field
        case .apiKeyHeader(let name, _): name
        }
    }

    /// The word of the configuration for it; `refreshed` for what only a program can say.
    public var kind: String {
        switch self {
        case .none: "none"
        case .bearer: "bearer"
        case .basic: "basic"
        case .refreshed: "refreshed"
        case .signIn(let signIn): signIn.kind
        case .apiKeyHeader, .apiKeyQuery: "api_key"
        }
    }

    /// The query parameter names that carry credentials.
    public var secretQueryNames: Set<String> {
        if case .apiKeyQuery(let name, _) = self { [name] } else { [] }
    }

    /// The secrets that this authorization reads.
    public var secrets: [Secret] {
        switch self {
        case .none, .refreshed: []
        case .bearer(let token): [token]
        case .basic(let user, let password): [user, password].compactMap(\.self)
        case .signIn(let signIn): signIn.secrets
        case .apiKeyHeader(_, let key), .apiKeyQuery(_, let key): [key]
        }
    }
}

/// Puts a source's credentials on each attempt.
package struct AuthorizationProvider: MetadataProvider {
    let authorization: Authorization

    package init(authorization: Authorization) {
        self.authorization = authorization
    }

    package func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields {
        switch authorization {
        // A renewed token is put on the attempt by ``AccessTokenProvider``.
        case .none, .apiKeyQuery, .refreshed:
            return [:]
        case .bearer(let token):
            return [.authorization: "Bearer \(try await token.read())"]
        case .basic(let user, let password):
            let name = try await user.read()
            guard !name.contains(":") else {
                throw Failure(
                    .credentialUnavailable, phase: .notSent,
                    detail: "secret \(user): a user name cannot hold a colon (RFC 7617 §2)")
            }
            let pair = "\(name):\(try await password?.read() ?? "")"
            return [.authorization: "Basic \(Data(pair.utf8).base64EncodedString())"]
        case .apiKeyHeader(let name, let key):
            return [name: try await key.read()]
        case .signIn(let signIn):
            guard signIn.access == nil else { return [:] }
            throw Failure(
                .credentialUnavailable, phase: .notSent,
                detail:
                    "nothing says where the tokens of \(signIn.kind) are kept: give SignIns to who sends the request")
        }
    }

    /// The query parameters that carry credentials.
    package func query() async throws(Failure) -> [String: QueryValue] {
        guard case .apiKeyQuery(let name, let key) = authorization else { return [:] }
        return [name: .string(try await key.read())]
    }
}
