internal import NIOCore

/// One connection through a relay: the client's channel, the origin's, and a piece under way in each direction.
final class RelayConnection {
    let number: Int
    private let line: RelayLine
    private var client: RelaySide
    private var origin: RelaySide?
    private var isSilent = false
    private var isOver = false

    init(_ number: Int, client: any Channel, line: RelayLine) {
        (self.number, self.line) = (number, line)
        self.client = RelaySide(client)
    }

    /// Takes over the client's channel.
    func begin() -> EventLoopFuture<Void> {
        client.channel.eventLoop.makeCompletedFuture {
            try client.channel.pipeline.syncOperations.addHandler(RelayHandler(self, isClient: true))
        }
    }

    /// The origin has accepted.
    func reached(_ channel: any Channel) {
        guard !isOver else { return channel.close(promise: nil) }
        origin = RelaySide(channel)
        do {
            try channel.pipeline.syncOperations.addHandler(RelayHandler(self, isClient: false))
        } catch { return reset() }
        channel.read()
        client.channel.read()
        pump()
    }

    // MARK: What the channels report

    func received(_ bytes: ByteBuffer, fromClient: Bool) {
        var bytes = bytes
        // One read of a channel may bring several pieces.
        change(fromClient) { side in
            if side.unsent?.writeBuffer(&bytes) == nil { side.unsent = bytes }
        }
        pump(fromClient)
    }

    /// One side will send no more.
    func finished(client isClient: Bool) {
        change(isClient) { $0.isFinished = true }
        pump(isClient)
    }

    func closed(client isClient: Bool) {
        guard !isSilent else { return end() }
        guard !isOver else { return }
        // What was received before the end still passes.
        finished(client: isClient)
    }

    // MARK: Passing on

    func pump() {
        pump(true)
        pump(false)
    }

    /// Passes on what one side has sent, as far as the line allows.
    private func pump(_ fromClient: Bool) {
        guard !isSilent, !isOver, let origin else { return }
        let (source, target) = fromClient ? (client, origin) : (origin, client)
        guard !source.isBusy else { return }
        guard var bytes = source.unsent else {
            if source.isFinished { passEnd(fromClient, target) }
            return
        }
        guard let (count, time) = line.admit(bytes.readableBytes, toClient: !fromClient), count > 0,
            let piece = bytes.readSlice(length: count)
        else { return }
        change(fromClient) { source in
            source.unsent = bytes.readableBytes > 0 ? bytes : nil
            source.isBusy = true
        }
        line.take(count, toClient: !fromClient, of: self)
        let loop = target.channel.eventLoop.assumeIsolated()
        guard time > .now() else { return send(piece, fromClient, to: target.channel) }
        loop.scheduleTask(deadline: time) { [self] in send(piece, fromClient, to: target.channel) }
    }

    private func send(_ piece: ByteBuffer, _ fromClient: Bool, to channel: any Channel) {
        channel.writeAndFlush(piece).assumeIsolated().whenComplete { [self] _ in
            change(fromClient) { $0.isBusy = false }
            line.arrived()
            let source = fromClient ? client : origin
            guard !isOver, let source else { return }
            if source.unsent == nil, !source.isFinished { source.channel.read() }
            pump(fromClient)
        }
    }

    private func passEnd(_ fromClient: Bool, _ target: RelaySide) {
        guard case .up = line.state, !(fromClient ? client : origin ?? client).isEndPassed else { return }
        change(fromClient) { $0.isEndPassed = true }
        if client.isEndPassed, origin?.isEndPassed ?? true { return end() }
        target.channel.close(mode: .output, promise: nil)
    }

    private func change(_ isClient: Bool, _ body: (inout RelaySide) -> Void) {
        if isClient {
            body(&client)
        } else if var side = origin {
            body(&side)
            origin = side
        }
    }

    // MARK: Ends

    func suffer(_ outage: LineState.Outage) {
        guard !isSilent else { return }
        switch outage {
        case .cut: end()
        case .reset: reset()
        case .halfClose: client.channel.close(mode: .output, promise: nil)
        case .blackhole: break
        case .drop: isSilent = true
        }
    }

    /// Ends both directions in order.
    private func end() {
        isOver = true
        client.channel.close(promise: nil)
        origin?.channel.close(promise: nil)
        line.ended(self)
    }

    /// Ends both directions with a reset.
    func reset() {
        isOver = true
        client.channel.reset()
        origin?.channel.reset()
        line.ended(self)
    }
}

/// One end of a connection through a relay.
private struct RelaySide {
    let channel: any Channel
    /// What it has sent, and has not been passed on.
    var unsent: ByteBuffer?
    /// Whether a piece that it has sent is under way.
    var isBusy = false
    /// Whether it will send no more, and whether the other side was told.
    var isFinished = false
    var isEndPassed = false

    init(_ channel: any Channel) { self.channel = channel }
}

/// Hands the reads of a channel to its connection.
private final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let connection: RelayConnection
    private let isClient: Bool

    init(_ connection: RelayConnection, isClient: Bool) {
        (self.connection, self.isClient) = (connection, isClient)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.received(unwrapInboundIn(data), fromClient: isClient)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection.finished(client: isClient) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.closed(client: isClient)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
