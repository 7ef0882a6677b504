// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

/// Shows each request on its way out, and what came of it, to whoever counts, notes or announces requests.
package struct ObservingTransport: Transport {
    private let transport: any Transport
    private let before: @Sendable (HTTPRequest) async throws(Failure) -> Void
    private let after: @Sendable (HTTPRequest, Result<HTTPResponse.Status, Failure>) -> Void

    /// - Parameters:
    ///   - before: runs before a request goes out; what it throws keeps the request from going.
    ///   - after: runs when the head of the answer is there, or the request has failed.
    package init(
        _ transport: any Transport, before: @escaping @Sendable (HTTPRequest) async throws(Failure) -> Void,
        after: @escaping @Sendable (HTTPRequest, Result<HTTPResponse.Status, Failure>) -> Void = { _, _ in }
    ) {
        (self.transport, self.before, self.after) = (transport, before, after)
    }

    package func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply {
        try await observe(request) { () async throws(Failure) in try await transport.send(request, body: body) }
    }

    package func send(
        _ request: HTTPRequest, body: EncodedBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        try await observe(request) { () async throws(Failure) in
            try await transport.send(request, body: body, admitting: admit)
        }
    }

    private func observe(
        _ request: HTTPRequest, _ send: () async throws(Failure) -> Reply
    ) async throws(Failure) -> Reply {
        try await before(request)
        do throws(Failure) {
            let reply = try await send()
            after(request, .success(reply.response.status))
            return reply
        } catch {
            after(request, .failure(error))
            throw error
        }
    }
}
