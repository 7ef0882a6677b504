// SPDX-License-Identifier: Apache-2.0
/// A way in which an origin misbehaves.
public enum OriginFault: Sendable, Hashable {
    // No answer.

    /// The origin goes down: this connection is reset, the listener closes, and connects are refused until
    /// ``Origin/restart()``.
    case refuse
    /// The request is read and never answered.
    case hang
    /// The connection is reset (RST) before the first byte of a response.
    case resetBeforeHead
    /// The connection is closed normally before the first byte of a response.
    case closeBeforeHead
    /// These bytes instead of a response; then the connection is closed.
    case bytes(String)
    /// A head whose fields take `size` bytes.
    case hugeHead(size: Int)

    // Half an answer.

    /// Half of the head comes, then nothing more, and the connection stays open.
    case stallHead
    /// The head is sent, then the connection is reset (RST).
    case resetAfterHead
    /// Half of the body is sent, then the connection closes: `Content-Length`, or the missing last chunk, reveals it.
    case cutBody(chunked: Bool)
    /// Half of the body is sent, then nothing more, and the connection stays open.
    case stallBody
    /// The body is sent at this rate, one byte at a time if that is slow enough.
    case slowBody(bytesPerSecond: Int)
    /// The origin's own response, followed by a second, unrequested one.
    case unaskedAnswer

    // Another answer.

    /// This status with a small JSON body, and `Retry-After` where it is given.
    case status(Int, retryAfter: String? = nil)
    /// A redirect with this status and `Location`.
    case redirect(Int, to: String)
    /// JSON that is cut in the middle, correctly delimited.
    case wrongJSON
    /// An HTML page with status 200, as captive portals send it.
    case notJSON
    /// Other bytes under another media type, with status 200.
    case content(type: String, body: [UInt8])
    /// `size` zero bytes, compressed about a thousand to one.
    case gzipBomb(size: Int)
    /// `Content-Encoding: gzip` with bytes that are not gzip.
    case brokenGzip
    /// A compressed body that ends early, correctly delimited.
    case cutGzip

    /// The response is not HTTP.
    public static let garbageHead = OriginFault.bytes("\u{1}\u{2} This is not HTTP.\r\n\r\n")
}
