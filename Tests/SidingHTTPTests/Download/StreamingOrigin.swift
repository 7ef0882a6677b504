// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOHTTP1
import NIOPosix
import SidingChain

/// A server on loopback that holds no body: `GET /n` streams n bytes, `PUT` counts what comes and answers with the count.
struct StreamingOrigin {
    let url: HTTPURL
    private let channel: any Channel

    static func start() async throws -> StreamingOrigin {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Streamer())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return StreamingOrigin(
            url: try HTTPURL("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/"), channel: channel)
    }

    func stop() async { try? await channel.close() }
}

private final class Streamer: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let block = ByteBuffer(repeating: 7, count: 65_536)
    private var head: HTTPRequestHead?
    private var received = 0
    private var unsent = 0
    private var isSending = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (self.head, received) = (head, 0)
        case .body(let part): received += part.readableBytes
        case .end: answer(context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        pump(context)
        context.fireChannelWritabilityChanged()
    }

    private func answer(_ context: ChannelHandlerContext) {
        let isDownload = head?.method == .GET
        let counted = ByteBuffer(string: "\(received)")
        unsent = isDownload ? Int(head?.uri.dropFirst() ?? "") ?? 0 : counted.readableBytes
        isSending = isDownload
        let fields: HTTPHeaders = ["Content-Length": "\(unsent)", "ETag": "\"1\""]
        context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: .ok, headers: fields))), promise: nil)
        if isDownload { return pump(context) }
        context.write(wrapOutboundOut(.body(.byteBuffer(counted))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    private func pump(_ context: ChannelHandlerContext) {
        while isSending, context.channel.isWritable {
            let part = Self.block.getSlice(at: 0, length: min(unsent, Self.block.readableBytes)) ?? ByteBuffer()
            unsent -= part.readableBytes
            // Settled before the write, whose flush may come back here: what was written last ends the answer, once.
            let isLast = unsent == 0
            isSending = !isLast
            context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part))), promise: nil)
            if isLast { context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil) }
        }
    }
}
