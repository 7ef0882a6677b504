internal import SidingChain

/// Names whose values are credentials wherever they stand, and so have no place in a configuration.
enum SecretNames {
    /// Also ordinary names, as in `?code=DE` or `?key=title`.
    private static let ambiguous: Set<String> = ["auth", "code", "key", "sig"]

    private static let headers: Set<String> = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "apikey", "x-apikey",
        "x-auth-token", "x-access-token", "x-csrf-token", "private-token",
    ]

    static func isSecret(queryName name: String) -> Bool {
        !ambiguous.contains(name.lowercased()) && Redaction.isSecret(queryName: name)
    }

    static func isSecret(headerName name: String) -> Bool { headers.contains(name.lowercased()) }

    /// The secret parameter names of a URL's query, taken from its text.
    static func secretQueryName(inURL text: String) -> String? {
        guard let mark = text.firstIndex(of: "?") else { return nil }
        return text[text.index(after: mark)...].split(separator: "&")
            .map { String($0.prefix { $0 != "=" }) }
            .first { isSecret(queryName: $0) }
    }
}
