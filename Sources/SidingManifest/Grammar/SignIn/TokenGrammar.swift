// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON

/// Tokens from a log-in or a program: `auth: { type: session }` and `command`.
package enum TokenGrammar {
    private static let path = Keyword(
        "path", ValueType<String>.text("a path below base_url such as /login"), isRequired: true,
        "The path below the source's base_url to which the log-in is sent by POST.")
    private static let body = Keyword(
        "body", .login, isRequired: true,
        "The body of the log-in: text, numbers, true, false, secrets, and maps of them. A password or the like must be a secret."
    )
    private static let encoding = Keyword(
        "encoding", ValueType<SessionLogin.Encoding>.choice, default: "json",
        "The encoding of the body: json, or form as in HTML forms, with maps as user[name].")
    private static let token = Keyword(
        "token", ValueType<JSONPath>.path, "The token's path in the answer. Without it: $.access_token or $.token.")
    private static let tokenHeader = Keyword(
        "token_header", .headerName, "The header field of the answer that holds the token.")
    private static let lifetimePath = Keyword(
        "expires_in", ValueType<JSONPath>.path, default: "$.expires_in",
        "The path of the token's lifetime in the answer: seconds, or its end in RFC 3339, or in seconds or milliseconds since 1970."
    )
    private static let lifetime = Keyword(
        "lifetime", .duration, "How long a token lasts if the answer has no lifetime. Without it: until it is refused."
    )
    private static let header = Keyword(
        "header", .headerName, default: "Authorization", "The header field of requests that carries the token.")
    private static let prefix = Keyword(
        "prefix", prefixType,
        "The text before the token; a space follows a word. Bearer in Authorization, otherwise nothing.")
    private static let program = Keyword(
        "command", .program, isRequired: true,
        "A program and its arguments, run without a shell for up to ten seconds. It prints a token, or JSON with one.")

    private static let common = [
        lifetimePath.entry, lifetime.entry, header.entry, prefix.entry, RefreshGrammar.keyword.entry,
    ]

    static let session = Shape<Authorization>(
        [path.entry, body.entry, encoding.entry, token.entry, tokenHeader.entry] + common
    ) { object, reading in
        let path = object.located(path, &reading)
        let body = object.value(body, &reading)
        let encoding = object.value(encoding, &reading) ?? .json
        var places = places(object, &reading)
        if let header = object.located(tokenHeader, &reading) {
            if object.entry(token.name) != nil {
                reading.fault(
                    "\(header.subject) is given beside 'token'", at: header.place, expected: "one of the two")
            }
            places.token = .field(header.value)
        }
        let presented = presented(object, &reading)
        let rules = object.value(RefreshGrammar.keyword, &reading) ?? RefreshRules()
        guard let path, let body, check(path, &reading) else { return nil }
        let login = SessionLogin(path: path.value, body: body, encoding: encoding, places: places)
        return .signIn(SignIn(.session(login), token: presented, early: rules.early, statuses: rules.statuses))
    }

    static let command = Shape<Authorization>([program.entry, token.entry] + common) { object, reading in
        let program = object.value(program, &reading)
        let places = places(object, &reading)
        let presented = presented(object, &reading)
        let rules = object.value(RefreshGrammar.keyword, &reading) ?? RefreshRules()
        guard let program else { return nil }
        return .signIn(
            SignIn(.command(program, places), token: presented, early: rules.early, statuses: rules.statuses))
    }

    private static func places(_ object: ObjectReader, _ reading: inout Reading) -> TokenPlaces {
        var places = TokenPlaces()
        if let path = object.value(token, &reading) { places.token = .body([path]) }
        if let path = object.value(lifetimePath, &reading) { places.lifetime = path }
        places.usualLifetime = object.value(lifetime, &reading)
        return places
    }

    private static func presented(_ object: ObjectReader, _ reading: inout Reading) -> AccessTokenProvider {
        let field = object.value(header, &reading) ?? .authorization
        let usual = field == .authorization ? "Bearer" : ""
        return AccessTokenProvider(field: field, prefix: spaced(object.value(prefix, &reading) ?? usual))
    }

    /// The prefix with a space behind it if it is a word.
    package static func spaced(_ prefix: String) -> String {
        prefix.last.map { $0.isLetter || $0.isNumber } ?? false ? "\(prefix) " : prefix
    }

    private static func check(_ path: Located<String>, _ reading: inout Reading) -> Bool {
        if let name = SecretNames.secretQueryName(inURL: path.value) {
            reading.about(path.subject) { $0.refuseSecretName(name, at: path.place) }
            return false
        }
        guard path.value.prefixMatch(of: /[A-Za-z][A-Za-z0-9+.-]*:\/\//) == nil, !path.value.contains("#") else {
            reading.fault(
                "\(path.subject) does not make a URL", at: path.place,
                expected: "a path below the source's base_url such as /login")
            return false
        }
        return true
    }

    /// Visible ASCII and spaces; may be empty.
    static let prefixType = ValueType<String>.scalar(
        "a word such as Token, or '' for none", schema: .anyScalar
    ) { text, _ in
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? .value(text) : .refused(suggestion: nil)
    }
}
