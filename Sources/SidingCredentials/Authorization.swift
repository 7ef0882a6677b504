// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials
public import HTTPTypes
public import SidingChain

/// How requests to a source authenticate.
public enum Authorization: Sendable {
    /// Requests carry no credentials.
    case none
    /// `Authorization: Bearer …` (RFC 6750).
    case bearer(Secret)
    /// `Authorization: Basic …` (RFC 7617). Without a password it is empty, for origins that take a key as the user name.
    case basic(user: Secret, password: Secret? = nil)
    /// `Authorization: Bearer …` with a token that is renewed when the origin refuses it, once for all requests of the source.
    /// Create one `AccessSafety` per source, with a ``FileCredentialStore`` and a ``FileRefreshGate`` if several processes
    /// share the sign-in.
    case refreshed(AccessSafety)
    /// A token that is obtained, stored and renewed as `SignIn` describes; use ``SignIns``.
    case signIn(SignIn)
    /// A key in a header field that the origin chooses.
    case apiKeyHeader(HTTPField.Name, Secret)
    /// A key in a query parameter: added when sending, never stored.
    case apiKeyQuery(String, Secret)

    /// A bearer token from `token`, which is called for each request.
    public static func bearer(_ token: @escaping @Sendable () async throws -> String) -> Authorization {
        .bearer(Secret("given by the program", token))
    }

    package var hasCredentials: Bool { if case .none = self { false } else { true } }

    /// The access safety, if tokens are renewed.
    package var access: AccessSafety? {
        switch self {
        case .refreshed(let safety): safety
        case .signIn(let signIn): signIn.access
        case .none, .bearer, .basic, .apiKeyHeader, .apiKeyQuery: nil
        }
    }

    /// How tokens are obtained, if they are.
    package var signIn: SignIn? {
        if case .signIn(let signIn) = self { signIn } else { nil }
    }

    /// The header field that carries credentials, if any.
    package var field: HTTPField.Name? {
        switch self {
        case .none, .apiKeyQuery: nil
        case .bearer, .basic: .authorization
        case .refreshed(let safety): safety.token.field
        case .signIn(let signIn): signIn.token.field
        case .apiKeyHeader(let name, _): name
        }
    }

    /// The name used in the configuration; `refreshed` is possible only in programs.
    package var kind: String {
        switch self {
        case .none: "none"
        case .bearer: "bearer"
        case .basic: "basic"
        case .refreshed: "refreshed"
        case .signIn(let signIn): signIn.kind
        case .apiKeyHeader, .apiKeyQuery: "api_key"
        }
    }

    /// The names of the query parameters that carry credentials.
    package var secretQueryNames: Set<String> {
        if case .apiKeyQuery(let name, _) = self { [name] } else { [] }
    }

    /// Whether both send the same credentials, as far as that can be known: secrets are the same if one is a copy of the other.
    package func isSame(as other: Authorization) -> Bool {
        kind == other.kind && field == other.field && secretQueryNames == other.secretQueryNames
            && signIn?.tokenURL == other.signIn?.tokenURL && secrets.count == other.secrets.count
            && zip(secrets, other.secrets).allSatisfy { $0.isCopy(of: $1) }
            && AccessSafety.areSame(access, other.access)
    }

    /// Why the first of its secrets that is missing cannot be read, as far as known without running a program; nil if all can be:
    /// `secret env TOKEN: the environment variable TOKEN is not set`.
    package func absence() async -> String? {
        for secret in secrets + [signIn?.program].compactMap(\.self) {
            if let why = await secret.absence() { return "secret \(secret): \(why)" }
        }
        return nil
    }

    /// The secrets that this authorization reads.
    package var secrets: [Secret] {
        switch self {
        case .none, .refreshed: []
        case .bearer(let token): [token]
        case .basic(let user, let password): [user, password].compactMap(\.self)
        case .signIn(let signIn): signIn.secrets
        case .apiKeyHeader(_, let key), .apiKeyQuery(_, let key): [key]
        }
    }
}

/// Adds a source's credentials to each attempt.
package struct AuthorizationProvider: MetadataProvider {
    let authorization: Authorization

    package init(authorization: Authorization) {
        self.authorization = authorization
    }

    package func metadata(_ context: ChainContext) async throws(Failure) -> HTTPFields {
        switch authorization {
        // ``AccessTokenProvider`` adds renewed tokens.
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
