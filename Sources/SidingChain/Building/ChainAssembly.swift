public import HTTPTypes

/// The one way in which nodes are put together, whatever goes in at the front and comes out at the end.
///
/// ``URLChainBuilder``, the sync engine, and programs that bring a request half or a response half of their own all end
/// here, so that no chain forgets the error mapper, logging, or access safety. In its fullest form, outermost first:
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
/// What has nothing to do (no retries, no deadline, no cache) is left out; the order never changes.
public struct ChainAssembly: Sendable, Changeable {
    public var transport: any Transport
    public var connectivity: any Connectivity
    /// Sent with every request; the request's own fields win.
    public var headerFields: HTTPFields
    /// Asked in order, anew on each attempt; with ``access`` its ``AccessTokenProvider`` comes before them.
    public var providers: [any MetadataProvider]
    /// Query parameters that are asked for anew on each attempt, such as an API key; added behind the route's own.
    public var query: (@Sendable () async throws -> [String: QueryValue])?
    public var queryEncoding: QueryEncoding
    /// Query parameters that errors and logs must not show, beside the well-known ones.
    public var secretQueryNames: Set<String>
    /// Inline tries; none unless said otherwise.
    public var retry: RetryPolicy
    /// The budget of one attempt, body included; nil for none beside the transport's own.
    public var deadline: Duration?
    public var jitter: Jitter
    /// Measures deadlines and waits.
    public var clock: any Clock<Duration>
    /// The wall clock, against which a `Retry-After` that is a date and the age of stored answers are measured; nil for
    /// the system's.
    public var wallClock: WallClock

    /// Keeps the requests signed in; one value for all chains of a source.
    public var access: AccessSafety?
    public var middlewares: Middlewares?
    /// Turns the origin's own way to tell errors into the program's errors, before the status is looked at.
    public var errorEnvelope: ResponseErrorEnvelopeNode?
    /// Bounds how many requests go out, each try and each redirect counted; nil for no such bound.
    package var budget: BudgetUse?
    /// Where answers are kept for conditional requests and for times without a line.
    public var cache: CacheUse?
    /// Whether the call's ``CallHandle`` is told how much was sent and received.
    public var reportsProgress = false
    /// Whether a call may be ended by its ``CallHandle``, and the answer to a write outlives a cancellation.
    public var isAbortable = false
    /// Names of nodes whose events are left out of the log.
    public var logExclusions: Set<String> = []

    /// A cache, and how its keys are made.
    public struct CacheUse: Sendable {
        public var responses: any ResponseCache
        public var keying: CacheKeying

        public init(_ responses: any ResponseCache, keying: CacheKeying) {
            self.responses = responses
            self.keying = keying
        }
    }

    /// What every chain needs; the rest is set on the value.
    public init(
        transport: any Transport, connectivity: any Connectivity, headerFields: HTTPFields = [:],
        providers: [any MetadataProvider] = [],
        query: (@Sendable () async throws -> [String: QueryValue])? = nil,
        queryEncoding: QueryEncoding = QueryEncoding(),
        secretQueryNames: Set<String> = [], retry: RetryPolicy = RetryPolicy(retries: 0), deadline: Duration? = nil,
        jitter: Jitter = .random, clock: any Clock<Duration> = ContinuousClock(),
        wallClock: WallClock = .system
    ) {
        self.transport = transport
        self.connectivity = connectivity
        self.headerFields = headerFields
        self.providers = providers
        self.query = query
        self.queryEncoding = queryEncoding
        self.secretQueryNames = secretQueryNames
        self.retry = retry
        self.deadline = deadline
        self.jitter = jitter
        self.clock = clock
        self.wallClock = wallClock
    }
}

/// Tells every failure of an attempt with its method and URL, whatever node it comes from, and hides the source's own secret
/// query parameters, of which the nodes that read answers know nothing.
struct PlacedNode<Wrapped: Node>: Node where Wrapped.Input == RequestDraft {
    let wrapped: Wrapped
    let secretQueryNames: Set<String>

    /// No step of its own: it changes nothing but what is told.
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
