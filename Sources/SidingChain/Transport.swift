public import HTTPTypes

/// Carries one request to its origin and brings back the reply: the seam between chains and the network.
///
/// The shipped transport stands on AsyncHTTPClient (`SidingHTTP`); tests use a scripted one (`SidingTesting`).
/// A transport does not retry, does not follow a `304`, keeps no cookies, and maps every error of its library to a
/// ``Failure`` with the phase that the request had reached.
public protocol Transport: Sendable {
    /// Sends `request` with `body` and returns as soon as the head of the answer is there; the body streams.
    ///
    /// - Throws: a ``Failure`` whose ``Failure/phase-swift.property`` says whether any byte can have reached the
    ///   origin.
    func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply
}
