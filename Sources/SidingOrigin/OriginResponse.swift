// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// A response of an origin.
public struct OriginResponse: Sendable {
    /// The status, such as `.ok`.
    public var status: HTTPResponse.Status
    /// `Content-Length` and, if the body is compressed, `Content-Encoding` are added when it is sent.
    public var headerFields: HTTPFields
    /// The whole body, before compression.
    public var body: [UInt8]
    /// How the response is spoiled on its way, unless an injected fault affects the request; nil for not at all.
    ///
    /// The origin has acted already: ``OriginFault/closeBeforeHead`` here is a commit that the client does not learn about.
    public var fault: OriginFault?

    /// 200 without a body by default; see ``json(_:status:headerFields:)`` for JSON.
    public init(status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headerFields = headerFields
        self.body = body
    }

    /// A response with JSON text.
    public static func json(
        _ text: String, status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:]
    ) -> OriginResponse {
        var fields = headerFields
        fields[.contentType] = "application/json"
        return OriginResponse(status: status, headerFields: fields, body: Array(text.utf8))
    }

    /// 404 with a message as JSON; also what an origin answers if no route does.
    public static let notFound = OriginResponse.json(#"{"message":"not found"}"#, status: .notFound)
}

/// Responds to some of the requests: a listing, a write endpoint, or a test's own closure.
public protocol OriginRoute: Sendable {
    /// The response, or nil if the request is not for this route.
    func answer(_ request: OriginRequest) async -> OriginResponse?
}
