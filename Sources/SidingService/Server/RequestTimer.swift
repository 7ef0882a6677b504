// SPDX-License-Identifier: Apache-2.0
internal import Logging
internal import NIOCore
internal import NIOHTTPTypes

/// Closes connections that are slow or idle, however many bytes trickle in: each request, its header fields and its
/// body, has to be here in time, the next one after an answer as well, and an answer has to be read.
final class RequestTimer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServiceLimits
    private let logger: Logger
    /// Closes the connection; nil while a request is answered.
    private var deadline: Scheduled<Void>?
    /// Closes the connection unless the client reads.
    private var stall: Scheduled<Void>?
    /// The number of requests whose answers the system has not taken completely.
    private var open = 0
    /// The answers among them that are written.
    private var unread = 0
    private var isStopping = false

    init(_ limits: ServiceLimits, logger: Logger) {
        (self.limits, self.logger) = (limits, logger)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do { try RequestLine.add(to: context.pipeline) } catch {
            // Without it, requests for other hosts would be answered as if they were for this one.
            logger.error("a connection was closed: its requests cannot be checked", metadata: ["error": "\(error)"])
            return context.close(promise: nil)
        }
        if context.channel.isActive { start(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            open += 1
            start(context)
        case .body: break
        case .end where open == 0: start(context)
        case .end: Self.stop(&deadline)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        let sent = promise ?? context.eventLoop.makePromise()
        unread += 1
        watch(context)
        sent.futureResult.assumeIsolated().whenSuccess { self.finish(context) }
        context.write(data, promise: sent)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        watch(context)
        context.fireChannelWritabilityChanged()
    }

    /// At a graceful stop nobody waits for a request that is not here, nor for long until a client reads its answer. The handlers
    /// after this one would close before an answer is sent.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard event is ChannelShouldQuiesceEvent else { return context.fireUserInboundEventTriggered(event) }
        isStopping = true
        guard deadline == nil else { return context.close(promise: nil) }
        let channel = context.channel
        context.eventLoop.scheduleTask(in: TimeAmount(limits.stoppingTime)) { channel.close(promise: nil) }
    }

    /// An answer is sent.
    private func finish(_ context: ChannelHandlerContext) {
        (open, unread) = (open - 1, unread - 1)
        watch(context)
        guard open == 0, context.channel.isActive else { return }
        if isStopping { context.close(promise: nil) } else { start(context) }
    }

    private func watch(_ context: ChannelHandlerContext) {
        Self.stop(&stall)
        let isRead = context.channel.isWritable && unread == 0
        if !isRead, context.channel.isActive { stall = close(context, in: limits.readingTime) }
    }

    private func start(_ context: ChannelHandlerContext) {
        Self.stop(&deadline)
        deadline = close(context, in: limits.requestTime)
    }

    private func close(_ context: ChannelHandlerContext, in time: Duration) -> Scheduled<Void> {
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { context.close(promise: nil) }
    }

    private func cancel() {
        Self.stop(&deadline)
        Self.stop(&stall)
    }

    private static func stop(_ task: inout Scheduled<Void>?) {
        task?.cancel()
        task = nil
    }
}

/// What clients may use.
struct ServiceLimits: Sendable {
    var connections = 64
    /// Connections that wait for events.
    var listeners = 16
    /// The bytes of a request's body.
    var bodySize = 1 << 20
    /// The time for a request to arrive, and for the next one after an answer.
    var requestTime = Duration.seconds(10)
    /// The time for which an answer may stay unread.
    var readingTime = Duration.seconds(60)
    /// The same once the service stops.
    var stoppingTime = Duration.seconds(1)
    /// The bytes of all header fields.
    var headerSize = 32 << 10
    var headerCount = 100
}
