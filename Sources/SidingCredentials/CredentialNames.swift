// SPDX-License-Identifier: Apache-2.0
internal import SidingChain

/// Recognises credentials by the name of their header field or query parameter.
package enum CredentialNames {
    /// Mark a credential anywhere in a name.
    private static let parts = ["api-key", "apikey", "password", "secret", "token"]
    /// Mark a credential only as whole words: `x-author` is not one.
    private static let words: Set = [
        "auth", "credential", "credentials", "pass", "passwd", "session", "sessionid", "signature",
    ]
    /// Mark a credential only next to the word `key`: a partition key is not one.
    private static let keys: Set = ["access", "account", "api", "app", "auth", "master", "private", "subscription"]
    /// Whether a header field of this name, in lower case, carries a credential.
    package static func contain(fieldName name: String) -> Bool {
        if Redaction.secretHeaderNames.contains(name) || parts.contains(where: name.contains) { return true }
        let found = Set(name.split { $0 == "-" || $0 == "_" }.map(String.init))
        return !found.isDisjoint(with: words) || (found.contains("key") && !found.isDisjoint(with: keys))
    }

    /// Whether a query parameter of this name, decoded, carries a credential. Names that may be ordinary ones do not count: in the
    /// URL of a write they often name the record.
    package static func contain(queryName name: String) -> Bool {
        Redaction.isSecret(queryName: name) && !Redaction.ambiguousQueryNames.contains(Redaction.plain(name))
    }
}
