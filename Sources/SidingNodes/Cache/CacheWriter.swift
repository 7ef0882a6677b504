// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Logging
internal import SidingChain
internal import SidingSynchronization

/// Updates the cache for ``ETagNode``.
struct CacheWriter: Sendable {
    let cache: any ResponseCache
    let keying: CacheKeying
    let maxBody: Int
    let requiresValidator: Bool

    /// When the request was sent and the head of the response arrived, seconds since 1970.
    typealias Times = (sent: Double, received: Double)

    /// The response on its way to its reader; a 200 that may be stored is stored when its body has been read.
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
        // The length in a HEAD response is that of a body that is not sent (RFC 9110 §9.3.2).
        let length = request.key.method == HTTPRequest.Method.head.rawValue ? nil : reply.body.length
        passing.body = reply.body.recorded(upTo: maxBody, length: length) { body in
            await log.attempt { try await cache.store(CachedResponse(head: head, body: body)) }
        }
        return passing
    }

    /// The stored response that a 304 confirms, refreshed. Nil if the 304 is about another one, or if the row is missing or has
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
        // If the row is removed right now, nothing is lost: its body has been read already.
        await log.attempt { try await cache.refresh(head, validated: stored) }
        return response.reply(from: reply.url, source: head.source(now: times.received))
    }

    /// Removes stored responses that a write to the URL of `request` has made stale.
    func removeStored(after request: HTTPRequest, _ log: CacheLog) async {
        for method in [HTTPRequest.Method.get, .head] {
            guard let stored = try? keying.request(request, as: method) else { continue }
            await log.attempt { try await cache.remove(stored.key) }
        }
    }

    private func head(of reply: Reply, to request: CacheRequest, _ times: Times) -> CachedHead? {
        let fields = reply.response.headerFields
        let url = keying.canonical(reply.url)
        // After a redirect to another origin, neither credentials nor validators belong to this one.
        guard let variant = keying.variant(fields, request), url.hasPrefix(request.key.origin) else { return nil }
        let head = CachedHead(
            key: request.key, variant: variant, status: reply.response.status.code,
            headerFields: StoredFields.kept(fields), url: url, storedAt: times.received,
            initialAge: CacheAge.initial(fields, sent: times.sent, received: times.received))
        return head.hasValidator || !requiresValidator ? head : nil
    }
}

extension CacheKey {
    /// Scheme, host and port with a trailing slash.
    fileprivate var origin: String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).joined(separator: "/") + "/"
    }
}

/// Records a body as it passes, up to a limit, so that it can be stored once it is complete.
final class BodyRecorder: Sendable {
    /// Nil once the body can no longer become complete.
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

    /// Drops the record because the body broke off.
    func discard() {
        recorded.withLock { $0 = nil }
    }

    /// The complete body, returned once; nil if it is too large, broke off, or does not have the declared `length`.
    func finish(length: Int?) -> [UInt8]? {
        recorded.withLock { bytes in
            defer { bytes = nil }
            return length == nil || length == bytes?.count ? bytes : nil
        }
    }
}

extension ReplyBody {
    /// The same body, which calls `store` with its bytes before it reports its end, if it was read completely.
    ///
    /// - Parameters:
    ///   - limit: a larger body is not recorded.
    ///   - length: the expected number of bytes, if known.
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

/// Keeps a cache failure from failing the call: it is logged instead.
struct CacheLog: Sendable {
    private let context: ChainContext
    private let node: String

    init(_ context: ChainContext, node: String) {
        (self.context, self.node) = (context, node)
    }

    /// The result of `body`, or nil if the cache failed.
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
