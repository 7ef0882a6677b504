// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
internal import Logging

/// Sends one request to its origin and returns the reply: the seam between chains and the network.
///
/// The standard transport uses AsyncHTTPClient (`SidingHTTP`); tests use a scripted one (`SidingTesting`). A transport does not
/// retry, does not handle `304`, keeps no cookies, and maps every error of its library to a ``Failure`` with the phase that the
/// request has reached.
public protocol Transport: Sendable {
    /// Sends `request` with `body` and returns as soon as the head of the response arrives; the body streams.
    ///
    /// - Throws: a ``Failure`` whose ``Failure/phase-swift.property`` says whether any byte can have reached the origin.
    func send(_ request: HTTPRequest, body: EncodedBody) async throws(Failure) -> Reply

    /// The same, calling `admit` before each further request that a redirect causes; it throws to end the call.
    ///
    /// A transport that follows redirects implements it, and one that wraps another passes `admit` on; for all others the
    /// default is right.
    func send(
        _ request: HTTPRequest, body: EncodedBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply
}

extension Transport {
    public func send(
        _ request: HTTPRequest, body: EncodedBody, admitting admit: @Sendable (HTTPURL) async throws(Failure) -> Void
    ) async throws(Failure) -> Reply {
        try await send(request, body: body)
    }
}

/// Sends the request through the transport.
public struct RequestSenderNode: Node {
    private let transport: any Transport

    /// Sends through `transport`, which the chains of a source share.
    public init(_ transport: any Transport) {
        self.transport = transport
    }

    public func process(_ input: OutgoingRequest, _ context: ChainContext) async throws(Failure) -> Reply {
        do throws(Failure) {
            try context.handle?.willSend()
            context.log(
                .debug, "request is sent", node: name,
                ["method": "\(input.request.method)", "url": "\(input.shownURL)"])
            let reply = try await transport.send(input.request, body: input.body)
            context.handle?.didAnswer(
                reply.response, to: input.request.method, isResendable: context.isResendable != false)
            context.log(.debug, "answer has come", node: name, ["status": "\(reply.response.status.code)"])
            return reply
        } catch {
            throw error.at(node: name, method: input.request.method.rawValue, url: input.shownURL)
        }
    }
}
