public import HTTPTypes

/// A request in the making, as the request half of a chain hands it from node to node.
public struct RequestDraft: Sendable {
    public var route: Route
    public var headerFields: HTTPFields
    public var body: RequestBody

    public init(route: Route, headerFields: HTTPFields = [:], body: RequestBody = .none) {
        self.route = route
        self.headerFields = headerFields
        self.body = body
    }
}

/// A request that is ready to go out.
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
