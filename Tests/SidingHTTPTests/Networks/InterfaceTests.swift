// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import NIOCore
import NIOPosix
import SidingChain
import SidingOrigin
import Testing

@testable import SidingHTTP

@Suite struct InterfaceTests {
    @Test(arguments: [("127.0.0.1", "127.0.0.1"), ("127.0.0.5", "127.0.0.5"), ("lo", "127.0.0.1")])
    func `connections come from the interface that is named, or from the address`(
        _ interface: String, _ address: String
    ) async throws {
        let origin = try await Mirror.start()
        let transport = HTTPTransport(
            HTTPTransportConfiguration(settings: TransportSettings().with(\.interface, interface)))
        #expect(try await transport.ask(origin.url).bytes == Array(address.utf8))
        await transport.shutdown()
        await origin.stop()
    }

    @Test(arguments: [
        ("nowhere0", "the interface 'nowhere0' is missing or has no address"),
        // Kept for documentation, no machine has them (RFC 5737, RFC 3849).
        ("192.0.2.1", "no interface has the address 192.0.2.1"),
        ("2001:db8::1", "no interface has the address 2001:db8::1"),
    ])
    func `a missing interface counts as no internet connection, and nothing is sent`(
        _ interface: String, _ detail: String
    ) async throws {
        try await asking(TransportSettings().with(\.interface, interface)) { (origin, transport) async throws in
            let failure = try #require(await transport.failure(origin.url, .post, body: .bytes([1])))
            #expect(failure.reason == .noInternetConnection)
            #expect(failure.phase == .notSent)
            #expect(failure.detail == detail)
            #expect(origin.requests.count == 0)
        }
    }

    @Test func `an address is written as it was given`() throws {
        #expect(try Interface.address(of: "127.0.0.1") == "127.0.0.1")
        #expect(try Interface.address(of: "lo") == "127.0.0.1", "IPv4 comes before IPv6")
    }
}

/// Tells everyone the address that they come from.
private struct Mirror {
    let url: HTTPURL
    private let channel: any Channel

    static func start() async throws -> Mirror {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reflection()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return Mirror(url: try HTTPURL("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/"), channel: channel)
    }

    func stop() async { try? await channel.close() }
}

private final class Reflection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let address = context.remoteAddress?.ipAddress ?? ""
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(address.utf8.count)\r\n\r\n\(address)"
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
    }
}
