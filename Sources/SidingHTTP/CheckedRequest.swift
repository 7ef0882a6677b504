internal import SidingJSON
internal import HTTPTypes
internal import NIOHTTP1
internal import SidingChain

/// A request that may go to the wire: its URL, method and header values were checked.
///
/// The client below writes a method to the wire as it is, and traps on some ports, so nothing gets there unchecked.
struct CheckedRequest: Sendable {
    var method: HTTPRequest.Method
    var url: HTTPURL
    var headerFields: HTTPFields
    var body: RequestBody

    /// - Throws: ``SidingChain/Failure/Reason/invalidRequest``, without the value of any header field.
    init(_ request: HTTPRequest, body: RequestBody, settings: TransportSettings) throws(Failure) {
        let url = try request.checkedURL()
        guard HTTPField.Name(request.method.rawValue) != nil else {
            throw Self.refusal("'\(PlainText.oneLine(request.method.rawValue, limit: 40))' is no HTTP method")
        }
        guard url.scheme == "https" || url.isLoopback || settings.allowsPlainHTTP else {
            throw Self.refusal("plain http is spoken only to this machine, unless the source allows it; use https")
        }
        for field in request.headerFields where !HTTPField.isValidValue(field.value) {
            throw Self.refusal("the value of the header field '\(field.name.rawName)' has control characters")
        }
        self.method = request.method
        self.url = url
        self.headerFields = Self.completed(request.headerFields, url, settings)
        self.body = body
    }

    /// The header fields as the client below wants them, `Host` first.
    var headers: HTTPHeaders {
        var headers: HTTPHeaders = ["Host": url.authority]
        for field in headerFields { headers.add(name: field.name.rawName, value: field.value) }
        return headers
    }

    private static func completed(_ fields: HTTPFields, _ url: HTTPURL, _ settings: TransportSettings) -> HTTPFields {
        var fields = fields
        // The URL says which host is meant; a second word on it could only differ.
        if let host = HTTPField.Name("Host") { fields[host] = nil }
        if fields[.userAgent] == nil, !settings.userAgent.isEmpty { fields[.userAgent] = settings.userAgent }
        // Said in so many words, since the client below asks for gzip where nothing is said.
        if fields[.acceptEncoding] == nil {
            fields[.acceptEncoding] = settings.compression.asks(url) ? "gzip" : "identity"
        }
        return fields
    }

    private static func refusal(_ detail: String) -> Failure {
        Failure(.invalidRequest, phase: .notSent, detail: detail)
    }
}

extension TransportSettings.Compression {
    fileprivate func asks(_ url: HTTPURL) -> Bool {
        switch self {
        case .automatic: !url.isLoopback
        case .always: true
        case .never: false
        }
    }
}
