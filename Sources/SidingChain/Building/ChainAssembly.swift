public import HTTPTypes

/// Assembles nodes into a chain, always in the same order.
///
/// ``URLChainBuilder``, the sync engine, and programs with their own request or response half all use it, so that no chain
/// lacks the error mapper, logging, or access safety. The complete form, outermost first:
///
/// ```
/// AborterNode(LoggerNode(request half → MiddlewareNode(RetryNode(AccessSafeNode(MiddlewareNode(DeadlineNode(
///     TechnicalErrorMapperNode(
///         URLQueryInjectorNode → HeaderInjectorNode → RequestCreatorNode → UploadProgressNode →
///         ETagNode(RequestSenderNode) → ResponseProcessorNode → ResponseErrorEnvelopeNode →
///         ResponseHTTPErrorProcessorNode → DownloadProgressNode → ResponseDataPreprocessorNode →
///         response half))))))))
/// ```
///
/// Nodes without a function (no retries, no deadline, no cache) are left out; the order never changes.
public struct ChainAssembly: Sendable, Changeable {
    /// Sends the requests, for example an `HTTPTransport` of `SidingHTTP`.
    public var transport: any Transport
    /// Distinguishes an origin that cannot be reached from a machine that is offline.
    public var connectivity: any Connectivity
    /// Fields of every request; the request's own fields win.
    public var headerFields: HTTPFields
    /// Called in order on each attempt; the ``AccessTokenProvider`` of ``access`` comes first.
    public var providers: [any MetadataProvider] = []
    /// Query parameters fetched on each attempt, such as an API key; appended to the route's own.
    public var query: (@Sendable () async throws -> [String: QueryValue])?
    /// How ``query`` is written into the URL.
    public var queryEncoding = QueryEncoding()
    /// Query parameters that errors and logs must not show, in addition to the well-known ones.
    public var secretQueryNames: Set<String> = []
    /// Inline retries; none by default.
    public var retry: RetryPolicy
    /// The time limit of one attempt, body included; nil for none besides the transport's.
    public var deadline: Duration?
    /// Randomizes the waits of ``retry``.
    public var jitter: Jitter
    /// Measures deadlines and waits.
    public var clock: any Clock<Duration>
    /// The wall clock, to compare `Retry-After` dates and the age of stored responses with; the system's by default.
    public var wallClock: WallClock

    /// Keeps the requests signed in; share one value among all chains of a source.
    public var access: AccessSafety?
    /// Functions of the program that see or change each request before it is sent; nil for none.
    public var middlewares: Middlewares?
    /// Turns the origin's own error format into the program's errors, before the status check.
    public var errorEnvelope: ResponseErrorEnvelopeNode?
    /// Limits the number of requests, including each retry and each redirect; nil for no limit.
    package var budget: BudgetUse?
    /// Stores responses for conditional requests and for offline use.
    package var cache: CacheUse?
    /// Whether the transfer progress is reported to the call's ``CallHandle``.
    public var reportsProgress = false
    /// Whether a ``CallHandle`` can cancel the call; the response to a successful write survives a cancellation.
    public var isAbortable = false
    /// Names of nodes whose events are not logged.
    public var logExclusions: Set<String> = []

    /// A cache and its keying.
    package struct CacheUse: Sendable {
        let responses: any ResponseCache
        let keying: CacheKeying
    }

    /// Stores responses, for conditional requests and for the chains with a ``CachePolicy``.
    ///
    /// Stored responses are looked up without calling providers and middlewares, which may need the network. Therefore put
    /// fields that the origin varies on, such as a language, into ``headerFields``.
    public func cache(_ responses: any ResponseCache, keying: CacheKeying) -> ChainAssembly {
        with(\.cache, CacheUse(responses: responses, keying: keying))
    }

    /// Sets the parts that most chains need; set the others on the value.
    public init(
        transport: any Transport, connectivity: any Connectivity, headerFields: HTTPFields = [:],
        retry: RetryPolicy = RetryPolicy(retries: 0), jitter: Jitter = .random,
        clock: any Clock<Duration> = ContinuousClock(), wallClock: WallClock = .system
    ) {
        (self.transport, self.connectivity, self.headerFields) = (transport, connectivity, headerFields)
        (self.retry, self.jitter, self.clock, self.wallClock) = (retry, jitter, clock, wallClock)
    }
}

/// Adds method and URL to every failure of an attempt, and removes the source's secret query parameters, which the response
/// nodes do not know.
struct RequestAddingNode<Wrapped: Node>: Node where Wrapped.Input == RequestDraft {
    let wrapped: Wrapped
    let secretQueryNames: Set<String>

    /// Not listed as a step, since it changes failures only.
    var steps: [String] { wrapped.steps }

    func process(_ input: RequestDraft, _ context: ChainContext) async throws(Failure) -> Wrapped.Output {
        do { return try await wrapped.process(input, context) } catch {
            var placed = error.at(
                method: input.route.method.rawValue, url: Redaction.url(input.route.url, also: secretQueryNames))
            placed.url = placed.url.map { Redaction.shown($0, also: secretQueryNames) }
            throw placed
        }
    }
}
