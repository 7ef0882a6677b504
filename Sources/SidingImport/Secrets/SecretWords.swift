// SPDX-License-Identifier: Apache-2.0
internal import SidingManifest

/// Recognizes names whose literal values are never copied.
///
/// It is stricter than the grammar, which checks what the user wrote on purpose: a foreign file may use any name for secrets.
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
    /// Tokens from the origin for the next page or for later changes.
    private static let harmless: Set<String> = [
        "pagetoken", "nexttoken", "nextpagetoken", "synctoken", "nextsynctoken", "continuationtoken", "cursortoken",
        "resumetoken", "tokentype", "tokenurl", "accesstokenurl",
    ]

    /// Names that are also ordinary words.
    private static let ordinary: Set<String> = ["key", "auth", "pass", "sig", "pin"]

    /// Whether `value` under `name` is a secret: for ordinary words only if the value looks like one; some values are secrets
    /// under any name.
    static func isSecret(_ name: String, _ value: String) -> Bool {
        if value.hasPrefix("Bearer ") || value.hasPrefix("Basic ") { return true }
        return isSecret(name) && (!ordinary.contains(name.lowercased()) || value.utf8.count >= 12)
    }

    /// Whether all values in a list or a map under `name` are secrets.
    static func holdsSecrets(_ name: String) -> Bool {
        isSecret(name) && (!ordinary.contains(name.lowercased()) || name.lowercased() == "auth")
    }

    static func isSecret(_ name: String) -> Bool {
        let plain = name.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " && $0 != "." }
        if whole.contains(plain) { return true }
        return !harmless.contains(plain) && parts.contains { plain.contains($0) }
    }
}
