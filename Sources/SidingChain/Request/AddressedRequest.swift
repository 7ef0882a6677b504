public import HTTPTypes

/// What a node needs to know of a request, and may change of it, whether it is still a draft or ready to go out.
public protocol AddressedRequest: Sendable {
    var method: HTTPRequest.Method { get }
    var headerFields: HTTPFields { get set }
    var body: RequestBody { get set }

    /// Where the request goes.
    ///
    /// - Throws: ``Failure/Reason/invalidRequest`` where that is no URL.
    func address() throws(Failure) -> HTTPURL
}

extension RequestDraft: AddressedRequest {
    public var method: HTTPRequest.Method { route.method }

    public func address() throws(Failure) -> HTTPURL { route.url }
}

extension OutgoingRequest: AddressedRequest {
    public var method: HTTPRequest.Method { request.method }

    public var headerFields: HTTPFields {
        get { request.headerFields }
        set { request.headerFields = newValue }
    }

    public func address() throws(Failure) -> HTTPURL { try request.checkedURL() }
}
