internal import HTTPTypes
internal import Logging

/// Sends the request through the transport; only that.
public struct RequestSenderNode: Node {
    private let transport: any Transport

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
