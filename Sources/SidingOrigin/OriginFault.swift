/// How an origin misbehaves.
public enum OriginFault: Sendable, Hashable {
    // No answer.

    /// The origin goes down: this connection is reset, the listener closes, and connects are refused until
    /// ``Origin/restart()``.
    case refuse
    /// The request is read and never answered.
    case hang
    /// The connection is reset (RST) before a byte of an answer.
    case resetBeforeHead
    /// The connection is closed in order before a byte of an answer.
    case closeBeforeHead
    /// What comes is not HTTP.
    case garbageHead
    /// A head whose fields take `size` bytes.
    case hugeHead(size: Int)

    // Half an answer.

    /// Half of the head comes, then nothing more, and the connection stays open.
    case stallHead
    /// The head comes, then the connection is reset (RST).
    case resetAfterHead
    /// Half of the body comes, then the connection closes: `Content-Length`, or the missing last chunk, tells of it.
    case cutBody(chunked: Bool)
    /// Half of the body comes, then nothing more, and the connection stays open.
    case stallBody
    /// The body comes at this rate, one byte at a time where that is slow enough.
    case slowBody(bytesPerSecond: Int)
    /// The origin's own answer, with a second one behind it that nobody asked for.
    case unaskedAnswer

    // Another answer.

    /// This status with a small JSON body, and `Retry-After` where it is given.
    case status(Int, retryAfter: String? = nil)
    /// A redirect with this status and `Location`.
    case redirect(Int, to: String)
    /// JSON that breaks off in its middle, correctly delimited.
    case wrongJSON
    /// A page of HTML with status 200, as portals send it.
    case notJSON
    /// Other bytes under another media type, with status 200.
    case content(type: String, body: [UInt8])
    /// `size` zero bytes, compressed about a thousand to one.
    case gzipBomb(size: Int)
    /// `Content-Encoding: gzip` on bytes that are not.
    case brokenGzip
    /// A compressed body that ends early, correctly delimited.
    case cutGzip
}
