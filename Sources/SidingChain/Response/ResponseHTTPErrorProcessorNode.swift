public import HTTPTypes

/// Ends the line for every status that is no success: status first, parsing second.
///
/// 400 badRequest, 401 unauthorized, 403 forbidden, 404 notFound, 500 internalServerError and every other non-2xx alike:
/// status, the header fields worth keeping, a bounded start of the body. A 304 passes: it is an answer to a condition.
public struct ResponseHTTPErrorProcessorNode: Node {
    public init() {}

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> Reply {
        if input.response.status.isAccepted { return input }
        let failure = HTTPFailure(input.response, bodyStart: await input.body.prefix(upTo: HTTPFailure.bodyLimit))
        throw Failure(.http(failure), phase: .answered).at(node: name, url: Redaction.url(input.url))
    }
}

extension HTTPResponse.Status {
    /// Whether an answer of this status goes on along the line.
    var isAccepted: Bool { kind == .successful || code == 304 }
}

extension HTTPFailure {
    /// What is worth keeping of an answer that is a failure.
    public init(_ response: HTTPResponse, bodyStart: [UInt8]) {
        self.init(
            status: response.status.code, headerFields: Self.kept(response.headerFields),
            body: Array(bodyStart.prefix(Self.bodyLimit)))
    }

    private static let keptNames: Set<String> = [
        "retry-after", "etag", "last-modified", "date", "content-type", "www-authenticate", "location",
        // The size of what a range was asked of (416, RFC 9110 §15.5.17).
        "content-range",
    ]

    private static func kept(_ fields: HTTPFields) -> HTTPFields {
        HTTPFields(
            fields.filter { field in
                let name = field.name.canonicalName
                return keptNames.contains(name) || name.contains("ratelimit") || name.contains("rate-limit")
            })
    }
}
