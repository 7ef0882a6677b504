// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import HTTPTypes
internal import NIOHTTP1
internal import SidingChain

/// A request whose URL, method and header values were checked, so that it may be sent.
///
/// AsyncHTTPClient writes the method to the wire unchecked and traps on some ports, so every request must pass this check.
struct CheckedRequest: Sendable {
    var method: HTTPRequest.Method
    var url: HTTPURL
    var headerFields: HTTPFields
    var body: EncodedBody

    /// - Throws: ``SidingChain/Failure/Reason/invalidRequest``, which never contains a header value.
    init(_ request: HTTPRequest, body: EncodedBody, settings: TransportSettings) throws(Failure) {
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

    /// The header fields for AsyncHTTPClient, `Host` first.
    var headers: HTTPHeaders {
        var headers: HTTPHeaders = ["Host": url.isUnixSocket ? "localhost" : url.authority]
        for field in headerFields { headers.add(name: field.name.rawName, value: field.value) }
        return headers
    }

    private static func completed(_ fields: HTTPFields, _ url: HTTPURL, _ settings: TransportSettings) -> HTTPFields {
        var fields = fields
        // The URL determines the host; a separate `Host` field could contradict it.
        if let host = HTTPField.Name("Host") { fields[host] = nil }
        if fields[.userAgent] == nil, !settings.userAgent.isEmpty { fields[.userAgent] = settings.userAgent }
        // Set explicitly, since AsyncHTTPClient asks for gzip if the field is missing.
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
