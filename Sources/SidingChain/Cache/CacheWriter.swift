internal import HTTPTypes

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
