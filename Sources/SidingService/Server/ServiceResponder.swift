internal import HTTPTypes
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import ServiceLifecycle
internal import SidingChain
internal import SidingJSON

typealias IncomingRequest = HummingbirdCore.Request

/// Reads requests and writes answers.
struct ServiceResponder: Sendable {
    let routes: ServiceRoutes
    let logger: Logger

    @concurrent
    func respond(to request: IncomingRequest, _ writer: consuming ResponseWriter) async throws {
        let begun = ContinuousClock.now
        let isHead = request.method == .head
        let reply = try await reply(to: request)
        guard case .events(let stream) = reply else {
            guard case .answer(let answer) = reply else { return }
            log(request, answer.status, begun)
            let body = isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
            return try await writer.write(response: answer.head(now: routes.served.now), body: body)
        }
        try await send(stream, to: request, writer)
    }

    /// Errors of handlers become answers; only a broken connection is thrown.
    private func reply(to request: IncomingRequest) async throws -> ServiceRoutes.Reply {
        var isForProgram = true
        do {
            try checkSize(of: request)
            let decoded = try ServiceRequest(request.head)
            isForProgram = decoded.isForProgram
            let reply = try await routes.reply(to: decoded) { try await body(of: request) }
            guard case .events = reply else { return reply }
            if decoded.method == .head { return .answer(ServiceAnswer("text/event-stream", [])) }
            guard routes.state.addListener(atMost: routes.limits.listeners) else {
                throw ServiceProblem(.serviceUnavailable, "busy", "too many wait for events already")
            }
            return reply
        } catch let error as BrokenConnection {
            throw error.reason
        } catch {
            let problem = ServiceProblem(error)
            if problem.status.kind == .serverError {
                logger.error("a request failed", metadata: metadata(request, error))
            }
            return .answer(ServiceAnswer(problem, forProgram: isForProgram))
        }
    }

    private struct BrokenConnection: Error {
        let reason: any Error
    }

    private func checkSize(of request: IncomingRequest) throws {
        guard let length = request.headers[.contentLength].flatMap({ Int($0) }), length > routes.limits.bodySize else {
            return
        }
        throw tooLarge
    }

    private func body(of request: IncomingRequest) async throws -> [UInt8] {
        do {
            return Array(buffer: try await request.body.collect(upTo: routes.limits.bodySize))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch {
            throw BrokenConnection(reason: error)
        }
    }

    private var tooLarge: ServiceProblem {
        ServiceProblem(
            .contentTooLarge, "too_large", "the body has more than \(ByteSize.rounded(routes.limits.bodySize))")
    }

    // MARK: Events

    /// Sends events until the client goes or the service stops.
    @concurrent
    private func send(
        _ stream: EventStream, to request: IncomingRequest, _ writer: consuming ResponseWriter
    ) async throws {
        defer { routes.state.removeListener() }
        let head = ServiceAnswer("text/event-stream", []).head(now: routes.served.now, isEndless: true)
        let body = ResponseBody { writer in
            try? await request.body.consumeWithCancellationOnInboundClose { _ in
                for await event in stream.cancelOnGracefulShutdown() {
                    try await writer.write(ByteBuffer(string: event))
                }
            }
            try await writer.finish(nil)
        }
        try await writer.write(response: head, body: body)
    }

    // MARK: Log

    private func log(_ request: IncomingRequest, _ status: HTTPResponse.Status, _ begun: ContinuousClock.Instant) {
        logger.debug(
            "request",
            metadata: [
                "method": "\(request.method.rawValue)", "path": "\(PlainText.oneLine(request.uri.path, limit: 200))",
                "status": "\(status.code)", "ms": "\((ContinuousClock.now - begun).wholeMicroseconds / 1_000)",
            ])
    }

    private func metadata(_ request: IncomingRequest, _ error: any Error) -> Logger.Metadata {
        ["path": "\(PlainText.oneLine(request.uri.path, limit: 200))", "error": "\(error)"]
    }
}
