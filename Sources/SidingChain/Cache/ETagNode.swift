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
public struct ETagNode<Wrapped: Node>: WrapperNode where Wrapped.Input == OutgoingRequest, Wrapped.Output == Reply {
    public let wrapped: Wrapped
    private let keying: CacheKeying
    private let store: CacheWriter
    private let wallClock: WallClock

    /// - Parameters:
    ///   - wrapped: sends the request.
    ///   - cache: where answers are stored.
    ///   - keying: whose requests these are, and what in them is secret.
    ///   - maxBody: the most bytes of a body that is stored; 8 MiB unless said otherwise.
    ///   - requiresValidator: whether answers without `ETag` and `Last-Modified` are left out: they save no transfer, but
    ///     they can be given when the origin cannot be had.
    ///   - wallClock: tells how old an answer is.
    public init(
        _ wrapped: Wrapped, cache: any ResponseCache, keying: CacheKeying, maxBody: Int = 8 << 20,
        requiresValidator: Bool = false, wallClock: WallClock = .system
    ) {
        self.wrapped = wrapped
        self.keying = keying
        self.wallClock = wallClock
        store = CacheWriter(
            cache: cache, keying: keying, maxBody: maxBody, requiresValidator: requiresValidator)
    }

    public func process(_ input: OutgoingRequest, _ context: ChainContext) async throws(Failure) -> Reply {
        guard let request = try? keying.request(input.request) else {
            return try await unkept(input, context)
        }
        let log = CacheLog(context, node: name)
        let stored = input.request.hasConditions ? nil : await log.attempt { try await store.cache.head(for: request) }
        let (reply, sent) = try await send(input.asking(about: stored ?? nil), context)
        guard let stored = stored ?? nil, stored.hasValidator, reply.response.status.code == 304 else {
            return await store.passing(reply, to: request, times: (sent, wallClock.now.secondsSince1970), log)
        }
        let times = (sent, wallClock.now.secondsSince1970)
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
        return await store.passing(reply, to: request, times: (sent, wallClock.now.secondsSince1970), log)
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
        let sent = wallClock.now.secondsSince1970
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

/// Which header fields of an answer are stored, and how a 304 changes them (RFC 9111 §3.1, §3.2, §4.3.4).
enum StoredFields {
    /// Fields of the connection or of one transfer, and credentials.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "authentication-info", "proxy-authenticate", "proxy-authentication-info", "set-cookie", "set-cookie2",
        "www-authenticate",
        // The body is stored decompressed and whole, and its age is counted on.
        "age", "content-encoding", "content-length", "content-range",
    ]

    /// The fields of an answer that are worth keeping, in their order.
    static func kept(_ fields: HTTPFields) -> HTTPFields {
        let named = fields[values: .connection].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        let excluded = dropped.union(named)
        return HTTPFields(fields.filter { !excluded.contains($0.name.canonicalName) })
    }

    /// The stored fields, with those of a 304 in the place of their namesakes.
    static func merged(_ stored: HTTPFields, _ update: HTTPFields) -> HTTPFields {
        // Some origins put the type of an error page on a 304; the body that it would describe is not in it.
        let update = kept(update).filter { $0.name != .contentType }
        let names = Set(update.map(\.name))
        return HTTPFields(stored.filter { !names.contains($0.name) } + update)
    }

    /// Whether a 304 with these fields speaks of `stored`: where it names a tag, it must be that tag, compared weakly as
    /// the origin did (RFC 9110 §13.1.2).
    static func confirm(_ fields: HTTPFields, _ stored: CachedHead) -> Bool {
        guard let tag = fields[.eTag], let own = stored.etag else { return true }
        return opaque(tag) == opaque(own)
    }

    private static func opaque(_ tag: String) -> Substring {
        tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...]
    }
}

extension CachedResponse {
    /// The stored answer as a reply, its `Age` told (RFC 9111 §5.1).
    func reply(from url: HTTPURL, source: AnswerSource) -> Reply {
        var fields = head.headerFields
        if case .cache(let age, _, _) = source { fields[.age] = String(age.components.seconds) }
        let response = HTTPResponse(status: .init(code: head.status), headerFields: fields)
        return Reply(response: response, body: .bytes(body), url: url, source: source)
    }
}
