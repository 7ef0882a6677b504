// SPDX-License-Identifier: Apache-2.0
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
            guard case .answer(var answer) = reply else { return }
            log(request, answer.status, begun)
            if request.headers[.connection] == "close" { answer.fields[.connection] = "close" }
            let body = isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
            return try await writer.write(response: answer.head(now: routes.served.now), body: body)
        }
        try await send(stream, to: request, writer)
    }

    /// Errors of handlers become answers; only a broken connection is thrown.
    private func reply(to request: IncomingRequest) async throws -> ServiceRoutes.Reply {
        do {
            try checkSize(of: request)
            let decoded = try ServiceRequest(request.head)
            let reply = try await routes.reply(to: decoded) { try await body(of: request) }
            // Nobody has read the body of a GET, which may be too large all the same. One without any is left to the events, which
            // end when the connection does.
            let hasBody = request.headers[.contentLength] ?? "0" != "0" || request.headers[.transferEncoding] != nil
            if decoded.method != .post, hasBody { _ = try await body(of: request) }
            guard case .events = reply else { return reply }
            guard !hasBody else { throw ServiceProblem.usage("a request for events has no body") }
            if decoded.method == .head { return .answer(ServiceAnswer("text/event-stream", [])) }
            guard !decoded.isOldVersion else {
                throw ServiceProblem(.httpVersionNotSupported, "http_version", "events need HTTP/1.1")
            }
            guard routes.state.addListener(atMost: routes.limits.listeners) else {
                throw ServiceProblem(.serviceUnavailable, "busy", "too many wait for events already")
            }
            return reply
        } catch let error as BrokenConnection {
            throw error.reason
        } catch {
            let problem = ServiceProblem(error)
            // The others are said to the client alone.
            if problem.status.kind == .serverError, !(error is ServiceProblem) {
                logger.error("a request failed", metadata: metadata(request, problem))
            }
            return .answer(routes.answer(problem, to: request.head))
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

    private func metadata(_ request: IncomingRequest, _ problem: ServiceProblem) -> Logger.Metadata {
        ["path": "\(PlainText.oneLine(request.uri.path, limit: 200))", "error": "\(problem.message)"]
    }
}
