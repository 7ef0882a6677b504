internal import SidingManifest

/// Names whose literal values are never copied.
///
/// Stricter than the grammar, which sees what a person has written on purpose: a file from elsewhere may call its secrets
/// what it likes.
enum SecretWords {
    private static let parts = [
        "token", "secret", "password", "passwd", "apikey", "accesskey", "privatekey", "authorization", "credential",
        "cookie", "signature", "sessionid", "bearer", "subscriptionkey", "authkey", "clientkey", "userkey",
        "functionskey",
        "masterkey", "sharedkey", "writekey", "licensekey",
    ]
    private static let whole: Set<String> = [
        "auth", "pwd", "pass", "appid", "appkey", "jwt", "sig", "key", "sas", "otp", "pin",
    ]
    /// Tokens that the origin gives for its next page or for later changes.
    private static let harmless: Set<String> = [
        "pagetoken", "nexttoken", "nextpagetoken", "synctoken", "nextsynctoken", "continuationtoken", "cursortoken",
        "resumetoken", "tokentype", "tokenurl", "accesstokenurl",
    ]

    /// Names that are also ordinary words.
    private static let ordinary: Set<String> = ["key", "auth", "pass", "sig", "pin"]

    /// Whether `value` under `name` is one: ordinary words mean a secret where the value looks like one, and some values do
    /// so under any name.
    static func isSecret(_ name: String, _ value: String) -> Bool {
        if value.hasPrefix("Bearer ") || value.hasPrefix("Basic ") { return true }
        return isSecret(name) && (!ordinary.contains(name.lowercased()) || value.utf8.count >= 12)
    }

    /// Whether what a list or a map under `name` holds is secret throughout.
    static func holdsSecrets(_ name: String) -> Bool {
        isSecret(name) && (!ordinary.contains(name.lowercased()) || name.lowercased() == "auth")
    }

    static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " && $0 != "." }
        if whole.contains(plain) { return true }
        return !harmless.contains(plain) && parts.contains { plain.contains($0) }
    }
}
