public import HTTPTypes

/// Marks the border between sending and reading: what fails from here on has been answered.
///
/// A body that breaks off is a failure in phase `answered`, never an empty success.
public struct ResponseProcessorNode: Node {
    public init() {}

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> Reply {
        var reply = input
        let (body, url) = (input.body, input.url)
        reply.body = ReplyBody(length: body.length) { () async throws(Failure) -> [UInt8]? in
            do throws(Failure) { return try await body.next() } catch {
                throw Self.answered(error).at(node: name, url: Redaction.url(url))
            }
        }
        return reply
    }

    private static func answered(_ failure: Failure) -> Failure {
        var answered = failure
        answered.phase = .answered
        if failure.reason == .connectionLost { answered.reason = .truncated }
        return answered
    }
}

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

/// What a successful answer holds.
public enum ResponseContent: Sendable {
    /// 204, 205 or 304: the origin says that there is nothing to read, which is never an empty list.
    case none(HTTPResponse, url: HTTPURL)
    /// A body to read.
    case some(Reply)
}

/// Tells "no content" (204, 205, 304) from a body, so that nothing stored is ever removed because of it.
public struct ResponseDataPreprocessorNode: Node {
    public init() {}

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> ResponseContent {
        switch input.response.status.code {
        case 204, 205, 304: .none(input.response, url: input.url)
        default: .some(input)
        }
    }
}

/// An answer whose body lies in memory.
public struct LoadedResponse: Sendable {
    public var response: HTTPResponse
    /// Nil where the origin said that there is no content (204, 205, 304).
    public var bytes: [UInt8]?
    /// Where the answer came from, after redirects.
    public var url: HTTPURL
    /// Whether the origin gave the body for this call, or it was stored.
    public var source: AnswerSource

    public init(response: HTTPResponse, bytes: [UInt8]?, url: HTTPURL, source: AnswerSource = .server) {
        self.response = response
        self.bytes = bytes
        self.url = url
        self.source = source
    }
}

/// Reads the body into memory, up to a limit.
public struct ResponseDataLoaderNode: Node {
    private let limit: Int

    /// - Parameter limit: the most bytes that are accepted, decompressed; 64 MiB unless said otherwise.
    public init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    public func process(_ input: ResponseContent, _ context: ChainContext) async throws(Failure) -> LoadedResponse {
        switch input {
        case .none(let response, let url):
            return LoadedResponse(response: response, bytes: nil, url: url)
        case .some(let reply):
            do {
                let bytes = try await reply.body.collect(upTo: limit)
                return LoadedResponse(response: reply.response, bytes: bytes, url: reply.url, source: reply.source)
            } catch {
                throw error.at(node: name, url: Redaction.url(reply.url))
            }
        }
    }
}
