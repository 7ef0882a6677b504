public import HTTPTypes
public import SidingChain
public import SidingCredentials
public import SidingJSON

/// An origin: where it is, how to say who asks, and how patient to be with it.
public struct Source: Sendable {
    /// `[a-z][a-z0-9_-]*`; names the source in the queue, in gates and on the command line.
    public var name: String
    /// Every request and every next-page link stays on this URL's origin.
    public var baseURL: HTTPURL
    /// Sent with every request.
    public var headerFields: HTTPFields
    public var authorization: Authorization
    public var transport: TransportSettings
    /// What the JSON of an answer may hold.
    public var jsonLimits: JSONLimits
    public var retry: RetryPolicy
    /// How long a retained request is kept before it is parked as expired; nil for ever.
    public var expiry: Duration?
    /// The origin's promise to act once on requests with the same key; nil where it makes none.
    public var idempotency: Idempotency?
    /// What to do with which failure, before the built-in table is asked; the first that fits wins.
    public var failureRules: [FailureRule]
    /// How many requests it takes, for all processes on the store together; see ``RateLimit``.
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
    /// A source named after its host, for programs that need but one.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` where `baseURL` is no http or https URL.
    public init(baseURL: String, authorization: Authorization = .none) throws(Failure) {
        let url = try HTTPURL(baseURL)
        let name = url.host.map { $0.isLetter || $0.isNumber ? $0 : "-" }
        self.init(name: "s-\(String(name))", baseURL: url, authorization: authorization)
    }
}
