public import HTTPTypes

/// A request in the making: where it goes, its header fields, and its body in the form that it has by now.
///
/// The body is a model until ``RequestEncoderNode`` has written it; then the request is a ``RequestDraft``, which nodes and
/// middlewares of the request half hand on and change.
public struct Request<Body: Sendable>: Sendable {
    public var route: Route
    public var headerFields: HTTPFields
    public var body: Body

    public init(route: Route, headerFields: HTTPFields = [:], body: Body) {
        self.route = route
        self.headerFields = headerFields
        self.body = body
    }

    /// The same request with another body.
    public func with<Other: Sendable>(body: Other) -> Request<Other> {
        Request<Other>(route: route, headerFields: headerFields, body: body)
    }
}

/// A request whose body is written.
public typealias RequestDraft = Request<RequestBody>

extension RequestDraft {
    public init(route: Route, headerFields: HTTPFields = [:]) {
        self.init(route: route, headerFields: headerFields, body: .none)
    }
}

/// A request that is ready to go out: every provider was asked for this attempt, and nothing is added to it any more.
public struct OutgoingRequest: Sendable {
    public var request: HTTPRequest
    public var body: RequestBody
    private var shown: Shown

    /// Most requests are shown to nobody: the text is made when someone asks.
    private enum Shown: Sendable {
        case text(String)
        case request(secretQueryNames: Set<String>)
    }

    /// A request whose URL is shown as `shownURL`.
    public init(request: HTTPRequest, body: RequestBody, shownURL: String) {
        self.request = request
        self.body = body
        self.shown = .text(shownURL)
    }

    /// A request whose own URL is shown, with the well-known secret query parameters and `secretQueryNames` left out.
    public init(request: HTTPRequest, body: RequestBody, secretQueryNames: Set<String> = []) {
        self.request = request
        self.body = body
        self.shown = .request(secretQueryNames: secretQueryNames)
    }

    /// The URL that errors and logs may show.
    public var shownURL: String {
        get {
            switch shown {
            case .text(let text): text
            case .request(let names): Redaction.url(of: request, also: names)
            }
        }
        set { shown = .text(newValue) }
    }
}

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

/// What a request carries: nothing, bytes in memory, or a stream that is read once per attempt.
public enum RequestBody: Sendable {
    /// No body at all: not even an empty one.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Chunks that are made anew for each attempt.
    ///
    /// - `length`: the number of bytes, where it is known; else the body is sent chunked.
    /// - `chunks`: gives a closure that returns the next chunk, or nil at the end.
    case stream(length: Int?, chunks: @Sendable () -> @Sendable () async throws -> [UInt8]?)

    /// The number of bytes, where it is known before sending.
    public var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): length
        }
    }
}
