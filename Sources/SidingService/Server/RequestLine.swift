// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1

/// Keeps what `HTTPRequest` drops of a request's first line: whether its target is a path, and its version.
///
/// It comes before the handler that makes one, which takes the path out of `GET http://other.example/runs` as if the request were
/// for the host of its `Host` field, and answers HTTP/1.0 as it answers HTTP/1.1.
final class RequestLine: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// A field of requests of HTTP/1.0; clients of HTTP/1.1 that send it lose it.
    static let oldVersionField = "siding-http-1.0"

    /// Adds it after the decoder.
    ///
    /// - Throws: if there is none; the connection must not be served then.
    static func add(to pipeline: ChannelPipeline) throws {
        let operations = pipeline.syncOperations
        let decoder = try operations.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
        try operations.addHandler(RequestLine(), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        // Not a path, as the others of these targets.
        if !head.uri.hasPrefix("/") { head.uri = "*" }
        let isOld = head.version.major < 1 || head.version == .http1_0
        // In the one form that closes the connection after the answer (RFC 9112 §9.3).
        if isOld || !head.isKeepAlive { head.headers.replaceOrAdd(name: "connection", value: "close") }
        head.headers.remove(name: Self.oldVersionField)
        if isOld { head.headers.add(name: Self.oldVersionField, value: "1") }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
