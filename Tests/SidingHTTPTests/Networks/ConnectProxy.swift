// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOPosix
import SidingChain
import SidingSynchronization

/// A well-behaved CONNECT proxy on loopback. It takes every host for this machine, and keeps the heads that it was sent.
final class ConnectProxy: Sendable {
    fileprivate final class Log: Sendable {
        let heads = Mutex<[String]>([])
    }

    let port: Int
    private let channel: any Channel
    private let log: Log

    private init(_ channel: any Channel, _ log: Log) {
        (self.channel, self.log) = (channel, log)
        port = channel.localAddress?.port ?? 0
    }

    /// - Parameter authorization: what `Proxy-Authorization` must be, in lower case; nil if anybody may use it.
    static func start(wanting authorization: String? = nil) async throws -> ConnectProxy {
        let log = Log()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ProxiedConnection(log, wanting: authorization))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ConnectProxy(channel, log)
    }

    /// What came outside of tunnels, one text for each CONNECT.
    var heads: [String] { log.heads.withLock { $0 } }

    /// The rules that send everything through it.
    func rules(_ credentials: Proxy.Credentials? = nil, except exceptions: [String] = []) throws -> ProxyRules {
        ProxyRules(
            try Proxy("127.0.0.1:\(port)", credentials: credentials),
            exceptions: exceptions)
    }

    func stop() async { try? await channel.close() }
}

/// The client's side of a tunnel.
private final class ProxiedConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let log: ConnectProxy.Log
    private let authorization: String?
    private var head = ""
    private var origin: (any Channel)?

    init(_ log: ConnectProxy.Log, wanting authorization: String?) {
        (self.log, self.authorization) = (log, authorization)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let origin { return origin.writeAndFlush(bytes, promise: nil) }
        head += String(buffer: bytes)
        guard head.contains("\r\n\r\n") else { return }
        let text = head
        log.heads.withLock { $0.append(text) }
        if let authorization, !text.lowercased().contains("\r\nproxy-authorization: \(authorization)\r\n") {
            return refuse("407 Proxy Authentication Required", context.channel)
        }
        let target = text.split(separator: " ").dropFirst().first ?? ""
        guard text.hasPrefix("CONNECT "), let port = target.split(separator: ":").last.flatMap({ Int($0) }) else {
            return refuse("400 Bad Request", context.channel)
        }
        connect(context.channel, to: port)
    }

    private func connect(_ client: any Channel, to port: Int) {
        ClientBootstrap(group: client.eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(WayBack(to: client))
                }
            }
            .connect(host: "127.0.0.1", port: port)
            .assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .success(let channel):
                    origin = channel
                    let answer = ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")
                    client.writeAndFlush(answer, promise: nil)
                case .failure: refuse("502 Bad Gateway", client)
                }
            }
    }

    private func refuse(_ status: String, _ client: any Channel) {
        client.writeAndFlush(ByteBuffer(string: "HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n"), promise: nil)
        client.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        origin?.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// The origin's side of a tunnel.
private final class WayBack: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(to client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        client.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        client.close(promise: nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
