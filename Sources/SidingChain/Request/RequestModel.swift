public import HTTPTypes

/// What a request carries, before it is known where it goes: metadata and raw data.
public struct RequestModel<Raw: Sendable>: Sendable {
    /// Header fields for HTTP; a transport of another kind maps them its own way.
    public var metadata: HTTPFields
    /// Nil for a request without a body, which `null` and `{}` are not.
    public var raw: Raw?

    public init(metadata: HTTPFields = [:], raw: Raw? = nil) {
        self.metadata = metadata
        self.raw = raw
    }
}

extension RequestModel: Equatable where Raw: Equatable {}
