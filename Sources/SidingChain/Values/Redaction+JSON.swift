internal import SidingJSON

extension Redaction {
    /// Member names whose values are never shown, in lower case and without `_` and `-`.
    ///
    /// Unlike in queries, `code` and `key` are no secrets there: an error's code and a record's key are what a person
    /// looks for.
    public static let secretMemberNames: Set<String> = [
        "accesstoken", "apikey", "auth", "authorization", "clientsecret", "idtoken", "passwd", "password", "privatekey",
        "privatetoken", "refreshtoken", "secret", "sessionid", "sig", "signature", "token", "xapikey",
    ]

    /// Whether what stands under the member `name` is secret, however the name is spelt: `accessToken`, `access_token`.
    public static func isSecret(memberName name: String) -> Bool {
        secretMemberNames.contains(name.lowercased().filter { $0 != "_" && $0 != "-" })
    }

    /// The start of a value for an error: one line, bounded, `…` in the place of secrets.
    static func excerpt(_ document: JSONDocument) -> String {
        document.excerpt(hiding: isSecret(memberName:))
    }
}
