internal import SidingManifest

/// Names whose literal values are never copied.
///
/// Stricter than the grammar, which sees what a person has written on purpose: a file from elsewhere may call its secrets
/// what it likes.
enum SecretWords {
    private static let parts = [
        "token", "secret", "password", "passwd", "apikey", "accesskey", "privatekey", "authorization", "credential",
        "cookie", "signature", "sessionid", "bearer", "subscriptionkey",
    ]
    private static let whole: Set<String> = ["auth", "pwd", "pass", "appid", "appkey", "jwt", "sig", "key"]
    /// Tokens that the origin gives for its next page or for later changes.
    private static let harmless: Set<String> = [
        "pagetoken", "nexttoken", "nextpagetoken", "synctoken", "nextsynctoken", "continuationtoken", "cursortoken",
        "resumetoken", "tokentype", "tokenurl", "accesstokenurl",
    ]

    static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " && $0 != "." }
        if whole.contains(plain) { return true }
        return !harmless.contains(plain) && parts.contains { plain.contains($0) }
    }
}
