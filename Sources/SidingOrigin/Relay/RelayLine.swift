// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOPosix

/// The line of a relay, confined to its event loop: the state, the listener, and the connections.
final class RelayLine {
    private let host: String
    private let port: Int
    private let loop: any EventLoop
    private let tell: @Sendable (LineState) -> Void
    private let start = NIODeadline.now()
    private var ownPort = 0
    private var listener: (any Channel)?
    private var connections: [Int: RelayConnection] = [:]
    private var connectionCount = 0

    private(set) var state = LineState.up()
    private var stages: AnyIterator<LineStage>?
    private var stage = 0
    /// The bytes towards the client that this stage may still take, and those that have yet to land; nil for no limit.
    private var bytesLeft: (toTake: Int, toLand: Int)?
    private var timer: Scheduled<Void>?
    /// When the line is free for the next piece, where its speed is limited.
    private var freeAt = NIODeadline.now()

    private(set) var log: [RelayEvent] = []
    private(set) var passed = (toClient: 0, toOrigin: 0)
    private static let longestLog = 100_000
    /// A slow line passes so many pieces a second.
    private static let piecesPerSecond = 20
    private static let longestWindow = 1 << 20

    init(host: String, port: Int, on loop: any EventLoop, tell: @escaping @Sendable (LineState) -> Void) {
        (self.host, self.port, self.loop, self.tell) = (host, port, loop, tell)
    }

    // MARK: The listener

    /// - Returns: the port.
    func listen(at port: Int) -> EventLoopFuture<Int> {
        ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { [bound = NIOLoopBound(self, eventLoop: loop)] channel in
                bound.value.accept(channel)
            }
            .bind(host: "127.0.0.1", port: port)
            .assumeIsolated()
            .map { [self] channel in
                listener = channel
                ownPort = channel.localAddress?.port ?? port
                return ownPort
            }
            .nonisolated()
    }

    private func accept(_ client: any Channel) -> EventLoopFuture<Void> {
        connectionCount += 1
        let connection = RelayConnection(connectionCount, client: client, line: self)
        connections[connection.number] = connection
        note(connection.number, .opened)
        // The kernel had accepted it before the line went down.
        if case .down(let outage) = state, outage != .blackhole {
            connection.reset()
            return loop.makeSucceededVoidFuture()
        }
        // A client is connected before the origin is, as with any line.
        ClientBootstrap(group: loop)
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(host: host, port: port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .success(let origin): connection.reached(origin)
                case .failure: connection.reset()
                }
            }
        return connection.begin()
    }

    func ended(_ connection: RelayConnection) {
        guard connections.removeValue(forKey: connection.number) != nil else { return }
        note(connection.number, .closed)
    }

    // MARK: States

    func set(_ state: LineState) -> EventLoopFuture<Void> {
        stages = nil
        return begin(LineStage(state, for: .bytes(.max)))
    }

    func follow(_ stages: AnyIterator<LineStage>) -> EventLoopFuture<Void> {
        self.stages = stages
        return next()
    }

    func stop() -> EventLoopFuture<Void> {
        stages = nil
        timer?.cancel()
        for connection in connections.values { connection.reset() }
        return close()
    }

    @discardableResult
    private func next() -> EventLoopFuture<Void> {
        begin(stages?.next() ?? LineStage(.up(), for: .bytes(.max)))
    }

    private func begin(_ stage: LineStage) -> EventLoopFuture<Void> {
        timer?.cancel()
        (timer, bytesLeft) = (nil, nil)
        self.stage += 1
        switch stage.span {
        case .bytes(let count): bytesLeft = count == .max ? nil : (count, count)
        case .time(let span):
            timer = loop.assumeIsolated().scheduleTask(in: TimeAmount(span)) { [self] in _ = next() }
        }
        state = stage.state
        note(0, .state(state))
        tell(state)
        switch stage.state {
        case .up:
            return (listener == nil ? listen(at: ownPort).map { _ in } : loop.makeSucceededVoidFuture())
                .assumeIsolated().map { [self] in
                    for connection in connections.values { connection.pump() }
                }.nonisolated()
        case .down(let outage):
            for connection in connections.values { connection.suffer(outage) }
            return outage == .blackhole ? loop.makeSucceededVoidFuture() : close()
        }
    }

    private func close() -> EventLoopFuture<Void> {
        guard let listener else { return loop.makeSucceededVoidFuture() }
        self.listener = nil
        return listener.close().recover { _ in }
    }

    // MARK: What may pass

    /// How many bytes of a direction of a connection may be under way. Without latency, that is one piece.
    var window: Int {
        if case .up(let quality) = state, quality.latency > .zero { Self.longestWindow } else { 1 }
    }

    /// Takes some of `count` bytes that have waited since `since`; nil if none may pass now.
    func admit(_ count: Int, toClient: Bool, since: NIODeadline) -> RelayTicket? {
        guard case .up(let quality) = state else { return nil }
        var (count, sentAt) = (count, NIODeadline.now())
        if toClient, let bytesLeft { count = min(count, bytesLeft.toTake) }
        guard count > 0 else { return nil }
        if let rate = quality.bytesPerSecond {
            count = min(count, max(rate / Self.piecesPerSecond, 1))
            // A late timer costs the line nothing; what it did not carry for longer is not caught up.
            let earliest = sentAt - .nanoseconds(1_000_000_000 / Int64(Self.piecesPerSecond))
            freeAt = max(freeAt, since, earliest) + .nanoseconds(Int64(count) * 1_000_000_000 / Int64(max(rate, 1)))
            sentAt = freeAt
        }
        if toClient { bytesLeft?.toTake -= count }
        return RelayTicket(count: count, sentAt: sentAt, dueAt: sentAt + TimeAmount(quality.latency), stage: stage)
    }

    /// Whether pieces that are under way arrive now.
    func delivers(toClient: Bool) -> Bool {
        switch state {
        case .up: true
        case .down(let outage): outage == .halfClose && !toClient
        }
    }

    /// Notes bytes that pass.
    func note(_ count: Int, toClient: Bool, of connection: RelayConnection) {
        if toClient { passed.toClient += count } else { passed.toOrigin += count }
        let (client, origin) = toClient ? (count, 0) : (0, count)
        if let last = log.last, last.connection == connection.number, case .passed(let a, let b) = last.kind {
            log[log.count - 1].kind = .passed(toClient: a + client, toOrigin: b + origin)
        } else {
            note(connection.number, .passed(toClient: client, toOrigin: origin))
        }
    }

    /// A piece has arrived, or is lost: ends the stage if it was the last one of it.
    func landed(_ piece: RelayTicket, toClient: Bool) {
        guard toClient, piece.stage == stage, let left = bytesLeft else { return }
        bytesLeft?.toLand -= piece.count
        if left.toLand <= piece.count { next() }
    }

    private func note(_ connection: Int, _ kind: RelayEvent.Kind) {
        if log.count >= Self.longestLog { log.removeFirst(Self.longestLog / 2) }
        let at = NIODeadline.now() - start
        log.append(RelayEvent(at: .nanoseconds(at.nanoseconds), connection: connection, kind: kind))
    }
}

/// A piece that a line has taken.
struct RelayTicket {
    let count: Int
    /// When the line is free again, and when the piece arrives.
    let sentAt: NIODeadline
    let dueAt: NIODeadline
    /// The stage in which it was taken.
    let stage: Int
}
