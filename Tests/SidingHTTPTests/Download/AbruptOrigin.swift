import NIOCore
import NIOPosix
import SidingChain

/// A listener on loopback that says one thing to whoever sends anything, and hangs up.
struct AbruptOrigin {
    let url: HTTPURL
    private let channel: any Channel

    static func start(_ answer: String) async throws -> AbruptOrigin {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SaysOnce(answer))
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

    private let answer: String

    init(_ answer: String) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
        context.close(promise: nil)
    }
}
