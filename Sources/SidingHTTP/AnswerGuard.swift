// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1

/// Refuses answers that the client behind it does not survive, or that would never end.
///
/// AsyncHTTPClient takes every status below 200 for an interim answer and skips its head, but NIO ends an answer with a status
/// below 100 like a final one: the client's state machine then receives a body without a head, and ends the process. Interim
/// answers, fields and trailers have no limit of their own. The handler sits between NIO's decoder and the client, so that no
/// such part arrives.
final class AnswerGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// An answer that is refused.
    struct Violation: Error {
        /// Why, as the end of the sentence "the answer is not valid HTTP: …".
        let detail: String
    }

    private static let interimLimit = 20
    private static let fieldLimit = 200
    private static let sizeLimit = 65_536

    private var interimAnswers = 0
    private var isRefused = false
    private let wire: WireCounter

    init(_ wire: WireCounter) { self.wire = wire }

    /// Hands the request's meter to the counter of the connection.
    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        wire.meter = head.headers.first(name: MeteredRequests.field).flatMap { UInt64($0) }.flatMap(
            MeteredRequests.remove)
        head.headers.remove(name: MeteredRequests.field)
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard let detail = violation(of: unwrapInboundIn(data)) else { return context.fireChannelRead(data) }
        isRefused = true
        context.fireErrorCaught(Violation(detail: detail))
        context.close(promise: nil)
    }

    private func violation(of part: HTTPClientResponsePart) -> String? {
        switch part {
        case .head(let head): violation(of: head)
        case .body: nil
        case .end(let trailers): trailers.flatMap(violation(of:))
        }
    }

    private func violation(of head: HTTPResponseHead) -> String? {
        switch head.status.code {
        case ..<100:
            // RFC 9110 §15: a status is an integer from 100 to 599, and clients treat a larger one as 5xx.
            return "its status is \(head.status.code), and the smallest that HTTP has is 100"
        case 101:
            return "it has the status 101, a change of protocol that was not asked for"
        case 102..<200, 100:
            interimAnswers += 1
            if interimAnswers > Self.interimLimit {
                return "more than \(Self.interimLimit) interim answers (status 1xx) came before it"
            }
        default:
            interimAnswers = 0
        }
        return violation(of: head.headers)
    }

    private func violation(of fields: HTTPHeaders) -> String? {
        if fields.count > Self.fieldLimit {
            return "it has \(fields.count) header fields, the limit is \(Self.fieldLimit)"
        }
        let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        return size > Self.sizeLimit ? "its header fields have \(size) bytes, the limit is \(Self.sizeLimit)" : nil
    }
}
