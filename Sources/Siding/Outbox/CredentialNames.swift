internal import SidingChain

/// Which names say that what stands under them is a credential.
enum CredentialNames {
    /// Tell wherever they stand in a name.
    private static let parts = ["api-key", "apikey", "password", "secret", "token"]
    /// Tell as a word of their own: in `x-author` there is none.
    private static let words: Set = [
        "auth", "credential", "credentials", "pass", "passwd", "session", "sessionid", "signature",
    ]
    /// Tell beside the word `key`: a partition key is none.
    private static let keys: Set = ["access", "account", "api", "app", "auth", "master", "private", "subscription"]
    /// Secrets elsewhere, but in a write's URL as often the name of what it is about.
    private static let plainQueryNames: Set = ["code", "key"]

    /// - Parameter name: of a header field, in lower case.
    static func contain(fieldName name: String) -> Bool {
        if Redaction.secretHeaderNames.contains(name) || parts.contains(where: name.contains) { return true }
        let found = Set(name.split { $0 == "-" || $0 == "_" }.map(String.init))
        return !found.isDisjoint(with: words) || (found.contains("key") && !found.isDisjoint(with: keys))
    }

    /// - Parameter name: of a query parameter, decoded.
    static func contain(queryName name: String) -> Bool {
        Redaction.isSecret(queryName: name) && !plainQueryNames.contains(name.lowercased())
    }
}
