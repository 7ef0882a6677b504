internal import NIOCore
internal import NIOHTTPTypes

/// Closes connections that are slow or idle, however many bytes trickle in: each request, its header fields and its
/// body, has to be here in time, the next one after an answer as well, and an answer has to be read.
final class RequestTimer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServiceLimits
    /// Closes the connection; nil while a request is answered.
    private var deadline: Scheduled<Void>?
    private var stall: Scheduled<Void>?
    /// The number of requests that are not answered yet.
    private var open = 0

    init(_ limits: ServiceLimits) {
        self.limits = limits
    }

    func handlerAdded(context: ChannelHandlerContext) {
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
        if case .end = unwrapOutboundIn(data) {
            open -= 1
            if open == 0 { start(context) }
        }
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        Self.stop(&stall)
        if !context.channel.isWritable { stall = close(context, in: limits.readingTime) }
        context.fireChannelWritabilityChanged()
    }

    /// At a graceful stop nobody waits for a request that is not here.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent, deadline != nil { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
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
    /// The bytes of all header fields.
    var headerSize = 32 << 10
    var headerCount = 100
}
