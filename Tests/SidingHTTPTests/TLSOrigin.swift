// SPDX-License-Identifier: Apache-2.0
import NIOCore
import NIOPosix
import NIOSSL
import SidingChain

/// A listener on loopback that speaks TLS with a certificate of its own, or only pretends to.
struct TLSOrigin {
    enum Manner: Sendable {
        /// A certificate for localhost and 127.0.0.1, signed by itself.
        case selfSigned
        /// A certificate for another name, signed by itself.
        case otherName
        /// Another certificate, with its key.
        case presenting(PEMPair)
        /// Plain text where TLS was begun.
        case plain
        /// Closes as soon as something comes.
        case closes
    }

    let url: HTTPURL
    private let channel: any Channel

    /// - Parameter newest: the newest version of TLS that it speaks; nil for any.
    static func start(_ manner: Manner, newest: TLSVersion? = nil) async throws -> TLSOrigin {
        let context = try manner.context(newest)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let context {
                        try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    }
                    try channel.pipeline.syncOperations.addHandler(
                        FixedAnswer(answers: context != nil, talks: manner.isPlain))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return TLSOrigin(
            url: try HTTPURL("https://127.0.0.1:\(channel.localAddress?.port ?? 0)/"), channel: channel)
    }

    func stop() async {
        try? await channel.close()
    }

    static let certificate = """
        -----BEGIN CERTIFICATE-----
        MIIBmzCCAUGgAwIBAgIUNHLnirAMvs1vGS0EKb6s1Z+FeAYwCgYIKoZIzj0EAwIw
        FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTA0MDYyOVoYDzIxMjYxMDI4
        MDQwNjI5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
        PQMBBwNCAAT8xCvYeX6cjjbA/nrZ0yyEcC+7cP3oME9N/2QI4WT+QKnFgutrEoFx
        /fR4N4CXs/QJtLyNPXRuJKNOkcv2gcCHo28wbTAdBgNVHQ4EFgQUg6vnZsVWGA8g
        gmrXtB2i+NnxwfswHwYDVR0jBBgwFoAUg6vnZsVWGA8ggmrXtB2i+NnxwfswDwYD
        VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
        zj0EAwIDSAAwRQIgWkNFuLhc6NDGOHvnzNK1n8E4SA4TPzDUR2LIOQzmC6ECIQDs
        rCH6XiI4hfXLzUPxdU+bveNgdSDLep9uSCmyzqAsFQ==
        -----END CERTIFICATE-----
        """
    private static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgezN7SftdWd9O++ZS
        H9C28njFSneWUPfJdCuu7nnV7E2hRANCAAT8xCvYeX6cjjbA/nrZ0yyEcC+7cP3o
        ME9N/2QI4WT+QKnFgutrEoFx/fR4N4CXs/QJtLyNPXRuJKNOkcv2gcCH
        -----END PRIVATE KEY-----
        """
    static let otherCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBoDCCAUegAwIBAgIUT5ws2zh36/5M6GVW2VIXhLvcOGwwCgYIKoZIzj0EAwIw
        GDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTAgFw0yNjExMjEwNDA2MjlaGA8yMTI2
        MTAyODA0MDYyOVowGDEWMBQGA1UEAwwNb3RoZXIuZXhhbXBsZTBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABKqVATnCmgONLqpUSqbJVZQKeh2g12XiikZZ0OYkrdNo
        xMM3rStrzYlVSPkNer1j4XU2QYXoVaGmF5+YANhCj3ajbTBrMB0GA1UdDgQWBBRx
        D6cuTfaRM8yUSVIzEYiU3XvglzAfBgNVHSMEGDAWgBRxD6cuTfaRM8yUSVIzEYiU
        3XvglzAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDW90aGVyLmV4YW1wbGUw
        CgYIKoZIzj0EAwIDRwAwRAIgerCYYG22xIjRlZDi+qPn5zmeei8h9MNH1V+BsoU/
        yQkCIGlHyjILCXHbznNrEexeP/nmIIWvSLOpNpMcw3OaYzUn
        -----END CERTIFICATE-----
        """
    private static let otherKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZLfA/t0Jzpn3AXwr
        6pqsEfmQLK+2hMUcSfIum1jFj/GhRANCAASqlQE5wpoDjS6qVEqmyVWUCnodoNdl
        4opGWdDmJK3TaMTDN60ra82JVUj5DXq9Y+F1NkGF6FWhphefmADYQo92
        -----END PRIVATE KEY-----
        """

    fileprivate static let selfSigned = PEMPair(certificate: certificate, key: key)
    fileprivate static let otherName = PEMPair(certificate: otherCertificate, key: otherKey)

    static var own: NIOSSLContext { get throws { try selfSigned.context(nil) } }
}

/// A certificate and its key as PEM.
struct PEMPair: Sendable {
    let certificate: String
    let key: String

    fileprivate func context(_ newest: TLSVersion?) throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem)))
        configuration.maximumTLSVersion = newest
        return try NIOSSLContext(configuration: configuration)
    }
}

extension TLSOrigin.Manner {
    fileprivate func context(_ newest: TLSVersion?) throws -> NIOSSLContext? {
        switch self {
        case .selfSigned: try TLSOrigin.selfSigned.context(newest)
        case .otherName: try TLSOrigin.otherName.context(newest)
        case .presenting(let pair): try pair.context(newest)
        case .plain, .closes: nil
        }
    }

    fileprivate var isPlain: Bool { if case .plain = self { true } else { false } }
}

/// Says the same to everyone, or hangs up.
private final class FixedAnswer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answers: Bool
    private let talks: Bool

    init(answers: Bool, talks: Bool) {
        (self.answers, self.talks) = (answers, talks)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard answers || talks else { return context.close(promise: nil) }
        let answer = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}
