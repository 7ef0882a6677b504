// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

/// Marks the border between sending and reading: every later failure has phase `answered`.
///
/// A body that breaks off is a failure in that phase, never an empty success.
public struct ResponseProcessorNode: Node {
    /// Place it directly after ``RequestSenderNode``, or after the `ETagNode` around it.
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

/// Fails for every status that is not a success, before the body is parsed.
///
/// 400 badRequest, 401 unauthorized, 403 forbidden, 404 notFound, 500 internalServerError and all other non-2xx statuses: the
/// failure has the status, selected header fields and a bounded start of the body. A 304 passes, since it responds to a
/// condition.
public struct ResponseHTTPErrorProcessorNode: Node {
    /// Place it after ``ResponseProcessorNode``, and inside of ``RetryNode`` and ``AccessSafeNode``, which decide by its
    /// failures.
    public init() {}

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> Reply {
        if input.response.status.isAccepted { return input }
        let failure = HTTPFailure(input.response, bodyStart: await input.body.prefix(upTo: HTTPFailure.bodyLimit))
        throw Failure(.http(failure), phase: .answered).at(node: name, url: Redaction.url(input.url))
    }
}

extension HTTPResponse.Status {
    /// Whether a response of this status passes.
    var isAccepted: Bool { kind == .successful || code == 304 }
}

extension HTTPFailure {
    /// The parts of a failed response that are kept.
    package init(_ response: HTTPResponse, bodyStart: [UInt8]) {
        self.init(
            status: response.status.code, headerFields: Self.kept(response.headerFields),
            body: Array(bodyStart.prefix(Self.bodyLimit)))
    }

    private static let keptNames: Set<String> = [
        "retry-after", "etag", "last-modified", "date", "content-type", "www-authenticate", "location",
        // The total size of the resource for a failed range request (416, RFC 9110 §15.5.17).
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

/// Distinguishes "no content" (204, 205, 304) from an empty body, so that no stored records are removed because of it.
public struct ResponseDataPreprocessorNode: Node {
    /// Place it after ``ResponseHTTPErrorProcessorNode``, so that only successes and 304 reach it.
    public init() {}

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> ChainResponse<ReplyBody?> {
        switch input.response.status.code {
        case 204, 205, 304: input.with(body: nil)
        default: input.with(body: input.body)
        }
    }
}

/// Reads the body into memory, up to a limit.
public struct ResponseDataLoaderNode: Node {
    private let limit: Int

    /// - Parameter limit: the maximum number of decompressed bytes; 64 MiB by default.
    public init(limit: Int = 64 << 20) {
        self.limit = limit
    }

    public func process(
        _ input: ChainResponse<ReplyBody?>, _ context: ChainContext
    ) async throws(Failure) -> LoadedResponse {
        guard let body = input.body else { return input.with(body: nil) }
        do throws(Failure) { return input.with(body: try await body.collect(upTo: limit)) } catch {
            throw error.at(node: name, url: Redaction.url(input.url))
        }
    }
}
