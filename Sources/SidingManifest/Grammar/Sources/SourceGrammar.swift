// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingCredentials

/// An origin: one entry of `sources:`.
enum SourceGrammar {
    static let baseURL = Keyword(
        "base_url", .baseURL, isRequired: true,
        "The URL to which all paths are appended: https, http on this machine, or http+unix://%2Frun%2Fservice.sock.")
    static let headers = Keyword(
        "headers", .headers, "Header fields of every request. Accept is application/json unless given here.")
    static let authorization = Keyword(
        "auth", AuthorizationGrammar.type, default: "none", "The credentials of requests.")
    static let http = Keyword(
        "http", HTTPGrammar.shape.type, "Timeouts, sizes, concurrency, proxy and network interface.")
    static let tls = Keyword("tls", TLSGrammar.shape.type, "What TLS trusts, and the client's certificate.")
    static let retry = Keyword("retry", RetryGrammar.shape.type, "How often and when to try again.")
    static let idempotency = Keyword(
        "idempotency", IdempotencyGrammar.shape.type,
        "The origin's promise to act once per key. Without it, a POST that may have arrived waits for an operator.")

    static let errors = Keyword(
        "errors", FailureRuleGrammar.all,
        "How failures are handled. The first rule that matches wins; other failures follow the built-in table.")

    static let limits = Keyword(
        "limits", LimitGrammar.all,
        "The maximum number of requests or bytes in a time span, for all processes on the database together.")

    static let trace = Keyword(
        "trace", .truth, default: false,
        "Whether requests carry a trace context (traceparent), by which the origin's traces and logs can be found.")

    static let shape = Shape<Source>([
        baseURL.entry, headers.entry, authorization.entry, http.entry, tls.entry, retry.entry, idempotency.entry,
        errors.entry, limits.entry, trace.entry,
    ]) { object, reading in
        let url = object.located(baseURL, &reading)
        let fields = object.value(headers, &reading) ?? [:]
        let authorization = object.value(authorization, &reading) ?? .none
        var bounds = object.value(http, &reading) ?? HTTPBounds()
        bounds.transport.tls = object.value(tls, &reading) ?? TLSSettings()
        let rules = object.value(retry, &reading) ?? RetrySettings()
        let promise = object.value(idempotency, &reading)
        guard let url else { return nil }
        bounds.transport.proxies = bounds.proxies ?? proxies(forSourceAt: url, &reading)
        bounds.transport.tls.systemAuthorities = systemAuthorities(reading.environment.variables())
        if url.value.isUnixSocket, bounds.transport.interface != nil {
            reading.fault("\(url.subject) is a socket of this machine, which no 'interface' leads to", at: url.place)
        }
        refusePlainHTTP(url, bounds.transport, &reading)
        refusePlainTokens(authorization, object, bounds.transport, &reading)
        var source = Source(
            name: "", baseURL: url.value, authorization: authorization, transport: bounds.transport,
            retry: rules.policy)
        (source.jsonLimits, source.expiry, source.idempotency) = (bounds.json, rules.expiry, promise)
        source.failureRules = object.value(errors, &reading) ?? []
        source.limits = object.value(limits, &reading) ?? []
        source.sendsTraceContext = object.value(trace, &reading) ?? false
        for field in fields { source.headerFields[field.name] = field.value }
        return source
    }

    /// The file or directory of authorities that the environment names, as for OpenSSL.
    static func systemAuthorities(_ variables: [String: String]) -> String? {
        ["SSL_CERT_FILE", "SSL_CERT_DIR"].lazy.compactMap { variables[$0] }.first { !$0.isEmpty }
    }

    /// The proxies of the environment.
    private static func proxies(forSourceAt url: Located<HTTPURL>, _ reading: inout Reading) -> ProxyRules {
        guard !url.value.isLoopback else { return ProxyRules() }
        do throws(Failure) { return try ProxyRules(environment: reading.environment.variables()) } catch {
            reading.fault(
                error.detail ?? "", at: url.place,
                expected: "a URL such as http://proxy.example.com:3128 there, or http: { proxy: none } here")
            return ProxyRules()
        }
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
        of: shape.type, "a map of one or more sources", atLeast: 1, each: "source",
        checkingNames: CommandNames.check("source"))
}
