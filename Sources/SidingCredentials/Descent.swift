internal import HTTPTypes
internal import SidingChain

/// What a credential stems from, without telling it: salted digests of the secrets and the rest that the configuration says.
///
/// `lineage` is what another of makes the kept credential worthless: another first refresh token, another password.
/// `configuration` is all else: with another client secret the refresh token is still good, and a new try worth making.
struct Descent: Sendable, Hashable {
    let salt: String
    let lineage: String
    let configuration: String

    init(salt: String, lineage: [String], configuration: [String]) {
        self.salt = salt
        self.lineage = Self.digest(salt, lineage)
        self.configuration = Self.digest(salt, configuration)
    }

    /// A descent as a credential carries it; nil for what is none.
    init?(_ text: String?) {
        let parts = text?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
        guard parts.count == 3 else { return nil }
        (salt, lineage, configuration) = (parts[0], parts[1], parts[2])
    }

    /// As a credential carries it.
    var text: String { "\(salt).\(lineage).\(configuration)" }

    static func newSalt() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// With the lengths, so that what stands in one part is not taken for the next one's.
    private static func digest(_ salt: String, _ parts: [String]) -> String {
        SHA256.hexadecimal(salt + parts.map { "\n\($0.utf8.count):\($0)" }.joined())
    }
}

extension SignIn {
    /// What a credential of this sign-in stems from, for requests to `origin`. Reads the secrets.
    ///
    /// - Throws: what a secret's reading throws.
    func descent(_ origin: String, salt: String) async throws(Failure) -> Descent {
        let outside = [origin, token.field.canonicalName, token.prefix]
        switch grant {
        case .clientCredentials(let client):
            return Descent(salt: salt, lineage: outside + (try await client.words()), configuration: [])
        case .refreshToken(let client, let first):
            let lineage = [kind, client.tokenURL.description, try await client.id.read(), try await first.read()]
            return Descent(salt: salt, lineage: lineage, configuration: outside + (try await client.words()))
        case .session(let login):
            let body = String(decoding: try await login.body.json(), as: UTF8.self)
            return Descent(salt: salt, lineage: outside + [kind, login.path, body], configuration: [])
        case .command(let program, _):
            return Descent(salt: salt, lineage: outside + [kind, program.description], configuration: [])
        }
    }
}

extension OAuthClient {
    fileprivate func words() async throws(Failure) -> [String] {
        var words = [tokenURL.description, authentication.rawValue, scope ?? "", try await id.read()]
        words.append(try await secret?.read() ?? "")
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { words += [name, try await value.read()] }
        return words
    }
}
