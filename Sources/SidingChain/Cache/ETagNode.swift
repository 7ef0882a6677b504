internal import HTTPTypes

/// Asks only for what changed: sends the validators of the stored answer, and gives its body where the origin says 304.
///
/// Put it right around the sender, inside retry and deadline. On the way back it stores each whole 200 to GET and HEAD,
/// while the body passes to its reader; the same rows serve ``CacheReaderNode`` and the cache policies.
///
/// - A request with conditions of its own keeps them, and gets its own 304.
/// - A 304 becomes the stored answer with the fields of the 304 merged in (RFC 9111 §4.3.4), its
///   ``Reply/source`` a cache. Where the row has gone or changed meanwhile, the request goes out once more without
///   conditions; a second 304 is a ``Failure/Reason/protocolViolation``.
/// - Not stored: a body that is cut short, not read to its end, or larger than `maxBody`; `no-store`; `Vary: *`; an answer
///   of another origin. `private` is stored: this cache is one person's.
/// - Removed: what a 404, a 410 or a `no-store` speaks of, and what a successful write to the same URL made old (§4.4).
///
/// A cache that fails costs the call nothing but a warning in its log.
public struct ETagNode<Wrapped: Node>: Node where Wrapped.Input == OutgoingRequest, Wrapped.Output == Reply {
    private let wrapped: Wrapped
    private let keying: CacheKeying
    private let store: CacheWriter
    private let secondsSince1970: @Sendable () -> Double

    /// - Parameters:
    ///   - wrapped: sends the request.
    ///   - cache: where answers are stored.
    ///   - keying: whose requests these are, and what in them is secret.
    ///   - maxBody: the most bytes of a body that is stored; 8 MiB unless said otherwise.
    ///   - requiresValidator: whether answers without `ETag` and `Last-Modified` are left out: they save no transfer, but
    ///     they can be given when the origin cannot be had.
    ///   - secondsSince1970: the wall clock.
    public init(
        _ wrapped: Wrapped, cache: any ResponseCache, keying: CacheKeying, maxBody: Int = 8 << 20,
        requiresValidator: Bool = false, secondsSince1970: (@Sendable () -> Double)? = nil
    ) {
        self.wrapped = wrapped
        self.keying = keying
        self.secondsSince1970 = secondsSince1970 ?? SystemTime.secondsSince1970
        store = CacheWriter(
            cache: cache, keying: keying, maxBody: maxBody, requiresValidator: requiresValidator)
    }

    public var steps: [String] { ["\(name)(\(wrapped.steps.joined(separator: " → ")))"] }

    public func process(_ input: OutgoingRequest, _ context: ChainContext) async throws(Failure) -> Reply {
        guard let request = try? keying.request(input.request) else {
            return try await unkept(input, context)
        }
        let log = CacheLog(context, node: name)
        let stored = input.request.hasConditions ? nil : await log.attempt { try await store.cache.head(for: request) }
        let (reply, sent) = try await send(input.asking(about: stored ?? nil), context)
        guard let stored = stored ?? nil, stored.hasValidator, reply.response.status.code == 304 else {
            return await store.passing(reply, to: request, times: (sent, secondsSince1970()), log)
        }
        let times = (sent, secondsSince1970())
        if let confirmed = await store.confirmed(stored, by: reply, to: request, times: times, log) { return confirmed }
        return try await askAgain(input, request, context, log)
    }

    /// Without conditions: what they spoke of is no longer there.
    private func askAgain(
        _ input: OutgoingRequest, _ request: CacheRequest, _ context: ChainContext, _ log: CacheLog
    ) async throws(Failure) -> Reply {
        let (reply, sent) = try await send(input, context)
        guard reply.response.status.code != 304 else {
            throw Failure(
                .protocolViolation, phase: .answered, detail: "it answered 304 to a request without conditions"
            ).at(node: name, method: input.request.method.rawValue, url: input.shownURL)
        }
        return await store.passing(reply, to: request, times: (sent, secondsSince1970()), log)
    }

    /// A request whose answer is not kept; a write that succeeds makes what is stored of its URL old.
    private func unkept(_ input: OutgoingRequest, _ context: ChainContext) async throws(Failure) -> Reply {
        let reply = try await wrapped.process(input, context)
        let isWrite = ![.get, .head, .options, .trace].contains(input.request.method)
        if isWrite, (200..<400).contains(reply.response.status.code) {
            await store.removeStored(after: input.request, CacheLog(context, node: name))
        }
        return reply
    }

    private func send(
        _ input: OutgoingRequest, _ context: ChainContext
    ) async throws(Failure) -> (reply: Reply, sent: Double) {
        let sent = secondsSince1970()
        return (try await wrapped.process(input, context), sent)
    }
}

extension HTTPRequest {
    /// Whether the caller asks on conditions of its own (RFC 9110 §13.1).
    fileprivate var hasConditions: Bool {
        [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange].contains { headerFields[$0] != nil }
    }
}

extension OutgoingRequest {
    /// The same request on the condition that `stored` no longer holds. A weak tag serves as well (RFC 9110 §13.1.2).
    fileprivate func asking(about stored: CachedHead?) -> OutgoingRequest {
        var conditional = self
        if let etag = stored?.etag { conditional.request.headerFields[.ifNoneMatch] = etag }
        if let date = stored?.lastModified { conditional.request.headerFields[.ifModifiedSince] = date }
        return conditional
    }
}
