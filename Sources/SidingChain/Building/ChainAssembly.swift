// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// Assembles nodes into a chain, always in the same order.
///
/// The sync, the queue, `URLChainBuilder` of `SidingNodes`, and programs with their own request or response half all
/// use it, so that no chain lacks the error mapper, logging, or access safety. A call takes these steps. Up to the tenth,
/// the node of a step is around those of all later steps:
///
/// 1. ``AborterNode`` connects the call to its ``CallHandle``.
/// 2. ``LoggerNode`` logs the events of the call.
/// 3. The request half makes the draft of the request, once per call.
/// 4. Nodes that run once per request: the middlewares of `SidingNodes`.
/// 5. ``RetryNode`` makes the attempts; the steps below run on each of them.
/// 6. ``AccessSafeNode`` supplies the credential and renews it.
/// 7. Nodes that run once per attempt: the middlewares of `SidingNodes`.
/// 8. The attempt waits for its reservation in the request budget, outside of its deadline.
/// 9. ``DeadlineNode`` limits the time of the attempt.
/// 10. ``TechnicalErrorMapperNode`` classifies the system errors of the steps below.
/// 11. ``URLQueryInjectorNode``, ``HeaderInjectorNode`` and ``RequestCreatorNode`` make the HTTP request.
/// 12. ``RequestSenderNode`` sends it, inside the cache and the upload progress of `SidingNodes`.
/// 13. ``ResponseProcessorNode``, ``ResponseErrorEnvelopeNode`` and ``ResponseHTTPErrorProcessorNode`` end the attempt on a
///     failure.
/// 14. ``ResponseDataPreprocessorNode`` recognizes responses without content, inside the download progress of
///     `SidingNodes`.
/// 15. The response half reads the response.
///
/// Steps without a function (no retries, no deadline, no budget) are left out; the order never changes.
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
    /// Inline retries; none by default. A request may set another number, ``ChainRequest/retries``.
    public var retry: RetryPolicy
    /// Shares the inline retries among all calls to the origin; nil if each call decides for itself.
    package var retryLimit: InlineRetryLimit?
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
    /// Turns the origin's own error format into the program's errors, before the status check.
    public var errorEnvelope: ResponseErrorEnvelopeNode?
    /// Limits the number of requests, including each retry and each redirect; nil for no limit.
    package var budget: BudgetUse?
    /// Whether a ``CallHandle`` can cancel the call; the response to a successful write survives a cancellation.
    public var isAbortable = false
    /// Names of nodes whose events are not logged.
    public var logExclusions: Set<String> = []

    /// The nodes that `SidingNodes` adds: middlewares, cache and progress; nil for none.
    package var added: (any AddedNodes)?

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
