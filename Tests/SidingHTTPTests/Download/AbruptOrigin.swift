// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOPosix
import SidingChain

/// A listener on loopback that says one thing to whoever sends anything, and hangs up, or stays silent from then on.
struct AbruptOrigin {
    let url: HTTPURL
    private let channel: any Channel

    static func start(_ answer: String, closes: Bool = true) async throws -> AbruptOrigin {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SaysOnce(answer, closes: closes))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return AbruptOrigin(url: try HTTPURL("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/"), channel: channel)
    }

    func stop() async { try? await channel.close() }
}

private final class SaysOnce: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var answer: String?
    private let closes: Bool

    init(_ answer: String, closes: Bool) { (self.answer, self.closes) = (answer, closes) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let said = answer else { return }
        answer = nil
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: said)), promise: nil)
        if closes { context.close(promise: nil) }
    }
}
