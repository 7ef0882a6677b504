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

    /// The same, asking `admit` before each further request that a redirect makes of it.
    ///
    /// A transport that follows redirects implements it, and one that wraps another hands `admit` down; for all others, what
    /// stands here is right.
    func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
    ) async throws(Failure) -> Reply
}

/// Lets the next request of a redirect out, or throws what ends the walk.
public typealias RedirectAdmission = @Sendable (HTTPURL) async throws(Failure) -> Void

extension Transport {
    public func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: RedirectAdmission
    ) async throws(Failure) -> Reply {
        try await send(request, body: body)
    }
}
