internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials

/// The identity of the requests belongs to the resource's definition: another tenant, account or API version has other records.
/// It includes everything that is not secret, so a renewed token does not change it.
extension Source {
    /// The header fields of requests, one per line, without secrets and `User-Agent`.
    var askingFields: String {
        headerFields.filter { field in
            let name = field.name.canonicalName
            return name != "user-agent" && field.name != authorization.field && !Self.isSecret(name)
        }
        .map { "\($0.name.canonicalName): \($0.value)" }.sorted().joined(separator: "\n")
    }

    /// Name parts of possible secrets; better one too many.
    private static let secretWords = [
        "auth", "cookie", "credential", "key", "pass", "secret", "session", "sign", "token",
    ]

    fileprivate static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased()
        return Redaction.secretHeaderNames.contains(name) || Redaction.isSecret(queryName: name)
            || secretWords.contains { name.contains($0) }
    }
}

extension Authorization {
    /// The account without secrets, one item per line.
    var account: String {
        let words: [String] =
            switch self {
            case .none, .bearer, .refreshed: []
            case .basic(let user, _): [user.name]
            case .apiKeyHeader(let field, _): ["header", field.canonicalName]
            case .apiKeyQuery(let name, _): ["query", name]
            case .signIn(let signIn): signIn.account
            }
        return ([kind] + words).joined(separator: "\n")
    }
}

extension SignIn {
    fileprivate var account: [String] {
        switch grant {
        case .clientCredentials(let client), .refreshToken(let client, _): client.account
        case .session(let login): [String(login.path.prefix { $0 != "?" })] + login.body.account(named: "")
        case .command(let program, _): [program.description]
        }
    }
}

extension OAuthClient {
    fileprivate var account: [String] {
        [Redaction.url(tokenURL), id.name, scope ?? ""]
            + parameters.sorted { $0.key < $1.key }.compactMap { name, value in
                Source.isSecret(name) ? nil : "\(name)=\(value.name)"
            }
    }
}

extension LoginValue {
    /// The values whose names do not suggest a secret.
    fileprivate func account(named name: String) -> [String] {
        switch self {
        case .secret(let secret): ["\(name)=\(secret.name)"]
        case .integer(let number): ["\(name)=\(number)"]
        case .truth(let truth): ["\(name)=\(truth)"]
        case .members(let members):
            members.sorted { $0.key < $1.key }.filter { !Source.isSecret($0.key) }
                .flatMap { $0.value.account(named: name.isEmpty ? $0.key : "\(name)[\($0.key)]") }
        }
    }
}

extension Secret {
    /// Plain text as it is; for a secret only where it is stored.
    fileprivate var name: String { plainText ?? description }
}
