// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
public import SidingChain
internal import SidingSynchronization

/// A small HTTP/1.1 server on 127.0.0.1 with faults that can be injected: for demos, tests and benchmarks.
///
/// ```swift
/// let origin = try await Origin.start(routes: [RecordListing("/posts", of: posts, paging: .link)])
/// origin.inject(.status(503, retryAfter: "1"), at: OriginPattern(path: "/posts"))
/// // … ask origin.url …
/// await origin.stop()
/// ```
/// It records every request. After ``stop()`` its port refuses connections; ``restart()`` accepts them again.
public final class Origin: Sendable {
    /// Responds to a request that no fault affects.
    public typealias Handler = @Sendable (OriginRequest) async -> OriginResponse

    /// The URL of the origin; unchanged by a restart.
    public let url: HTTPURL
    private let board: OriginBoard

    private init(url: HTTPURL, board: OriginBoard) {
        (self.url, self.board) = (url, board)
    }

    /// Starts an origin that responds by `handler`.
    ///
    /// - Parameters:
    ///   - port: 0, the default, for a free one.
    ///   - compresses: whether responses are compressed for clients that accept gzip.
    /// - Throws: a system error if the port is not available.
    public static func start(
        port: Int = 0, compresses: Bool = true, handler: @escaping Handler
    ) async throws -> Origin {
        let board = OriginBoard(compresses: compresses, handler: handler)
        let listener = try await listen(port, board)
        return Origin(url: try HTTPURL("http://127.0.0.1:\(listener.localAddress?.port ?? port)"), board: board)
    }

    /// Starts an origin that responds by the first route that returns a response, otherwise with 404.
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

    /// Starts an origin on a socket that listens already, for example in another network namespace or a Unix socket.
    ///
    /// Once stopped it cannot be restarted.
    /// - Parameters:
    ///   - socket: closed by the origin.
    ///   - compresses: whether responses are compressed for clients that accept gzip.
    /// - Throws: a system error if the socket is closed already.
    public static func start(
        on socket: ListeningSocket, compresses: Bool = true, handler: @escaping Handler
    ) async throws -> Origin {
        let board = OriginBoard(compresses: compresses, handler: handler)
        board.comesUp()
        let listener = try await bootstrap(board, isTCP: socket.path == nil).withBoundSocket(socket.descriptor).get()
        board.listens(listener)
        if let path = socket.path {
            return Origin(url: try HTTPURL("http+unix://\(PercentCoding.encode(path))"), board: board)
        }
        let address = listener.localAddress
        return Origin(
            url: try HTTPURL("http://\(address?.ipAddress ?? "127.0.0.1"):\(address?.port ?? 0)"), board: board)
    }

    /// Closes the listener and every connection; further connects are refused.
    public func stop() async {
        // Closing a closed channel throws an error, which can be ignored.
        let (listener, connections) = board.takeDown()
        for channel in [listener].compactMap(\.self) + connections { try? await channel.close() }
    }

    /// Listens again on the same port, after ``stop()`` or ``OriginFault/refuse``.
    ///
    /// - Throws: a system error if another program has taken the port meanwhile.
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

    private static func bootstrap(_ board: OriginBoard, isTCP: Bool = true) -> ServerBootstrap {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        OriginConnection(board, number: board.opened(channel)))
                }
            }
        return isTCP ? bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1) : bootstrap
    }
}

// MARK: - Received requests

extension Origin {
    /// Every request so far, in the order of their completion.
    public var requests: [OriginRequest] { board.requests }

    /// The number of connections accepted so far.
    public var connectionCount: Int { board.connectionCount }

    /// The number of open connections.
    public var openConnectionCount: Int { board.openConnectionCount }

    /// Clears the log of requests; their numbering continues.
    public func forgetRequests() { board.forgetRequests() }

    /// Returns once the log holds `count` requests.
    public func received(_ count: Int) async { await board.wait { $0.requests.count >= count } }

    /// Returns once `count` connections or fewer are open.
    public func closed(downTo count: Int) async { await board.wait { $0.connections.count <= count } }
}

// MARK: - Faults

extension Origin {
    /// Identifies an injected fault, so that it can be lifted.
    public struct FaultID: Sendable, Hashable {
        let number: Int
    }

    /// Makes the origin misbehave. If several faults match a request, the one injected first happens.
    ///
    /// - Parameters:
    ///   - pattern: the affected requests; any by default.
    ///   - skipping: the number of matching requests that pass unharmed first.
    ///   - times: how often it happens, 1 by default; nil until it is lifted.
    @discardableResult
    public func inject(
        _ fault: OriginFault, at pattern: OriginPattern = .any, skipping: Int = 0, times: Int? = 1
    ) -> FaultID {
        FaultID(number: board.add(fault, pattern, skipping: skipping, times: times))
    }

    /// Ends a fault; nil ends them all.
    public func lift(_ id: FaultID? = nil) { board.removeRule(id?.number) }
}
