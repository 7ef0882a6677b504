public import HTTPTypes
public import SidingJSON

/// An answer whose body was read as JSON.
public struct ParsedResponse: Sendable {
    public var response: HTTPResponse
    /// Nil where the origin had nothing to say, which is neither `null` nor an empty list.
    public var document: JSONDocument?
    /// Where the answer came from, after redirects.
    public var url: HTTPURL

    public init(response: HTTPResponse, document: JSONDocument?, url: HTTPURL) {
        self.response = response
        self.document = document
        self.url = url
    }
}
