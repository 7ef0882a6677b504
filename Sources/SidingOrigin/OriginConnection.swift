// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// One connection of an origin: assembles requests and responds to them one after the other.
final class OriginConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let board: OriginBoard
    private let number: Int
    private var gathering: OriginRequest?
    private var keepsAlive = true
    private var pending: [(request: OriginRequest, keepsAlive: Bool)] = []
    private var isAnswering = false

    init(_ board: OriginBoard, number: Int) {
        (self.board, self.number) = (board, number)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            keepsAlive = head.isKeepAlive
            gathering = OriginRequest(
                method: head.method.rawValue, target: head.uri, headerFields: Self.fields(head.headers),
                connection: number)
            if head.headers["Expect"].contains(where: { $0.lowercased() == "100-continue" }) {
                context.writeAndFlush(
                    wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
            }
        case .body(let part):
            gathering?.body.append(contentsOf: part.readableBytesView)
        case .end:
            guard let request = gathering else { return }
            gathering = nil
            pending.append((request, keepsAlive))
            answerNext(context)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        board.closed(number)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answerNext(_ context: ChannelHandlerContext) {
        guard !isAnswering, !pending.isEmpty else { return }
        isAnswering = true
        var (request, keepsAlive) = pending.removeFirst()
        let fault = board.log(&request)
        if fault == .refuse {
            let (listener, connections) = board.takeDown()
            // A client whose connection ends connects anew at once, which the system accepts for a listener that still is open.
            let closed = listener?.close() ?? context.eventLoop.makeSucceededVoidFuture()
            closed.whenComplete { _ in connections.forEach { $0.reset() } }
            return
        }
        let delivery = Delivery(
            channel: context.channel, request: request, keepsAlive: keepsAlive, compresses: board.compresses)
        let bound = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        // NIO's own bridge from an event to async code, which the handler is.
        context.eventLoop.makeFutureWithTask { [board, request] in
            delivery.needsAnswer(fault) ? await board.handler(request) : nil
        }
        .flatMap { delivery.deliver($0, fault) }
        .whenComplete { _ in
            bound.value.handler.isAnswering = false
            bound.value.handler.answerNext(bound.value.context)
        }
    }

    private static func fields(_ headers: HTTPHeaders) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in headers {
            // NIO's decoder accepts only names that are valid tokens.
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }
}
