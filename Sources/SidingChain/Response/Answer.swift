public import HTTPTypes

/// A typed value together with the head of the answer that it came in: for `ETag`, `Location`, rate limits.
public struct Answer<Value: Sendable>: Sendable {
    public var value: Value
    public var response: HTTPResponse
    /// Where the answer came from, after redirects.
    public var url: HTTPURL

    public init(value: Value, response: HTTPResponse, url: HTTPURL) {
        self.value = value
        self.response = response
        self.url = url
    }
}

extension Answer: Equatable where Value: Equatable {}
