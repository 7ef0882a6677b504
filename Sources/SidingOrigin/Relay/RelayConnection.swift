// SPDX-License-Identifier: Apache-2.0
internal import NIOCore

/// One connection through a relay: the client's channel, the origin's, and the pieces under way in each direction.
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
            guard side.unsent?.writeBuffer(&bytes) == nil else { return }
            (side.unsent, side.unsentSince) = (bytes, .now())
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
        for fromClient in [true, false] {
            land(fromClient)
            pump(fromClient)
        }
    }

    /// Puts on the line what one side has sent, as far as the line allows.
    private func pump(_ fromClient: Bool) {
        guard !isSilent, !isOver, origin != nil else { return }
        while let side = side(fromClient), !side.isSending, side.unlanded < line.window {
            guard var bytes = side.unsent else {
                if side.isFinished, side.unlanded == 0 { passEnd(fromClient) }
                return
            }
            guard let ticket = line.admit(bytes.readableBytes, toClient: !fromClient, since: side.unsentSince),
                let piece = bytes.readSlice(length: ticket.count)
            else { return }
            change(fromClient) { side in
                side.unsent = bytes.readableBytes > 0 ? bytes : nil
                side.unlanded += ticket.count
                side.underWay.append((piece, ticket))
            }
            // Read ahead, so that the line does not wait for the next piece.
            if bytes.readableBytes == 0, !side.isFinished { side.channel.read() }
            if ticket.sentAt > .now() {
                change(fromClient) { $0.isSending = true }
                at(ticket.sentAt) { [self] in
                    change(fromClient) { $0.isSending = false }
                    pump(fromClient)
                }
            }
            at(ticket.dueAt) { [self] in land(fromClient) }
        }
    }

    /// Hands over the pieces that one side has sent and whose time has come, in their order.
    private func land(_ fromClient: Bool) {
        while let (piece, ticket) = side(fromClient)?.underWay.first, ticket.dueAt <= .now(), !isSilent,
            isOver || line.delivers(toClient: !fromClient), let target = side(!fromClient)
        {
            change(fromClient) { _ = $0.underWay.removeFirst() }
            // What was under way on a connection that has ended is lost.
            guard !isOver else {
                line.landed(ticket, toClient: !fromClient)
                continue
            }
            line.note(ticket.count, toClient: !fromClient, of: self)
            target.channel.writeAndFlush(piece).assumeIsolated().whenComplete { [self] _ in
                change(fromClient) { $0.unlanded -= ticket.count }
                line.landed(ticket, toClient: !fromClient)
                pump(fromClient)
            }
        }
    }

    private func at(_ time: NIODeadline, _ body: @escaping () -> Void) {
        guard time > .now() else { return body() }
        client.channel.eventLoop.assumeIsolated().scheduleTask(deadline: time, body)
    }

    private func passEnd(_ fromClient: Bool) {
        guard case .up = line.state, let side = side(fromClient) else { return }
        // A side that is gone takes nothing any more.
        guard side.channel.isActive else { return end() }
        guard !side.isEndPassed else { return }
        change(fromClient) { $0.isEndPassed = true }
        if client.isEndPassed, origin?.isEndPassed ?? true { return end() }
        self.side(!fromClient)?.channel.close(mode: .output, promise: nil)
    }

    private func side(_ isClient: Bool) -> RelaySide? { isClient ? client : origin }

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
    /// What it has sent and the line has not taken, and when the first of it came.
    var unsent: ByteBuffer?
    var unsentSince = NIODeadline.now()
    /// Whether the line is taking a piece of it now.
    var isSending = false
    /// The pieces that the line has taken, until they are due.
    var underWay = CircularBuffer<(bytes: ByteBuffer, ticket: RelayTicket)>()
    /// How many bytes the line has taken and the other side has not.
    var unlanded = 0
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
