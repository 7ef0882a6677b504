// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingCredentials

/// The proxy of a source: `http: { proxy: … }`.
enum ProxyGrammar {
    static let proxy = Keyword(
        "proxy", type,
        "The proxy for this source, or none. By default what https_proxy, http_proxy, all_proxy and no_proxy say.")

    private static let expected =
        "none, a URL such as http://proxy.example.com:3128, or { url: …, user: …, password: … }"

    private static let url = Keyword(
        "url", ValueType<String>.text(expected), isRequired: true,
        "http://HOST:PORT, without credentials. Without a port: 80.")
    private static let user = Keyword("user", ValueType<String>.text("a user name"), "The user name for the proxy.")
    private static let password = Keyword("password", .secret, "The password for the proxy.")

    private static let shape = Shape<ProxyRules>([url.entry, user.entry, password.entry]) { object, reading in
        let (user, password) = (object.value(user, &reading), object.value(password, &reading))
        guard let url = object.located(url, &reading) else { return nil }
        guard (user == nil) == (password == nil) else {
            reading.fault(
                "\(reading.subject) has only one of 'user' and 'password'", at: object.place, expected: "both")
            return nil
        }
        var credentials: Proxy.Credentials?
        if let user, let password {
            credentials = Proxy.Credentials(user: user, password: TransportSecret(password))
        }
        return rules(url.value, credentials, at: url.place, &reading)
    }

    private static let type = ValueType<ProxyRules>(
        expected, schema: ["anyOf": [.anyScalar, shape.type.schema]]
    ) { node, reading in
        if case .map = node.content { return shape.type.read(node, &reading) }
        guard let text = ValueType<String>.text(expected).read(node, &reading) else { return nil }
        return text == "none" ? ProxyRules() : rules(text, nil, at: node.place, &reading)
    }

    private static func rules(
        _ text: String, _ credentials: Proxy.Credentials?, at place: Place, _ reading: inout Reading
    ) -> ProxyRules? {
        guard !text.contains("@") else {
            reading.fault(
                "\(reading.subject) carries user information, a secret that this file never holds", at: place,
                expected: "{ url: …, user: …, password: { env: NAME } }")
            return nil
        }
        do throws(Failure) { return ProxyRules(try Proxy(text, credentials: credentials)) } catch {
            reading.fault("\(reading.subject): \(error.detail ?? "")", at: place, expected: expected)
            return nil
        }
    }
}

extension TransportSecret {
    /// A secret of the config, as a connection reads it.
    init(_ secret: Secret) {
        self.init(secret.description) { () async throws(Failure) in try await secret.read() }
    }
}
