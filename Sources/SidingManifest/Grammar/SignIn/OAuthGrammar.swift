// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingCredentials

/// Tokens from an OAuth 2 token endpoint: `auth: { type: oauth2_client }` and `oauth2_refresh`.
enum OAuthGrammar {
    static let tokenURL = Keyword(
        "token_url", .baseURL, isRequired: true,
        "The token endpoint. https, http on this machine, or any http with allow_plain_http.")
    private static let id = Keyword(
        "client_id", .secretOrText, isRequired: true, "The client's name, as text or a secret.")
    private static let secret = Keyword("client_secret", .secret, isRequired: true, "The client's secret.")
    private static let optionalSecret = Keyword(
        "client_secret", .secret, "The client's secret, if it has one.")
    private static let authentication = Keyword(
        "client_auth", ValueType<OAuthClient.Authentication>.choice, default: "basic",
        "How the client's secret is sent: basic, in Authorization; body, with the parameters.")
    private static let scope = Keyword(
        "scope", ValueType<String>.text("scopes separated by spaces"), "The scopes of the token.")
    private static let audience = Keyword(
        "audience", ValueType<String>.text("the name of an audience"),
        "The audience of the token, if the origin asks for one.")
    private static let parameters = Keyword(
        "params", parametersType, "Further parameters of the request, as text or secrets.")
    private static let firstToken = Keyword(
        "refresh_token", .secret, isRequired: true,
        "The first refresh token. Siding stores those that replace it.")

    static let client = Shape<Authorization>([
        tokenURL.entry, id.entry, secret.entry, authentication.entry, scope.entry, audience.entry, parameters.entry,
        RefreshGrammar.keyword.entry,
    ]) { object, reading in
        let client = client(object, secret, &reading)
        let rules = object.value(RefreshGrammar.keyword, &reading) ?? RefreshRules()
        guard let client, client.secret != nil else { return nil }
        return .signIn(SignIn(.clientCredentials(client), early: rules.early, statuses: rules.statuses))
    }

    static let refresh = Shape<Authorization>([
        tokenURL.entry, id.entry, optionalSecret.entry, firstToken.entry, authentication.entry, scope.entry,
        audience.entry, parameters.entry, RefreshGrammar.keyword.entry,
    ]) { object, reading in
        let client = client(object, optionalSecret, &reading)
        let first = object.value(firstToken, &reading)
        let rules = object.value(RefreshGrammar.keyword, &reading) ?? RefreshRules()
        guard let client, let first else { return nil }
        return .signIn(SignIn(.refreshToken(client, first: first), early: rules.early, statuses: rules.statuses))
    }

    private static func client(
        _ object: ObjectReader, _ secretKey: Keyword<Secret>, _ reading: inout Reading
    ) -> OAuthClient? {
        let url = object.value(tokenURL, &reading)
        let id = object.value(id, &reading)
        let secret = object.value(secretKey, &reading)
        let place = object.value(authentication, &reading)
        let scope = object.value(scope, &reading)
        let audience = object.value(audience, &reading)
        var parameters = object.value(parameters, &reading) ?? [:]
        if let audience { parameters["audience"] = Secret(plain: audience, "'audience'") }
        guard let url, let id else { return nil }
        return OAuthClient(
            tokenURL: url, id: id, secret: secret, authentication: place ?? .basic, scope: scope,
            parameters: parameters)
    }

    /// Parameters that have their own keys or are set by the grant.
    private static let reserved: Set<String> = [
        "grant_type", "client_id", "client_secret", "refresh_token", "scope", "audience",
    ]

    private static let parametersType = ValueType<[NamedMember<Secret>]>
        .map(of: .secretOrText, "a map of parameters")
        .map { members, _, reading -> [String: Secret]? in
            for member in members {
                if reserved.contains(member.name) {
                    reading.fault(
                        "\(Subject.quoted(member.name))\(reading.subject.inOwner) has a place of its own",
                        at: member.place, expected: "'\(member.name)' in 'auth', where it is not the grant's own")
                } else if member.value.isPlain, SecretNames.isSecret(queryName: member.name) {
                    reading.refuseLiteral(member.name, at: member.place)
                }
            }
            return members.byName()
        }
}

extension Reading {
    /// Notes a literal in a place whose name demands a secret.
    mutating func refuseLiteral(_ name: String, at place: Place) {
        fault(
            "\(Subject.quoted(name))\(subject.inOwner) is a literal; this file never holds a secret, only where to find it",
            at: place, expected: ValueType<Secret>.howSecretsAreWritten)
    }
}
