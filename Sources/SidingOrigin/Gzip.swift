// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOEmbedded
internal import NIOHTTP1
internal import NIOHTTPCompression

/// Compresses bodies with the handler of swift-nio-extras in an embedded channel.
enum Gzip {
    static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        compressed([ByteBuffer(bytes: bytes)])
    }

    /// Compresses `count` zero bytes without holding all of them in memory.
    static func compressed(zeros count: Int) -> [UInt8] {
        let part = 1 << 20
        let whole = ByteBuffer(repeating: 0, count: part)
        let rest = count % part == 0 ? [] : [ByteBuffer(repeating: 0, count: count % part)]
        return compressed(Array(repeating: whole, count: count / part) + rest)
    }

    private static func compressed(_ parts: [ByteBuffer]) -> [UInt8] {
        // An embedded channel fails only if a handler does, and this one has no reason to.
        (try? run(parts)) ?? []
    }

    private static func run(_ parts: [ByteBuffer]) throws -> [UInt8] {
        let channel = EmbeddedChannel(handler: HTTPResponseCompressor())
        let asking = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Accept-Encoding": "gzip"])
        try channel.writeInbound(HTTPServerRequestPart.head(asking))
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
        var compressed: [UInt8] = []
        for part in parts {
            try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(part)))
            try take(channel, into: &compressed)
        }
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        try take(channel, into: &compressed)
        _ = try channel.finish(acceptAlreadyClosed: true)
        return compressed
    }

    private static func take(_ channel: EmbeddedChannel, into bytes: inout [UInt8]) throws {
        while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
            if case .body(.byteBuffer(let buffer)) = part { bytes.append(contentsOf: buffer.readableBytesView) }
        }
    }
}
