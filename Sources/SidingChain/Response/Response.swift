public import HTTPTypes

/// An answer: its head, and its body in the form that it has by now.
///
/// The steps of a chain differ in the body alone:
///
/// | body | what it is | made by |
/// |---|---|---|
/// | ``ReplyBody`` | as it arrives, see ``Reply`` | a ``Transport`` |
/// | `ReplyBody?` | nil where the origin says that there is no content | ``ResponseDataPreprocessorNode`` |
/// | `[UInt8]?` | in memory, see ``LoadedResponse`` | ``ResponseDataLoaderNode`` |
/// | `JSONDocument?` | one JSON document | ``ResponseDataParserNode`` |
/// | a model | decoded | ``DecodeNode/keepingHead``, ``CachePolicyNode`` |
///
/// A body that is nil is "no content" (204, 205, 304), which is neither `null` nor an empty list.
public struct Response<Body: Sendable>: Sendable {
    /// Status and header fields.
    public var response: HTTPResponse
    public var body: Body
    /// Where the answer came from, after redirects.
    public var url: HTTPURL
    /// Whether the origin gave the body for this call, or it was stored. ``AnswerSource/server`` also where the origin
    /// confirmed a stored answer with a 304 on the way to a ``CachePolicyNode``.
    public var source: AnswerSource
    private var absence: Absence?

    public init(response: HTTPResponse, body: Body, url: HTTPURL, source: AnswerSource = .server) {
        self.response = response
        self.body = body
        self.url = url
        self.source = source
    }

    /// Why the origin did not answer itself, where a cache policy asked it first and gave the stored answer instead.
    public var failure: Failure? {
        get { absence?.failure }
        set { absence = newValue.map(Absence.init) }
    }

    /// The same answer with another body.
    public func with<Other: Sendable>(body: Other) -> Response<Other> {
        var other = Response<Other>(response: response, body: body, url: url, source: source)
        other.failure = failure
        return other
    }

    /// The same answer with a body that `transform` makes of this one.
    public func map<Other: Sendable>(_ transform: (Body) throws -> Other) rethrows -> Response<Other> {
        with(body: try transform(body))
    }
}

/// A failure in a box: most answers have none, and need not carry its room through every step.
private final class Absence: Sendable {
    let failure: Failure

    init(_ failure: Failure) {
        self.failure = failure
    }
}

/// An answer whose body lies in memory; nil where the origin said that there is no content.
public typealias LoadedResponse = Response<[UInt8]?>

extension LoadedResponse {
    /// The body; nil where the origin said that there is no content (204, 205, 304).
    public var bytes: [UInt8]? {
        get { body }
        set { body = newValue }
    }

    public init(response: HTTPResponse, bytes: [UInt8]?, url: HTTPURL, source: AnswerSource = .server) {
        self.init(response: response, body: bytes, url: url, source: source)
    }
}
