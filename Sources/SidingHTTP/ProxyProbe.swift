// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOPosix
internal import SidingChain

/// Distinguishes a proxy that does not answer from one whose answer is not HTTP, after a connection through it failed.
///
/// AsyncHTTPClient drops what it cannot read of an answer to `CONNECT`, and nothing can be put into its pipeline before the tunnel
/// stands. So the proxy is asked once more, without credentials, and its first bytes decide.
struct ProxyProbe {
    let proxy: Proxy
    /// The origin of the tunnel.
    let origin: HTTPURL
    let loop: any EventLoop
    /// This machine's address for the connection; nil for any.
    var address: String?
    /// The longest time to connect, and to wait for an answer.
    let limit: TimeAmount

    /// `failure` with the reason that the probe finds; unchanged if it says enough, or if the proxy answers in HTTP.
    func explained(_ failure: Failure) async -> Failure {
        let isClosed = failure.detail == AsyncHTTPClientErrors.closedBehind(proxy)
        guard failure.phase == .notSent, isClosed || failure.reason == .timeout(.connect), !Task.isCancelled,
            let answer = try? await firstBytes()
        else { return failure }
        var explained = failure
        if answer.isEmpty {
            explained.detail =
                isClosed
                ? "\(proxy): it closed the connection without an answer" : "the proxy \(proxy) does not answer"
        } else if !zip(answer, FirstBytes.wanted).allSatisfy(==) {
            (explained.reason, explained.detail) = (.proxyFault, "\(proxy): its answer is not HTTP/1")
        }
        return explained
    }

    private func firstBytes() async throws -> [UInt8] {
        var bootstrap = ClientBootstrap(group: loop).connectTimeout(limit)
        if let address { bootstrap = try bootstrap.bind(to: SocketAddress(ipAddress: address, port: 0)) }
        let host = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
        let (request, limit) = ("CONNECT \(host):\(origin.port) HTTP/1.1\r\nHost: \(host)\r\n\r\n", limit)
        let answer = try await bootstrap.connect(host: proxy.host, port: proxy.port) { channel in
            channel.eventLoop.makeCompletedFuture {
                let handler = FirstBytes(request, within: limit, on: channel.eventLoop)
                try channel.pipeline.syncOperations.addHandler(handler)
                return handler.answer.futureResult
            }
        }
        return try await answer.get()
    }
}

/// Sends a request, and closes the connection at the first bytes of the answer, or when its time is over.
private final class FirstBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// How an answer begins.
    static let wanted = Array("HTTP/1.".utf8)

    /// The first bytes; none if the connection ended before.
    let answer: EventLoopPromise<[UInt8]>
    private let request: String
    private let limit: TimeAmount
    private var bytes: [UInt8] = []
    private var timer: Scheduled<Void>?

    init(_ request: String, within limit: TimeAmount, on loop: any EventLoop) {
        (self.request, self.limit, answer) = (request, limit, loop.makePromise())
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        timer = channel.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        bytes += unwrapInboundIn(data).readableBytesView
        if bytes.count >= Self.wanted.count { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        answer.succeed(bytes)
    }
}
