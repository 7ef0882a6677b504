internal import HTTPTypes
internal import Logging
internal import SidingSynchronization

/// What ``ETagNode`` does to the cache with each answer.
struct CacheWriter: Sendable {
    let cache: any ResponseCache
    let keying: CacheKeying
    let maxBody: Int
    let requiresValidator: Bool

    /// When a request went out and its answer's head arrived, seconds since 1970.
    typealias Times = (sent: Double, received: Double)

    /// The answer on its way to its reader; a 200 that may be kept is stored when its body has passed.
    func passing(_ reply: Reply, to request: CacheRequest, times: Times, _ log: CacheLog) async -> Reply {
        let answer = reply.response
        let isForbidden = CacheControl(answer.headerFields).forbidsStoring
        if answer.status.code == 404 || answer.status.code == 410 || isForbidden {
            await log.attempt { try await cache.remove(request.key) }
        }
        guard answer.status.code == 200, !isForbidden, let head = head(of: reply, to: request, times) else {
            return reply
        }
        var passing = reply
        // The length of an answer to HEAD is that of a body which does not come (RFC 9110 §9.3.2).
        let length = request.key.method == HTTPRequest.Method.head.rawValue ? nil : reply.body.length
        passing.body = reply.body.recorded(upTo: maxBody, length: length) { body in
            await log.attempt { try await cache.store(CachedResponse(head: head, body: body)) }
        }
        return passing
    }

    /// The stored answer that a 304 confirms, refreshed; nil where the 304 speaks of another, or the row has gone or
    /// changed since its validators were read.
    func confirmed(
        _ stored: CachedHead, by reply: Reply, to request: CacheRequest, times: Times, _ log: CacheLog
    ) async -> Reply? {
        let fields = reply.response.headerFields
        guard keying.canonical(reply.url) == stored.url, StoredFields.confirm(fields, stored),
            var response = await log.attempt({ try await cache.response(for: request) }) ?? nil,
            response.head.hasValidators(of: stored)
        else { return nil }
        response.head.headerFields = StoredFields.merged(response.head.headerFields, fields)
        response.head.storedAt = times.received
        response.head.initialAge = CacheAge.initial(fields, sent: times.sent, received: times.received)
        let head = response.head
        // A row that goes right now changes nothing: its body is in hand.
        await log.attempt { try await cache.refresh(head, validated: stored) }
        return response.reply(from: reply.url, source: head.source(now: times.received))
    }

    /// Forgets what a write to the URL of `request` made old.
    func removeStored(after request: HTTPRequest, _ log: CacheLog) async {
        for method in [HTTPRequest.Method.get, .head] {
            guard let stored = try? keying.request(request, as: method) else { continue }
            await log.attempt { try await cache.remove(stored.key) }
        }
    }

    private func head(of reply: Reply, to request: CacheRequest, _ times: Times) -> CachedHead? {
        let fields = reply.response.headerFields
        let url = keying.canonical(reply.url)
        // After a redirect to another origin neither credentials nor validators are this one's.
        guard let variant = keying.variant(fields, request), url.hasPrefix(request.key.origin) else { return nil }
        let head = CachedHead(
            key: request.key, variant: variant, status: reply.response.status.code,
            headerFields: StoredFields.kept(fields), url: url, storedAt: times.received,
            initialAge: CacheAge.initial(fields, sent: times.sent, received: times.received))
        return head.hasValidator || !requiresValidator ? head : nil
    }
}

extension CacheKey {
    /// Scheme, host and port with the slash behind them.
    fileprivate var origin: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/") + "/"
    }
}

/// Keeps what passes of a body, up to a limit, so that it can be stored once it is whole.
final class BodyRecorder: Sendable {
    /// Nil once the body can no longer become whole.
    private let recorded: Mutex<[UInt8]?>
    private let limit: Int

    init(limit: Int) {
        recorded = Mutex([])
        self.limit = limit
    }

    func append(_ chunk: [UInt8]) {
        recorded.withLock { bytes in
            guard let held = bytes?.count, held + chunk.count <= limit else { return bytes = nil }
            bytes?.append(contentsOf: chunk)
        }
    }

    /// The body broke off, whatever comes after.
    func discard() {
        recorded.withLock { $0 = nil }
    }

    /// The whole body, given once; nil where it is too large, broke off, or is not of the declared `length`.
    func finish(length: Int?) -> [UInt8]? {
        recorded.withLock { bytes in
            defer { bytes = nil }
            return length == nil || length == bytes?.count ? bytes : nil
        }
    }
}

extension ReplyBody {
    /// The same body, which hands its bytes to `store` before its end is told, where it has been read whole.
    ///
    /// - Parameters:
    ///   - limit: a body with more bytes is not recorded.
    ///   - length: how many bytes there must be, where that is known.
    func recorded(
        upTo limit: Int, length: Int?, _ store: @escaping @Sendable ([UInt8]) async -> Void
    ) -> ReplyBody {
        if let length, length > limit { return self }
        let recorder = BodyRecorder(limit: limit)
        return ReplyBody(length: self.length) { () async throws(SidingChain.Failure) -> [UInt8]? in
            let chunk: [UInt8]?
            do throws(SidingChain.Failure) { chunk = try await next() } catch {
                recorder.discard()
                throw error
            }
            if let chunk {
                recorder.append(chunk)
            } else if let whole = recorder.finish(length: length) {
                await store(whole)
            }
            return chunk
        }
    }
}

/// Lets a cache fail without the call: what it says goes to the call's log.
struct CacheLog: Sendable {
    private let context: ChainContext
    private let node: String

    init(_ context: ChainContext, node: String) {
        (self.context, self.node) = (context, node)
    }

    /// What `body` gives, or nil where the cache failed.
    @discardableResult
    func attempt<Value>(_ body: () async throws -> Value) async -> Value? {
        do { return try await body() } catch let thrown {
            let error = Failure.wrapping(thrown, phase: .notSent)
            guard !context.logExclusions.contains(node) else { return nil }
            context.logger.warning(
                "response cache failed",
                metadata: [
                    "request": "\(context.requestID)", "node": "\(node)", "failure": "\(error.reason.name)",
                    "detail": "\(error.detail ?? "")",
                ])
            return nil
        }
    }
}
