internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingCredentials

/// An origin: one entry of `sources:`.
enum SourceGrammar {
    static let baseURL = Keyword(
        "base_url", .baseURL, isRequired: true, "The URL below which all paths lie. https, or http on this machine.")
    static let headers = Keyword(
        "headers", .headers, "Header fields for every request; Accept is application/json unless said otherwise.")
    static let authorization = Keyword(
        "auth", AuthorizationGrammar.type, default: "none", "How requests say who asks.")
    static let http = Keyword("http", HTTPGrammar.shape.type, "The bounds within which the source is spoken to.")
    static let retry = Keyword("retry", RetryGrammar.shape.type, "How patient to be with failures.")
    static let idempotency = Keyword(
        "idempotency", IdempotencyGrammar.shape.type,
        "The origin's promise to act once per key; without it a POST that perhaps arrived waits for a person.")

    static let errors = Keyword(
        "errors", FailureRuleGrammar.all,
        "What to do with which failure; the first that fits wins, and the built-in table has the rest.")

    static let limits = Keyword(
        "limits", LimitGrammar.all, "How many requests go out, counted for all processes on the database together.")

    static let shape = Shape<Source>([
        baseURL.entry, headers.entry, authorization.entry, http.entry, retry.entry, idempotency.entry, errors.entry,
        limits.entry,
    ]) { object, reading in
        let url = object.located(baseURL, &reading)
        let fields = object.value(headers, &reading) ?? [:]
        let authorization = object.value(authorization, &reading) ?? .none
        let bounds = object.value(http, &reading) ?? HTTPBounds()
        let rules = object.value(retry, &reading) ?? RetryRules()
        let promise = object.value(idempotency, &reading)
        guard let url else { return nil }
        refusePlainHTTP(url, bounds.transport, &reading)
        refusePlainTokens(authorization, object, bounds.transport, &reading)
        var source = Source(
            name: "", baseURL: url.value, authorization: authorization, transport: bounds.transport,
            jsonLimits: bounds.json, retry: rules.policy, expiry: rules.expiry,
            idempotency: promise, failureRules: object.value(errors, &reading) ?? [],
            limits: object.value(limits, &reading) ?? [])
        for field in fields { source.headerFields[field.name] = field.value }
        return source
    }

    /// Checks that the token endpoint is encrypted, by the rule for the source itself.
    private static func refusePlainTokens(
        _ authorization: Authorization, _ object: ObjectReader, _ settings: TransportSettings, _ reading: inout Reading
    ) {
        guard let url = authorization.signIn?.tokenURL, let auth = object.entry(Self.authorization.name),
            case .map(let entries) = auth.value.content,
            let entry = entries.first(where: { $0.name == OAuthGrammar.tokenURL.name })
        else { return }
        let owner = reading.subject.member(auth.name, at: auth.place)
        let subject = owner.member(entry.name, at: entry.place)
        refusePlainHTTP(Located(value: url, place: entry.value.place, subject: subject), settings, &reading)
    }

    private static func refusePlainHTTP(
        _ url: Located<HTTPURL>, _ settings: TransportSettings, _ reading: inout Reading
    ) {
        guard url.value.scheme == "http", !url.value.isLoopback, !settings.allowsPlainHTTP else { return }
        reading.fault(
            "\(url.subject) is not encrypted", at: url.place, expected: "https, or http: { allow_plain_http: true }")
    }

    /// The whole of `sources:`.
    static let all = ValueType<[NamedMember<Source>]>.map(
        of: shape.type, "a map of one or more sources", atLeast: 1,
        subject: { entry in
            Subject(key: nil, owner: "source \(Subject.quoted(entry.name))", place: entry.place)
        }
    ).map { members, node, reading in
        if case .map(let entries) = node.content { checkNames(entries, &reading) }
        return members
    }

    private static func checkNames(_ entries: [YAMLEntry], _ reading: inout Reading) {
        for entry in entries where entry.name.wholeMatch(of: /[a-z][a-z0-9_-]{0,99}/) == nil {
            let lower = entry.name.lowercased().replacing(" ", with: "_")
            reading.fault(
                "the name of source \(Subject.quoted(entry.name)) is not one that commands can use", at: entry.place,
                expected: "a lower case letter, then lower case letters, digits, _ or -",
                suggestion: lower.wholeMatch(of: /[a-z][a-z0-9_-]{0,99}/) == nil ? nil : lower)
        }
    }
}
