public import FoundationEssentials

/// A model that is its own body: bytes that no encoder touches.
public protocol RawBody: Sendable {
    /// The bytes to send.
    var rawBody: [UInt8] { get throws }
    /// The media type of the bytes; nil sends no `Content-Type` of its own.
    var contentType: String? { get }
}

extension [UInt8]: RawBody {
    public var rawBody: [UInt8] { self }
    public var contentType: String? { "application/octet-stream" }
}

extension String: RawBody {
    public var rawBody: [UInt8] { Array(utf8) }
    public var contentType: String? { "text/plain; charset=utf-8" }
}

extension Data: RawBody {
    public var rawBody: [UInt8] { [UInt8](self) }
    public var contentType: String? { "application/octet-stream" }
}
