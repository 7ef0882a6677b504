internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import SidingChain

/// A small HTTP/1.1 server on 127.0.0.1 that answers well or badly, as told: for demos, tests and benchmarks.
///
/// ```swift
/// let origin = try await Origin.start(routes: [RecordListing("/posts", of: posts, paging: .link)])
/// origin.inject(.status(503, retryAfter: "1"), at: OriginPattern(path: "/posts"))
/// // … ask origin.url …
/// await origin.stop()
/// ```
/// It keeps every request it gets; ``stop()`` makes its port refuse connections and ``restart()`` takes them again.
public final class Origin: Sendable {
    /// Answers a request that no fault strikes.
    public typealias Handler = @Sendable (OriginRequest) async -> OriginResponse

    /// Where the origin listens; the same after a restart.
    public let url: HTTPURL
    private let board: OriginBoard

    private init(url: HTTPURL, board: OriginBoard) {
        (self.url, self.board) = (url, board)
    }

    /// Starts an origin that answers by `handler`.
    ///
    /// - Parameters:
    ///   - port: 0, the default, for a free one.
    ///   - compresses: whether answers are compressed for those who accept gzip.
    /// - Throws: an error of the system where the port cannot be had.
    public static func start(
        port: Int = 0, compresses: Bool = true, handler: @escaping Handler
    ) async throws -> Origin {
        let board = OriginBoard(compresses: compresses, handler: handler)
        let listener = try await listen(port, board)
        return Origin(url: try HTTPURL("http://127.0.0.1:\(listener.localAddress?.port ?? port)"), board: board)
    }

    /// Starts an origin that answers by the first route that knows an answer, else with 404.
    public static func start(
        port: Int = 0, compresses: Bool = true, routes: [any OriginRoute]
    ) async throws -> Origin {
        try await start(port: port, compresses: compresses) { request in
            for route in routes {
                if let answer = await route.answer(request) { return answer }
            }
            return .notFound
        }
    }

    /// Starts an origin on a socket that listens already: in another network namespace, say.
    ///
    /// Once stopped it cannot be restarted.
    /// - Parameters:
    ///   - socket: the origin closes it.
    ///   - compresses: whether answers are compressed for those who accept gzip.
    /// - Throws: an error of the system where the socket is closed already.
    public static func start(
        on socket: ListeningSocket, compresses: Bool = true, handler: @escaping Handler
    ) async throws -> Origin {
        let board = OriginBoard(compresses: compresses, handler: handler)
        board.comesUp()
        let listener = try await bootstrap(board).withBoundSocket(socket.descriptor).get()
        board.listens(listener)
        let address = listener.localAddress
        return Origin(
            url: try HTTPURL("http://\(address?.ipAddress ?? "127.0.0.1"):\(address?.port ?? 0)"), board: board)
    }

    /// Closes the listener and every connection: further connects are refused.
    public func stop() async {
        // A channel that is closed already says so; that is what was wanted.
        for channel in board.takeDown() { try? await channel.close() }
    }

    /// Listens again on the same port, after ``stop()`` or ``OriginFault/refuse``.
    ///
    /// - Throws: an error of the system where another program has taken the port meanwhile.
    public func restart() async throws {
        await stop()
        _ = try await Self.listen(url.port, board)
    }

    private static func listen(_ port: Int, _ board: OriginBoard) async throws -> any Channel {
        board.comesUp()
        let listener = try await bootstrap(board).bind(host: "127.0.0.1", port: port).get()
        board.listens(listener)
        return listener
    }

    private static func bootstrap(_ board: OriginBoard) -> ServerBootstrap {
        ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        OriginConnection(board, number: board.opened(channel)))
                }
            }
    }
}

// MARK: - What came

extension Origin {
    /// Every request so far, in the order in which they became complete.
    public var requests: [OriginRequest] { board.requests }

    /// The number of connections that were accepted so far.
    public var connectionCount: Int { board.connectionCount }

    /// The number of connections that are open now.
    public var openConnectionCount: Int { board.openConnectionCount }

    /// Forgets the requests so far; their counting goes on.
    public func forgetRequests() { board.forgetRequests() }

    /// Returns once the log holds `count` requests.
    public func received(_ count: Int) async { await board.wait { $0.requests.count >= count } }

    /// Returns once `count` connections or fewer are open.
    public func closed(downTo count: Int) async { await board.wait { $0.connections.count <= count } }
}

// MARK: - Faults

extension Origin {
    /// Names an injected fault, so that it can be lifted.
    public struct FaultID: Sendable, Hashable {
        let number: Int
    }

    /// Makes the origin misbehave. Where several faults fit a request, the one injected first happens.
    ///
    /// - Parameters:
    ///   - pattern: which requests; any, unless said otherwise.
    ///   - skipping: how many of them pass unharmed first.
    ///   - times: how often; 1, unless said otherwise; nil until it is lifted.
    @discardableResult
    public func inject(
        _ fault: OriginFault, at pattern: OriginPattern = .any, skipping: Int = 0, times: Int? = 1
    ) -> FaultID {
        FaultID(number: board.add(fault, pattern, skipping: skipping, times: times))
    }

    /// Ends a fault; nil ends them all.
    public func lift(_ id: FaultID? = nil) { board.removeRule(id?.number) }
}
