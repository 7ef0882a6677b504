public import FoundationEssentials
public import HTTPTypes
public import SidingJSON

/// Turns the origin's own errors, such as `{"code": 17, "message": "…"}`, into the user's error type. Place it before the
/// status check; it keeps the status.
///
/// The user's closure receives the response and returns the error that it contains, or nil if there is none; then the response
/// passes unchanged. The call fails with a ``Failure`` whose reason is still the status, so that retries, queue and access
/// safety work as usual, and whose ``Failure/underlying`` is the user's error. If the user's error is a ``Failure``, it is used
/// directly.
public struct ResponseErrorEnvelopeNode: Node {
    private let limit: Int
    private let asksSuccesses: Bool
    private let ownError: @Sendable (ErrorEnvelope) throws -> (any Error)?

    /// A node that passes every error response to `ownError`.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of body bytes to read for inspection; 64 KiB by default.
    ///   - asksSuccesses: whether responses with a success status are inspected too, if their whole body fits in `limit`: some
    ///     origins respond 200 with an error inside. Such an error ends the call with ``Failure/Reason/contract``. This waits
    ///     for the start of the body, so leave it off for streams.
    ///   - ownError: returns or throws the user's error, or returns nil.
    public init(
        limit: Int = HTTPFailure.bodyLimit, asksSuccesses: Bool = false,
        _ ownError: @escaping @Sendable (ErrorEnvelope) throws -> (any Error)?
    ) {
        self.limit = limit
        self.asksSuccesses = asksSuccesses
        self.ownError = ownError
    }

    /// A node that inspects only bodies that decode as `type`; all others contain no user error.
    ///
    /// - Parameters:
    ///   - type: the type of the envelope.
    ///   - decoder: makes a decoder for each response.
    ///   - ownError: returns or throws the user's error, or returns nil.
    public init<Body: Decodable & Sendable>(
        reading type: Body.Type, limit: Int = HTTPFailure.bodyLimit, asksSuccesses: Bool = false,
        decoder: @escaping @Sendable () -> JSONDecoder = JSONCoding.decoder,
        _ ownError: @escaping @Sendable (Body, HTTPResponse) throws -> (any Error)?
    ) {
        self.init(limit: limit, asksSuccesses: asksSuccesses) { envelope in
            guard let document = envelope.document,
                let body = try? JSONCoding.model(Body.self, from: document, by: decoder())
            else { return nil }
            return try ownError(body, envelope.response)
        }
    }

    public func process(_ input: Reply, _ context: ChainContext) async throws(Failure) -> Reply {
        let isSuccess = input.response.status.isAccepted
        if isSuccess, !asksSuccesses || (input.body.length ?? 0) > limit { return input }
        let peeked = await PeekedBody(input.body, upTo: limit)
        if peeked.isWhole || !isSuccess, let error = error(in: input, peeked) {
            throw failure(error, input, peeked, isSuccess).at(node: name, url: Redaction.url(input.url))
        }
        var reply = input
        reply.body = peeked.body
        return reply
    }

    private func error(in reply: Reply, _ peeked: PeekedBody) -> (any Error)? {
        let envelope = ErrorEnvelope(
            response: reply.response, document: peeked.isWhole ? try? JSONDocument(peeked.start) : nil,
            bytes: peeked.start, url: reply.url)
        do { return try ownError(envelope) } catch { return error }
    }

    private func failure(_ error: any Error, _ reply: Reply, _ peeked: PeekedBody, _ isSuccess: Bool) -> Failure {
        if error is Failure || error is CancellationError { return Failure.wrapping(error, phase: .answered) }
        let reason: Failure.Reason =
            isSuccess ? .contract : .http(HTTPFailure(reply.response, bodyStart: peeked.start))
        return Failure(reason, phase: .answered, detail: String(describing: error), underlying: error)
    }
}

/// A response that may contain an error of the origin: the argument of the closure of ``ResponseErrorEnvelopeNode``.
public struct ErrorEnvelope: Sendable {
    public var response: HTTPResponse
    /// The body as JSON; nil if it is not JSON, or longer than the node's limit.
    public var document: JSONDocument?
    /// The raw body, at most the node's limit.
    public var bytes: [UInt8]
    /// The URL of the response, after redirects.
    public var url: HTTPURL

    public init(response: HTTPResponse, document: JSONDocument?, bytes: [UInt8], url: HTTPURL) {
        self.response = response
        self.document = document
        self.bytes = bytes
        self.url = url
    }
}
