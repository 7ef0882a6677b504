// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
internal import SidingSynchronization

/// The first bytes of an answer that broke off, and what is needed to ask for the rest (RFC 9110 §14).
package struct PartialAnswer: Sendable, Hashable {
    /// The URL that was asked, without credentials.
    package var url: String
    /// The strong entity tag of the whole.
    package var etag: String
    package var bytes: [UInt8]

    package init(url: String, etag: String, bytes: [UInt8]) {
        (self.url, self.etag, self.bytes) = (url, etag, bytes)
    }
}

/// Goes on where the body of a GET broke off, if its origin serves ranges and the answer has a strong validator.
///
/// The rest is requested with `If-Range`, so an answer that has changed meanwhile arrives whole. The reader sees one 200 with the
/// whole body either way. Compressed answers are not resumed: their ranges are those of the compressed bytes.
package final class ResumingTransport: Transport {
    /// Less is asked for anew sooner than it is kept.
    private static let least = 4_096

    private let transport: any Transport
    private let limit: Int
    private let kept: Mutex<PartialAnswer?>
    /// The URL whose answer matters now; no other request is resumed.
    private let awaited = Mutex("")

    /// - Parameters:
    ///   - partial: what an earlier process received of a page.
    ///   - limit: the maximum number of bytes of a page.
    package init(_ transport: any Transport, resuming partial: PartialAnswer?, upTo limit: Int = 64 << 20) {
        (self.transport, self.limit) = (transport, limit)
        kept = Mutex(partial)
    }

    /// What arrived of the answer that broke off last; nil if none did, or it cannot be resumed.
    package var partial: PartialAnswer? { kept.withLock { $0 } }

    /// Requests to `url` are resumed from now on, whatever credentials their query has in addition.
    package func expect(_ url: String) {
        awaited.withLock { $0 = url }
        kept.withLock { if $0?.url != url { $0 = nil } }
    }

    package func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        try await send(request, body: body) { _ in }
    }

    package func send(
        _ request: HTTPRequest, body: EncodedBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        let url = awaited.withLock { $0 }
        guard request.isGet(of: url) else { return try await transport.send(request, body: body, admitting: admit) }
        let start = partial
        var request = request
        if let start {
            request.headerFields[.range] = "bytes=\(start.bytes.count)-"
            request.headerFields[.ifRange] = start.etag
            request.headerFields[.acceptEncoding] = "identity"
        }
        let reply = try await transport.send(request, body: body, admitting: admit)
        guard let start else { return keeping(reply, of: url, after: nil) }
        switch reply.response.status.code {
        case 200:
            return keeping(reply, of: url, after: nil)
        case 206:
            guard let total = reply.response.headerFields.total(behind: start) else { throw withoutRest() }
            var whole = reply
            whole.response.status = .ok
            whole.response.headerFields[.contentRange] = nil
            return keeping(whole, of: url, after: start, total: total)
        case 401, 407, 408, 425, 429, 502, 503, 504:
            // They say nothing of the page.
            return reply
        case 300..<500:
            // An origin, or what stands before it, may refuse ranges alone.
            throw withoutRest()
        default:
            kept.withLock { $0 = nil }
            return reply
        }
    }

    /// The failure of an answer that is not the rest that was asked for. The page is asked for anew.
    private func withoutRest() -> Failure {
        kept.withLock { $0 = nil }
        return Failure(.truncated, phase: .answered, detail: "the rest of an answer that broke off cannot be had")
    }

    /// The reply, whose bytes are kept if it breaks off.
    ///
    /// They are gathered here and handed over in one piece, which ``ReplyBody/collect(upTo:)`` takes as it is: they are in memory
    /// once, not twice.
    ///
    /// - Parameter total: the length of the whole, if this is its rest: an origin may send less of it than it was asked for.
    private func keeping(_ reply: Reply, of url: String, after start: PartialAnswer?, total: Int? = nil) -> Reply {
        // Another answer than the page, such as a 503, leaves the part for the next try.
        guard reply.response.status == .ok else { return reply }
        kept.withLock { $0 = nil }
        guard let etag = start?.etag ?? reply.response.headerFields.resumableTag else { return reply }
        // Nil once they are handed over.
        let arrived = Mutex<[UInt8]?>(start?.bytes ?? [])
        let body = reply.body
        return reply.with(
            body: ReplyBody(length: start == nil ? body.length : nil) { [self] () async throws(Failure) -> [UInt8]? in
                do throws(Failure) {
                    // Beyond the limit the reader refuses them.
                    while arrived.withLock({ $0.map { $0.count <= limit } ?? false }), let chunk = try await body.next()
                    {
                        arrived.withLock { $0?.append(contentsOf: chunk) }
                    }
                    let count = arrived.withLock { $0?.count }
                    if let total, let count, count != total, count <= limit {
                        if count > total { arrived.withLock { $0 = [] } }
                        throw Failure(
                            .truncated, phase: .answered, detail: "\(count) of \(total) bytes of an answer arrived")
                    }
                } catch {
                    let bytes = arrived.withLock { $0.take() } ?? []
                    if error.reason.isInterruption, bytes.count >= Self.least {
                        kept.withLock { $0 = PartialAnswer(url: url, etag: etag, bytes: bytes) }
                    }
                    throw error
                }
                if let whole = arrived.withLock({ $0.take() }) { return whole }
                return try await body.next()
            })
    }
}

extension HTTPRequest {
    fileprivate func isGet(of url: String) -> Bool {
        guard method == .get, !url.isEmpty, let text = try? checkedURL().description else { return false }
        return text == url || text.hasPrefix("\(url)?") || text.hasPrefix("\(url)&")
    }
}

extension HTTPFields {
    /// The entity tag of an answer whose rest may be requested: a strong one, of plain bytes, from an origin that serves ranges.
    fileprivate var resumableTag: String? {
        guard let etag = entityTag, etag.hasPrefix("\""), self[.contentEncoding].map({ $0 == "identity" }) ?? true,
            self[.acceptRanges]?.lowercased() == "bytes"
        else { return nil }
        return etag
    }

    /// The length of the whole whose rest behind `start` follows, as in `Content-Range: bytes 500-999/1000`; nil if something else
    /// follows. A 206 has the entity tag of the whole (RFC 9110 §15.3.7).
    fileprivate func total(behind start: PartialAnswer) -> Int? {
        guard entityTag == start.etag, let range = self[.contentRange],
            range.hasPrefix("bytes \(start.bytes.count)-"), let slash = range.firstIndex(of: "/")
        else { return nil }
        return Int(range[range.index(after: slash)...])
    }
}

extension Failure.Reason {
    /// Whether the connection ended or went silent under an answer, which may go on later.
    fileprivate var isInterruption: Bool {
        switch self {
        case .truncated, .connectionLost, .timeout, .system, .cancelled: true
        default: false
        }
    }
}
