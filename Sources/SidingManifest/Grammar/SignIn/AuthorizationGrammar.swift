// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingCredentials

/// The credentials of a source: `auth:`.
enum AuthorizationGrammar {
    static let type = ValueType<Authorization>.union(of: [
        Variant(name: "none", doc: "No credentials.", shape: Shape([]) { _, _ in Authorization.none }),
        Variant(name: "bearer", doc: "Authorization: Bearer … (RFC 6750).", shape: bearer),
        Variant(name: "basic", doc: "Authorization: Basic … (RFC 7617).", shape: basic),
        Variant(name: "api_key", doc: "A key in a header field or a query parameter.", shape: apiKey),
        Variant(
            name: "oauth2_client", doc: "A token from the client credentials grant (RFC 6749 §4.4).",
            shape: OAuthGrammar.client),
        Variant(
            name: "oauth2_refresh", doc: "A token from the refresh token grant (RFC 6749 §6).",
            shape: OAuthGrammar.refresh),
        Variant(
            name: "session", doc: "A token that the origin returns for a log-in.", shape: TokenGrammar.session),
        Variant(name: "command", doc: "A token that a program prints.", shape: TokenGrammar.command),
    ])

    private static let token = Keyword("token", .secret, isRequired: true, "The token.")

    private static let prefix = Keyword(
        "prefix", TokenGrammar.prefixType,
        "The text before the secret; a space follows a word. Without it: Bearer with bearer, nothing with api_key.")

    private static let bearer = Shape<Authorization>([token.entry, prefix.entry]) { object, reading in
        let prefix = object.value(prefix, &reading).map(TokenGrammar.spaced)
        guard let token = object.value(token, &reading) else { return nil }
        return prefix.map { .apiKeyHeader(.authorization, token.behind($0)) } ?? .bearer(token)
    }

    private static let user = Keyword("user", .secretOrText, isRequired: true, "The user's name, as text or a secret.")
    private static let password = Keyword("password", .password, "The password. Without it: an empty one.")

    private static let basic = Shape<Authorization>([user.entry, password.entry]) { object, reading in
        let user = object.value(user, &reading)
        let isGiven = object.entry(password.name) != nil
        let password = object.value(password, &reading)
        guard let user, !isGiven || password != nil else { return nil }
        return .basic(user: user, password: password)
    }

    private enum KeyPosition: String, Sendable, CaseIterable {
        case header
        case query
    }

    private static let key = Keyword("key", .secret, isRequired: true, "The key.")
    private static let position = Keyword(
        "in", ValueType<KeyPosition>.choice, default: "header", "The place of the key: header or query.")
    private static let nameDoc = "The header field or the query parameter that carries the key."
    private static let name = Keyword(
        "name", ValueType<String>.text("a name such as X-API-Key"), isRequired: true, nameDoc)
    private static let fieldName = Keyword("name", .headerName, isRequired: true, nameDoc)

    private static let apiKey = Shape<Authorization>([key.entry, position.entry, name.entry, prefix.entry]) {
        object, reading in
        let prefix = object.value(prefix, &reading).map(TokenGrammar.spaced)
        let secret = object.value(key, &reading)
        let key = prefix.flatMap { secret?.behind($0) } ?? secret
        switch object.value(position, &reading) ?? .header {
        case .header:
            guard let name = object.value(fieldName, &reading), let key else { return nil }
            return .apiKeyHeader(name, key)
        case .query:
            guard let name = object.value(name, &reading), let key else { return nil }
            return .apiKeyQuery(name, key)
        }
    }
}
