public import FoundationEssentials
public import HTTPTypes
public import SidingJSON

/// Turns the origin's own errors, such as `{"code": 17, "message": "…"}`, into the user's: goes before the check of the
/// status, and keeps it.
///
/// The user's closure is shown the answer and says which error it holds; nil where it holds none, and then the answer
/// goes on as if nobody had looked. The call ends in a ``Failure`` whose reason is still the status, so that retries,
/// queue and access safety act as ever, and whose ``Failure/underlying`` is the user's error. A ``Failure`` of the user's
/// making is taken as it is.
public struct ResponseErrorEnvelopeNode: Node {
    private let limit: Int
    private let asksSuccesses: Bool
    private let ownError: @Sendable (ErrorEnvelope) throws -> (any Error)?

    /// A node that shows whole answers to `ownError`.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a body that are read to look into it; 64 KiB unless said otherwise.
    ///   - asksSuccesses: whether answers with a success status are shown too, where their body is whole within `limit`:
    ///     some origins answer 200 with an error inside. Such an error ends the call as ``Failure/Reason/contract``. The
    ///     start of the body is waited for, so leave it off for streams.
    ///   - ownError: the user's error, returned or thrown, or nil.
    public init(
        limit: Int = HTTPFailure.bodyLimit, asksSuccesses: Bool = false,
        _ ownError: @escaping @Sendable (ErrorEnvelope) throws -> (any Error)?
    ) {
        self.limit = limit
        self.asksSuccesses = asksSuccesses
        self.ownError = ownError
    }

    /// A node that shows only bodies which decode as `type`; every other holds no error of the user's.
    ///
    /// - Parameters:
    ///   - type: the envelope's shape.
    ///   - decoder: makes a decoder for each answer.
    ///   - ownError: the user's error, returned or thrown, or nil.
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

/// An answer in which an origin may have put an error of its own: what ``ResponseErrorEnvelopeNode`` shows to the user's
/// closure.
public struct ErrorEnvelope: Sendable {
    public var response: HTTPResponse
    /// The body as JSON; nil where it is none, or longer than the node's limit.
    public var document: JSONDocument?
    /// The body as it came, at most as much as the node's limit.
    public var bytes: [UInt8]
    /// Where the answer came from, after redirects.
    public var url: HTTPURL

    public init(response: HTTPResponse, document: JSONDocument?, bytes: [UInt8], url: HTTPURL) {
        self.response = response
        self.document = document
        self.bytes = bytes
        self.url = url
    }
}
