// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
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
    private let ownError: @Sendable (JSONDocument?, ChainResponse<[UInt8]>) throws -> (any Error)?

    /// A node that passes every error response to `ownError`.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of body bytes to read for inspection; 64 KiB by default.
    ///   - asksSuccesses: whether responses with a success status are inspected too, if their whole body fits in `limit`: some
    ///     origins respond 200 with an error inside. Such an error ends the call with ``Failure/Reason/contract``. This waits
    ///     for the start of the body, so leave it off for streams.
    ///   - ownError: returns or throws the user's error, or returns nil. Its arguments are the body as JSON, nil if it is not JSON or
    ///     longer than `limit`, and the response with at most `limit` bytes.
    public init(
        limit: Int = HTTPFailure.bodyLimit, asksSuccesses: Bool = false,
        _ ownError: @escaping @Sendable (JSONDocument?, ChainResponse<[UInt8]>) throws -> (any Error)?
    ) {
        self.limit = limit
        self.asksSuccesses = asksSuccesses
        self.ownError = ownError
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
        let document = peeked.isWhole ? try? JSONDocument(peeked.start) : nil
        do { return try ownError(document, reply.with(body: peeked.start)) } catch { return error }
    }

    private func failure(_ error: any Error, _ reply: Reply, _ peeked: PeekedBody, _ isSuccess: Bool) -> Failure {
        if error is Failure || error is CancellationError { return Failure.wrapping(error, phase: .answered) }
        let reason: Failure.Reason =
            isSuccess ? .contract : .http(HTTPFailure(reply.response, bodyStart: peeked.start))
        return Failure(reason, phase: .answered, detail: String(describing: error), underlying: error)
    }
}
