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
    package init(_ transport: any Transport, goingOn partial: PartialAnswer?, upTo limit: Int = 64 << 20) {
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

    package func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        try await send(request, body: body) { _ in }
    }

    package func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
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
        case 206 where reply.response.headerFields.isRest(of: start):
            var whole = reply
            whole.response.status = .ok
            whole.response.headerFields[.contentRange] = nil
            return keeping(whole, of: url, after: start)
        case 206, 416:
            // Not the rest that was asked for: the page is asked for anew.
            kept.withLock { $0 = nil }
            throw Failure(.truncated, phase: .answered, detail: "the rest of an answer that broke off cannot be had")
        default:
            return keeping(reply, of: url, after: nil)
        }
    }

    /// The reply, whose bytes are kept if it breaks off.
    ///
    /// They are gathered here and handed over in one piece, which ``ReplyBody/collect(upTo:)`` takes as it is: they are in memory
    /// once, not twice.
    private func keeping(_ reply: Reply, of url: String, after start: PartialAnswer?) -> Reply {
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
        guard let etag = self[.eTag], etag.hasPrefix("\""), self[.contentEncoding].map({ $0 == "identity" }) ?? true,
            self[.acceptRanges]?.lowercased() == "bytes"
        else { return nil }
        return etag
    }

    /// Whether they are those of the rest of `start`: `Content-Range: bytes 500-999/1000`.
    fileprivate func isRest(of start: PartialAnswer) -> Bool {
        guard let range = self[.contentRange], range.hasPrefix("bytes \(start.bytes.count)-") else { return false }
        return self[.eTag].map { $0 == start.etag } ?? true
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
