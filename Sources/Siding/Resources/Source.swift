// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain
public import SidingCredentials
public import SidingJSON

/// An origin: its URL, the credentials, and the limits and retry rules of its requests.
public struct Source: Sendable {
    /// `[a-z][a-z0-9_-]*`; names the source in the queue, in gates and on the command line.
    public var name: String
    /// Every request and every next-page link stays on this URL's origin.
    public var baseURL: HTTPURL
    /// Sent with every request. They ask for JSON by default.
    public var headerFields: HTTPFields = [.accept: "application/json"]
    /// The credential of its requests.
    public var authorization: Authorization
    /// Proxy, certificates and time limits of its connections.
    public var transport: TransportSettings
    /// Limits on the JSON of answers.
    public var jsonLimits = JSONLimits()
    /// How a failed request is retried before it goes to the queue.
    public var retry: RetryPolicy
    /// Shared by all copies of this value, and so by all requests to the origin.
    package let retryLimit = InlineRetryLimit()
    /// How long a retained request is kept before it is parked as expired; nil for ever.
    public var expiry: Duration?
    /// The origin's promise to act only once on requests with the same key; nil if it makes none.
    public var idempotency: Idempotency?
    /// Rules for failures, which take precedence over the built-in table; the first match wins.
    package var failureRules: [FailureRule] = []
    /// Rate limits, shared by all processes on the store; see ``RateLimit``.
    public var limits: [RateLimit] = []
    /// Whether requests carry the trace context (`traceparent`): that of the program's tracer, or random ids without one.
    public var sendsTraceContext = false

    /// The parameters are the properties of the same names; set the others on the value.
    public init(
        name: String, baseURL: HTTPURL, authorization: Authorization = .none,
        transport: TransportSettings = TransportSettings(), retry: RetryPolicy = RetryPolicy()
    ) {
        (self.name, self.baseURL, self.authorization) = (name, baseURL, authorization)
        (self.transport, self.retry) = (transport, retry)
    }
}

extension Source: Changeable {}

extension Source {
    /// The settings of its connections: credentials pass no proxy unencrypted.
    package var connection: TransportSettings {
        guard authorization.hasCredentials else { return transport }
        var settings = transport
        settings.proxies.http = nil
        return settings
    }

    /// Whether its requests have a route: to their proxy if they go through one.
    package func isReachable(by connectivity: any Connectivity) -> Bool {
        connectivity.hasUsableRoute(to: connection.proxies.proxy(for: baseURL)?.host ?? baseURL.host)
    }

    /// A source named after its URL: `s-api-example-com-v2` for `https://api.example.com/v2`. Its name is what the queue keeps
    /// beside each request, so a source that may move to another URL needs a name of its own.
    ///
    /// - Throws: `Failure.Reason.invalidRequest` if `baseURL` is not an http or https URL.
    public init(baseURL: String, authorization: Authorization = .none) throws(Failure) {
        let url = try HTTPURL(baseURL)
        let place = (url.authority + url.path).lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        self.init(name: "s-\(place.joined(separator: "-"))", baseURL: url, authorization: authorization)
    }

    /// Checks that no two sources share a name, by which the queue finds the origin and the credential of a request.
    ///
    /// - Throws: ``StoreError/Kind/invalidName`` for sources that differ in URL, header fields or credentials.
    static func checkNames(of sources: [Source]) throws(StoreError) {
        var named: [String: Source] = [:]
        for source in sources {
            guard let other = named.updateValue(source, forKey: source.name) else { continue }
            let isSame =
                other.baseURL == source.baseURL && other.headerFields == source.headerFields
                && other.authorization.isSame(as: source.authorization)
            guard !isSame else { continue }
            let difference =
                other.baseURL == source.baseURL
                ? "both of \(source.baseURL), with different credentials or header fields"
                : "of \(other.baseURL) and \(source.baseURL)"
            throw StoreError(
                .invalidName, "two sources are named '\(source.name)', \(difference)",
                hint: "give each a name with Source(name:baseURL:), or use one Source value for all its resources")
        }
    }
}

extension SignIns {
    /// `source` with what keeps its requests signed in; unchanged where its authorization gets no tokens.
    package func signedIn(_ source: Source) -> Source {
        var source = source
        source.authorization = signedIn(
            source.authorization, of: source.name, at: source.baseURL, headerFields: source.headerFields,
            source.connection)
        return source
    }
}

/// The origin's promise to process requests with the same idempotency key only once.
///
/// Every POST and PATCH carries the key. A write that may have arrived is sent again only if the origin is declared to honour
/// the key, and only while it remembers the key (draft-ietf-httpapi-idempotency-key-header).
public struct Idempotency: Sendable, Hashable {
    /// The field that carries the key. The draft writes the key in double quotes (RFC 8941 §3.3.3); it is sent without them, as
    /// the origins that honour keys today document it.
    public var field: HTTPField.Name
    /// How long the origin remembers a key, counted from the first request that carried it.
    public var lifetime: Duration

    /// Defaults: the field `Idempotency-Key`, 24 hours.
    public init(field: HTTPField.Name = Idempotency.standardField, lifetime: Duration = .seconds(24 * 3600)) {
        (self.field, self.lifetime) = (field, lifetime)
    }

    /// `Idempotency-Key`.
    public static let standardField = HTTPField.Name("Idempotency-Key") ?? .ifMatch
}
