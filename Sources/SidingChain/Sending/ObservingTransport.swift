package import HTTPTypes

/// Shows each request on its way out, and the status of its answer, to whoever counts, notes or announces requests.
package struct ObservingTransport: Transport {
    private let transport: any Transport
    private let before: @Sendable (HTTPRequest) async throws(Failure) -> Void
    private let after: @Sendable (HTTPRequest, HTTPResponse.Status) -> Void

    /// - Parameters:
    ///   - before: runs before a request goes out; what it throws keeps the request from going.
    ///   - after: runs when the head of the answer is there.
    package init(
        _ transport: any Transport, before: @escaping @Sendable (HTTPRequest) async throws(Failure) -> Void,
        after: @escaping @Sendable (HTTPRequest, HTTPResponse.Status) -> Void = { _, _ in }
    ) {
        (self.transport, self.before, self.after) = (transport, before, after)
    }

    package func send(_ request: HTTPRequest, body: RequestBody) async throws(Failure) -> Reply {
        try await before(request)
        let reply = try await transport.send(request, body: body)
        after(request, reply.response.status)
        return reply
    }

    package func send(
        _ request: HTTPRequest, body: RequestBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        try await before(request)
        let reply = try await transport.send(request, body: body, admitting: admit)
        after(request, reply.response.status)
        return reply
    }
}
