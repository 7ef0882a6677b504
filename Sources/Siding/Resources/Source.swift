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
    /// Sent with every request.
    public var headerFields: HTTPFields
    public var authorization: Authorization
    public var transport: TransportSettings
    /// Limits on the JSON of answers.
    public var jsonLimits: JSONLimits
    public var retry: RetryPolicy
    /// How long a retained request is kept before it is parked as expired; nil for ever.
    public var expiry: Duration?
    /// The origin's promise to act only once on requests with the same key; nil if it makes none.
    public var idempotency: Idempotency?
    /// Rules for failures, which take precedence over the built-in table; the first match wins.
    public var failureRules: [FailureRule]
    /// Rate limits, shared by all processes on the store; see ``RateLimit``.
    public var limits: [RateLimit]

    public init(
        name: String,
        baseURL: HTTPURL,
        headerFields: HTTPFields = [.accept: "application/json"],
        authorization: Authorization = .none,
        transport: TransportSettings = TransportSettings(),
        jsonLimits: JSONLimits = JSONLimits(),
        retry: RetryPolicy = RetryPolicy(),
        expiry: Duration? = nil,
        idempotency: Idempotency? = nil,
        failureRules: [FailureRule] = [],
        limits: [RateLimit] = []
    ) {
        self.name = name
        self.baseURL = baseURL
        self.headerFields = headerFields
        self.authorization = authorization
        self.transport = transport
        self.jsonLimits = jsonLimits
        self.retry = retry
        self.expiry = expiry
        self.idempotency = idempotency
        self.failureRules = failureRules
        self.limits = limits
    }
}

extension Source {
    /// A source named after its host, for programs with a single source.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` if `baseURL` is not an http or https URL.
    public init(baseURL: String, authorization: Authorization = .none) throws(Failure) {
        let url = try HTTPURL(baseURL)
        let name = url.host.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        self.init(name: "s-\(String(name))", baseURL: url, authorization: authorization)
    }
}
