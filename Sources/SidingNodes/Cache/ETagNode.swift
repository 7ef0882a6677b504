// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
public import SidingChain

/// Makes requests conditional: sends the validators of the stored response, and returns its body if the origin responds 304.
///
/// Place it directly around the sender, inside retry and deadline. It stores each complete 200 to GET and HEAD while its body
/// passes to the reader; ``CacheReaderNode`` and the cache policies use the same rows.
///
/// - A request with its own conditions keeps them, and receives its own 304.
/// - A 304 becomes the stored response with the fields of the 304 merged in (RFC 9111 §4.3.4), and its `Reply.source` is the
///   cache. If the row is missing or has changed meanwhile, the request is sent once more without conditions; a second 304 is a
///   `Failure.Reason.protocolViolation`.
/// - Not stored: a body that is truncated, not read to its end, or larger than `maxBody`; `no-store`; `Vary: *`; a response of
///   another origin. `private` is stored, since this cache belongs to one user.
/// - Removed: stored responses after a 404, a 410 or a `no-store`, and after a successful write to the same URL (§4.4).
///
/// A cache failure only logs a warning; the call continues.
public struct ETagNode<Wrapped: Node>: WrapperNode where Wrapped.Input == OutgoingRequest, Wrapped.Output == Reply {
    public let wrapped: Wrapped
    private let keying: CacheKeying
    private let store: CacheWriter
    private let wallClock: WallClock

    /// - Parameters:
    ///   - wrapped: sends the request.
    ///   - cache: stores the responses.
    ///   - keying: the account of the requests, and their parameters and fields that are secret.
    ///   - maxBody: the maximum size of a stored body in bytes; 8 MiB by default.
    ///   - requiresValidator: whether only responses with an `ETag` or `Last-Modified` are stored; false by default. Others
    ///     cannot be revalidated, so they save no transfer, but they can be shown while the origin cannot be reached.
    ///   - wallClock: computes the age of responses; the system's by default.
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

    /// Sends the request without conditions, since the row that they refer to is gone.
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

    /// Sends a request whose response is not stored; a successful write makes the stored responses of its URL stale.
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
    /// Whether the caller's request is already conditional (RFC 9110 §13.1).
    fileprivate var hasConditions: Bool {
        [.ifMatch, .ifNoneMatch, .ifModifiedSince, .ifUnmodifiedSince, .ifRange].contains { headerFields[$0] != nil }
    }
}

extension OutgoingRequest {
    /// The same request with the validators of `stored`. A weak tag is allowed here (RFC 9110 §13.1.2).
    fileprivate func asking(about stored: CachedHead?) -> OutgoingRequest {
        var conditional = self
        if let etag = stored?.etag { conditional.request.headerFields[.ifNoneMatch] = etag }
        if let date = stored?.lastModified { conditional.request.headerFields[.ifModifiedSince] = date }
        return conditional
    }
}

/// Selects the header fields that are stored, and merges those of a 304 (RFC 9111 §3.1, §3.2, §4.3.4).
enum StoredFields {
    /// Fields of the connection or of one transfer, and credentials.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
        "authentication-info", "proxy-authenticate", "proxy-authentication-info", "set-cookie", "set-cookie2",
        "www-authenticate",
        // The body is stored decompressed and complete, and its age is computed.
        "age", "content-encoding", "content-length", "content-range",
    ]

    /// The fields of a response that are stored, in order.
    static func kept(_ fields: HTTPFields) -> HTTPFields {
        let named = fields[values: .connection].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        let excluded = dropped.union(named)
        return HTTPFields(fields.filter { !excluded.contains($0.name.canonicalName) })
    }

    /// The stored fields, replaced by those of the 304 with the same name.
    static func merged(_ stored: HTTPFields, _ update: HTTPFields) -> HTTPFields {
        // Some origins send the content type of an error page with a 304, which has no body.
        let update = kept(update).filter { $0.name != .contentType }
        let names = Set(update.map(\.name))
        return HTTPFields(stored.filter { !names.contains($0.name) } + update)
    }

    /// Whether a 304 with these fields is about `stored`: if it has a tag, it must be the same one, compared weakly as the
    /// origin did (RFC 9110 §13.1.2).
    static func confirm(_ fields: HTTPFields, _ stored: CachedHead) -> Bool {
        guard let tag = fields[.eTag], let own = stored.etag else { return true }
        return tag.isSameEntity(as: own)
    }
}

extension CachedResponse {
    /// The stored response as a reply, with its `Age` (RFC 9111 §5.1).
    func reply(from url: HTTPURL, source: ResponseSource) -> Reply {
        var fields = head.headerFields
        if case .cache(let age, _, _) = source { fields[.age] = String(age.components.seconds) }
        let response = HTTPResponse(status: .init(code: head.status), headerFields: fields)
        return Reply(response: response, body: .bytes(body), url: url, source: source)
    }
}
