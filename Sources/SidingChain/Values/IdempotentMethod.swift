public import HTTPTypes

extension HTTPRequest.Method {
    /// Whether sending a request twice is meant to do what sending it once does (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { [.get, .head, .options, .trace, .put, .delete].contains(self) }
}
