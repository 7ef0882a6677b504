public import HTTPTypes
public import SidingJSON

/// An answer in which an origin may have put an error of its own: what ``ResponseErrorEnvelopeNode`` shows to the user's
/// closure.
public struct ErrorEnvelope: Sendable {
    public var response: HTTPResponse
    /// The body as JSON; nil where it is none, or longer than the node's limit.
    public var document: JSONDocument?
    /// The body as it came, at most as much as the node's limit.
    public var bytes: [UInt8]
    /// Where the answer came from, after redirects.
    public var url: HTTPURL

    public init(response: HTTPResponse, document: JSONDocument?, bytes: [UInt8], url: HTTPURL) {
        self.response = response
        self.document = document
        self.bytes = bytes
        self.url = url
    }
}
