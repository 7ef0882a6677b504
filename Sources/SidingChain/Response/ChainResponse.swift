// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// A response: status, header fields, and a body whose type depends on the step of the chain.
///
/// Each step of a chain changes only the type of the body:
///
/// | body | meaning | made by |
/// |---|---|---|
/// | ``ReplyBody`` | as it arrives, see ``Reply`` | a ``Transport`` |
/// | `ReplyBody?` | nil for a status without content | ``ResponseDataPreprocessorNode`` |
/// | `[UInt8]?` | in memory, see ``LoadedResponse`` | ``ResponseDataLoaderNode`` |
/// | `JSONDocument?` | one JSON document | `ResponseDataParserNode` |
/// | a model | decoded | `DecodeNode.keepingHead`, `CachePolicyNode` |
///
/// A nil body means "no content" (204, 205, 304), which is neither `null` nor an empty list.
public struct ChainResponse<Body: Sendable>: Sendable {
    /// Status and header fields.
    public var response: HTTPResponse
    /// The body in the form of this step; nil for a status without content, if the type is optional.
    public var body: Body
    /// The URL of the response, after redirects.
    public var url: HTTPURL
    /// Whether the body came from the origin for this call, or from the cache. It is ``ResponseSource/server`` too if the origin
    /// confirmed a stored response with a 304 before a `CachePolicyNode`.
    public var source: ResponseSource
    private var failureBox: FailureBox?

    /// A response of the origin, unless `source` says otherwise.
    public init(response: HTTPResponse, body: Body, url: HTTPURL, source: ResponseSource = .server) {
        self.response = response
        self.body = body
        self.url = url
        self.source = source
    }

    /// Why the origin did not respond, if a cache policy asked it first and returned the stored response instead.
    public var failure: Failure? {
        get { failureBox?.failure }
        set { failureBox = newValue.map(FailureBox.init) }
    }

    /// The same response with another body.
    public func with<Other: Sendable>(body: Other) -> ChainResponse<Other> {
        var other = ChainResponse<Other>(response: response, body: body, url: url, source: source)
        other.failure = failure
        return other
    }

    /// The same response with its body transformed.
    public func map<Other: Sendable>(_ transform: (Body) throws -> Other) rethrows -> ChainResponse<Other> {
        with(body: try transform(body))
    }
}

/// Boxes a failure: most responses have none, so they should not reserve space for one.
private final class FailureBox: Sendable {
    let failure: Failure

    init(_ failure: Failure) {
        self.failure = failure
    }
}

/// A response whose body is in memory; nil if there is no content.
public typealias LoadedResponse = ChainResponse<[UInt8]?>

extension LoadedResponse {
    /// The body; nil if there is no content (204, 205, 304).
    public var bytes: [UInt8]? {
        get { body }
        set { body = newValue }
    }

    /// A response whose body is in memory, decompressed.
    ///
    /// - Parameters:
    ///   - response: status and header fields.
    ///   - bytes: nil for no content (204, 205, 304), which differs from an empty body.
    ///   - url: where the response came from, after redirects.
    ///   - source: the origin, or a cache.
    public init(response: HTTPResponse, bytes: [UInt8]?, url: HTTPURL, source: ResponseSource = .server) {
        self.init(response: response, body: bytes, url: url, source: source)
    }
}
