// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOPosix
import NIOSSL
import SidingChain

/// A listener on loopback that answers each path with bytes that the test chooses, and treats the connection as told.
///
/// `/orderly/N` is answered with `N` in JSON, over a connection that stays open. As a proxy it answers `CONNECT N.example:443` like
/// the path of N, and other hosts not at all.
struct HostileOrigin {
    let url: HTTPURL
    private let channel: any Channel

    static func start(
        isSecure: Bool = false, answering answer: @escaping @Sendable (_ number: UInt64) -> HostileAnswer
    ) async throws -> HostileOrigin {
        let context = isSecure ? try TLSOrigin.own : nil
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                    try pipeline.addHandler(HostileConnection(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let scheme = isSecure ? "https" : "http"
        return HostileOrigin(
            url: try HTTPURL("\(scheme)://127.0.0.1:\(channel.localAddress?.port ?? 0)/"), channel: channel)
    }

    func stop() async { try? await channel.close() }
}

private final class HostileConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: (UInt64) -> HostileAnswer
    private var request: [UInt8] = []

    init(_ answer: @escaping (UInt64) -> HostileAnswer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        request += Array(unwrapInboundIn(data).readableBytesView)
        let text = String(decoding: request.prefix(2_000), as: UTF8.self)
        guard text.contains("\r\n\r\n") else { return }
        request = []
        let target = text.split(separator: " ").dropFirst().first ?? ""
        if text.hasPrefix("CONNECT ") {
            if let number = UInt64(target.prefix { $0 != "." }) { send(answer(number), context) }
            return
        }
        let path = target.split(separator: "/")
        // What follows is the rest of a request body, of which an early answer took no notice.
        guard path.count == 2, let number = UInt64(path[1]) else { return }
        if path[0] == "orderly" {
            let body = "\(number)"
            write([Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)".utf8)], context)
        } else {
            send(answer(number), context)
        }
    }

    private func send(_ answer: HostileAnswer, _ context: ChannelHandlerContext) {
        var start = 0
        write(
            (answer.cuts + [answer.bytes.count]).map { end in
                defer { start = max(start, end) }
                return Array(answer.bytes[min(start, end)..<min(end, answer.bytes.count)])
            }, context)
        switch answer.ending {
        case .closed: context.close(promise: nil)
        case .halfClosed: context.close(mode: .output, promise: nil)
        case .reset:
            // RST instead of FIN, on the socket below TLS too.
            _ = (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context.close(promise: nil)
        case .left: break
        }
    }

    private func write(_ pieces: [[UInt8]], _ context: ChannelHandlerContext) {
        for piece in pieces where !piece.isEmpty {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: piece)), promise: nil)
        }
    }
}
