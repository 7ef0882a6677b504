// SPDX-License-Identifier: Apache-2.0
/// Credentials that an answer asks for: one challenge of its `WWW-Authenticate` (RFC 9110 §11.6.1).
struct CredentialChallenge: Equatable {
    /// In lower case.
    let scheme: String
    /// As the origin writes it.
    let name: String
    /// The names of its parameters, in lower case.
    private(set) var parameters: Set<String> = []

    private init(_ name: Substring) { (self.scheme, self.name) = (name.lowercased(), String(name)) }

    /// All challenges of the field, in its order. Commas separate challenges and parameters alike, so a word without `=`, or one with a
    /// space behind it, begins the next challenge.
    static func all(in field: String) -> [CredentialChallenge] {
        var challenges: [CredentialChallenge] = []
        for part in parts(of: field) {
            var rest = part[...]
            if let begin = part.prefixMatch(of: /([A-Za-z][A-Za-z0-9._-]{0,40})(?:[ \t]+(?![ \t=])|$)/) {
                challenges.append(CredentialChallenge(begin.output.1))
                rest = part[begin.range.upperBound...]
            }
            guard let parameter = rest.prefixMatch(of: /([A-Za-z0-9_*-]+)[ \t]*=/), !challenges.isEmpty else {
                continue
            }
            challenges[challenges.count - 1].parameters.insert(parameter.output.1.lowercased())
        }
        return challenges
    }

    /// The text between commas that no quotes enclose.
    private static func parts(of field: String) -> [String] {
        var parts = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in field.prefix(4_000) {
            if character == ",", !isQuoted {
                parts.append("")
            } else {
                if character == "\"", !isEscaped { isQuoted.toggle() }
                isEscaped = isQuoted && character == "\\" && !isEscaped
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map { String($0.drop { $0 == " " || $0 == "\t" }) }
    }

    /// Whether it is answered with a secret that stays the same, in `Authorization` behind the scheme's name.
    var takesToken: Bool {
        ![
            "basic", "digest", "negotiate", "ntlm", "kerberos", "hoba", "mutual", "dpop", "vapid", "gnap",
            "privatetoken",
        ].contains(scheme)
            && !scheme.hasPrefix("scram") && !scheme.hasPrefix("aws4") && !scheme.hasPrefix("hawk")
    }

    /// Whether the token comes from an authorization server (RFC 6749, RFC 9728).
    var isOAuth: Bool {
        let names: Set = [
            "authorization_uri", "authorization_server", "resource_metadata", "token_uri", "as_uri", "scope",
        ]
        return scheme == "oauth" || !parameters.isDisjoint(with: names)
    }
}
