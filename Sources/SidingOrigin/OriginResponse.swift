public import HTTPTypes

/// What an origin answers.
public struct OriginResponse: Sendable {
    public var status: HTTPResponse.Status
    /// `Content-Length` and, where the body is compressed, `Content-Encoding` are added on the way out.
    public var headerFields: HTTPFields
    public var body: [UInt8]
    /// How the answer is spoiled on its way, where no injected fault strikes the request; nil for not at all.
    ///
    /// It happens after the origin has acted: ``OriginFault/closeBeforeHead`` here is a commit of which nobody hears.
    public var fault: OriginFault?

    public init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// An answer of JSON text.
    public static func json(
        _ text: String, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) -> OriginResponse {
        var fields = headerFields
        fields[.contentType] = "application/json"
        return OriginResponse(status: status, headerFields: fields, body: Array(text.utf8))
    }

    public static let notFound = OriginResponse.json(#"{"message":"not found"}"#, status: .notFound)
}

/// Something that answers some requests: a listing, a place to write to, a test's own closure.
public protocol OriginRoute: Sendable {
    /// The answer, or nil where the request is not meant for this route.
    func answer(_ request: OriginRequest) async -> OriginResponse?
}
