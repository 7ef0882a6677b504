// SPDX-License-Identifier: Apache-2.0
/// A base URL without the secrets that it contained.
struct ImportedURL: Sendable {
    let text: String
    /// Whether the URL contained a user name and password.
    let hadUser: Bool
    /// The names of secret query parameters that the URL contained.
    let secretNames: [String]

    init(_ text: String) {
        var text = text
        var hadUser = false
        if let start = text.firstRange(of: "://")?.upperBound {
            let authority = text[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            if let mark = authority.lastIndex(of: "@") {
                text.removeSubrange(start...mark)
                hadUser = true
            }
        }
        (self.text, secretNames) = Self.withoutSecrets(text)
        self.hadUser = hadUser
    }

    /// Whether requests would cross a network without TLS.
    var isPlainHTTP: Bool {
        guard text.lowercased().hasPrefix("http://") else { return false }
        let host = text.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" && $0 != ":" }.lowercased()
        if text.dropFirst("http://".count).hasPrefix("[::1]") { return false }
        let isLocal = host == "localhost" || host.wholeMatch(of: /127(\.[0-9]{1,3}){3}/) != nil
        return !isLocal
    }

    /// A URL or path without its secret query parameters, and their names.
    static func withoutSecrets(_ text: String) -> (text: String, names: [String]) {
        guard let mark = text.firstIndex(of: "?") else { return (text, []) }
        var names: [String] = []
        let pairs = text[text.index(after: mark)...].split(separator: "&").filter { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            let isSecret = parts.count == 2 && SecretWords.isSecret(name, String(parts[1]))
            if isSecret { names.append(name) }
            return !isSecret
        }
        guard !names.isEmpty else { return (text, []) }
        return (text[..<mark] + (pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")), names)
    }
}

extension ImportedSource {
    /// A source with the base URL `text`; its `auth` comes from the URL's user or parameters.
    init(url text: String, from origin: Origin, of owner: Origin, _ imported: inout ImportedConfig) {
        let url = ImportedURL(text)
        let plain = url.text.contains("?") ? url.text : String(url.text.reversed().drop { $0 == "/" }.reversed())
        self.init(
            name: SecretNaming.source(ofURL: plain), baseURL: .text(plain.isEmpty ? url.text : plain, from: origin),
            from: owner)
        if url.isPlainHTTP {
            isPlainHTTP = true
            imported.noteUnsupported(
                origin, "the URL is http, so others on the network can read the requests",
                hint:
                    "with 'auth' the source uses https instead, without it 'allow_plain_http': check whether the "
                    + "origin answers https")
        }
        if url.hadUser {
            let (user, password) = (SecretNaming.variable(name, "user"), SecretNaming.variable(name, "password"))
            auth = .basic(user: .secret(user, from: origin), password: .secret(password, from: origin), from: origin)
            imported.noteUnsupported(
                origin, "the user and the password in the URL are not copied",
                hint: "set the environment variables \(user) and \(password)")
        }
        for name in url.secretNames { authorize(query: name, from: origin, &imported) }
    }

    /// `path` without its secret query parameters, which become the source's `auth`.
    mutating func withoutSecrets(_ path: String, from origin: Origin, _ imported: inout ImportedConfig) -> String {
        let (plain, names) = ImportedURL.withoutSecrets(path)
        for name in names { authorize(query: name, from: origin, &imported) }
        return plain
    }
}

extension ConfigNode {
    static func basic(user: ConfigNode, password: ConfigNode?, from origin: Origin) -> ConfigNode {
        var map = ConfigMap(from: origin)
        map.set("type", text: "basic")
        map.set("user", user)
        map.set("password", password)
        return map.node
    }
}
