// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Names whose values are credentials and so must not be in a config.
enum SecretNames {
    /// Names that are also used for ordinary values, as in `?code=DE` or `?key=title`.
    private static let ambiguous = Redaction.ambiguousQueryNames.union(["auth", "sig"])

    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "apikey", "x-apikey",
        "x-auth-token", "x-access-token", "x-csrf-token", "private-token",
    ]

    static func isSecret(queryName name: String) -> Bool {
        !ambiguous.contains(Redaction.plain(name)) && Redaction.isSecret(queryName: name)
    }

    static func isSecret(headerName name: String) -> Bool { headers.contains(name.lowercased()) }

    /// The first query parameter in the URL's text that is named like a secret.
    static func secretQueryName(inURL text: String) -> String? {
        guard let mark = text.firstIndex(of: "?") else { return nil }
        return text[text.index(after: mark)...].split(separator: "&")
            .map { String($0.prefix { $0 != "=" }) }
            .first { isSecret(queryName: $0) }
    }
}
