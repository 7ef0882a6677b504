// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes

/// A request being built: its route, its header fields, and its body in the current form.
///
/// The body is a model until `RequestEncoderNode` encodes it. Then the request is a ``RequestDraft``, which the remaining
/// request nodes and the middlewares pass on and change.
public struct ChainRequest<Body: Sendable>: Sendable {
    /// The method and the URL; nodes append query parameters to it.
    public var route: RequestRoute
    /// The fields so far; later nodes add theirs.
    public var headerFields: HTTPFields
    /// A model, or an ``EncodedBody`` once it is encoded.
    public var body: Body
    /// How often the request is tried again if its chain's ``RetryPolicy`` allows it for the failure; nil, the default, for as
    /// often as that policy says.
    ///
    /// The request half or a middleware that runs once per request may set it. Within an attempt it is too late.
    public var retries: Int?
    /// What modules above this one keep for the request, by its type.
    private var values: [ObjectIdentifier: any Sendable] = [:]

    /// A request with this body, and by default without header fields.
    public init(route: RequestRoute, headerFields: HTTPFields = [:], body: Body) {
        self.route = route
        self.headerFields = headerFields
        self.body = body
    }

    /// The same request with another body.
    public func with<Other: Sendable>(body: Other) -> ChainRequest<Other> {
        var request = ChainRequest<Other>(route: route, headerFields: headerFields, body: body)
        request.retries = retries
        request.values = values
        return request
    }

    /// The value of `type` that a module above this one keeps for the request; nil for none.
    package subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
        get { values[ObjectIdentifier(type)] as? Value }
        set { values[ObjectIdentifier(type)] = newValue }
    }
}

/// A request with an encoded body.
public typealias RequestDraft = ChainRequest<EncodedBody>

extension RequestDraft {
    /// A draft without a body, as for a GET.
    public init(route: RequestRoute, headerFields: HTTPFields = [:]) {
        self.init(route: route, headerFields: headerFields, body: .none)
    }
}

/// A request ready to be sent: every provider has supplied its fields for this attempt, and nothing more is added.
public struct OutgoingRequest: Sendable {
    /// The head that is sent: method, URL and all header fields, credentials included.
    public var request: HTTPRequest
    /// The encoded body; a stream begins anew with each attempt.
    public var body: EncodedBody
    private var shown: Shown

    /// The displayed URL is computed on demand, as most requests are never displayed.
    private enum Shown: Sendable {
        case text(String)
        case request(secretQueryNames: Set<String>)
    }

    /// A request whose URL is displayed as `shownURL`.
    package init(request: HTTPRequest, body: EncodedBody, shownURL: String) {
        self.request = request
        self.body = body
        self.shown = .text(shownURL)
    }

    /// A request that displays its own URL without the values of the well-known secret query parameters and of
    /// `secretQueryNames`.
    public init(request: HTTPRequest, body: EncodedBody, secretQueryNames: Set<String> = []) {
        self.request = request
        self.body = body
        self.shown = .request(secretQueryNames: secretQueryNames)
    }

    /// The URL that errors and logs may show.
    public package(set) var shownURL: String {
        get {
            switch shown {
            case .text(let text): text
            case .request(let names): Redaction.url(of: request, also: names)
            }
        }
        set { shown = .text(newValue) }
    }
}

/// The body of a request: nothing, bytes in memory, or a stream that is read once per attempt.
public enum EncodedBody: Sendable {
    /// No body at all, which differs from an empty body.
    case none
    /// Bytes in memory.
    case bytes([UInt8])
    /// Chunks that are generated anew for each attempt.
    ///
    /// - `length`: the number of bytes, if known; otherwise the body is sent chunked.
    /// - `chunks`: returns a closure that returns the next chunk, or nil at the end.
    case stream(length: Int?, chunks: @Sendable () -> @Sendable () async throws -> [UInt8]?)

    /// The number of bytes, if known before sending.
    public var length: Int? {
        switch self {
        case .none: 0
        case .bytes(let bytes): bytes.count
        case .stream(let length, _): length
        }
    }
}
