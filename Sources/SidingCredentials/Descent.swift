// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain

/// Identifies the configuration that a credential was obtained with, as salted digests of its secrets and other values.
///
/// If `lineage` changes, such as the first refresh token or the password, the stored credential is useless. `configuration`
/// covers the rest: with another client secret, for example, the refresh token is still valid, and a new attempt is worthwhile.
struct Descent: Sendable, Hashable {
    let salt: String
    let lineage: String
    let configuration: String

    init(salt: String, lineage: [String], configuration: [String]) {
        self.salt = salt
        self.lineage = Self.digest(salt, lineage)
        self.configuration = Self.digest(salt, configuration)
    }

    /// Parses a credential's descent; nil if it is invalid.
    init?(_ text: String?) {
        let parts = text?.split(separator: ".", omittingEmptySubsequences: false).map(String.init) ?? []
        guard parts.count == 3 else { return nil }
        (salt, lineage, configuration) = (parts[0], parts[1], parts[2])
    }

    /// The form stored in a credential.
    var text: String { "\(salt).\(lineage).\(configuration)" }

    static func newSalt() -> String { String(UInt64.random(in: .min ... .max), radix: 16) }

    /// Includes the lengths, so that different divisions into parts have different digests.
    private static func digest(_ salt: String, _ parts: [String]) -> String {
        SHA256.hexadecimal(salt + parts.map { "\n\($0.utf8.count):\($0)" }.joined())
    }
}

extension SignIn {
    /// The descent of a credential of this sign-in, for requests to `origin`. Reads the secrets.
    ///
    /// - Throws: the errors of reading a secret.
    func descent(_ origin: String, salt: String) async throws(Failure) -> Descent {
        let outside = [origin, token.field.canonicalName, token.prefix]
        switch grant {
        case .clientCredentials(let client):
            return Descent(salt: salt, lineage: outside + (try await client.parts()), configuration: [])
        case .refreshToken(let client, let first):
            let lineage = [kind, client.tokenURL.description, try await client.id.read(), try await first.read()]
            return Descent(salt: salt, lineage: lineage, configuration: outside + (try await client.parts()))
        case .session(let login):
            let body = String(decoding: try await login.body.json(), as: UTF8.self)
            return Descent(salt: salt, lineage: outside + [kind, login.path, body], configuration: [])
        case .command(let program, _):
            return Descent(salt: salt, lineage: outside + [kind, program.description], configuration: [])
        }
    }
}

extension OAuthClient {
    fileprivate func parts() async throws(Failure) -> [String] {
        var parts = [tokenURL.description, authentication.rawValue, scope ?? "", try await id.read()]
        parts.append(try await secret?.read() ?? "")
        for (name, value) in parameters.sorted(by: { $0.key < $1.key }) { parts += [name, try await value.read()] }
        return parts
    }
}
