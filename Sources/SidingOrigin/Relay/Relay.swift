// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import NIOPosix
public import SidingChain

/// A TCP relay on 127.0.0.1 between clients and an origin: a line that can be cut, slowed down and silenced.
///
/// ```swift
/// let relay = try await Relay.start(to: origin.url)
/// await relay.set(.up(LineQuality(bytesPerSecond: 10_240)))
/// // … ask relay.url …
/// await relay.set(.down(.reset))
/// ```
/// It knows nothing of HTTP, so any origin may be behind it, one with TLS too. ``follow(_:)`` works off a seeded schedule by time
/// and by bytes; ``log`` tells what passed.
public final class Relay: Sendable {
    /// The URL for clients: scheme and path are the origin's, host and port the relay's.
    public let url: HTTPURL
    private let line: NIOLoopBound<RelayLine>
    private let loop: any EventLoop

    private init(url: HTTPURL, line: NIOLoopBound<RelayLine>, loop: any EventLoop) {
        (self.url, self.line, self.loop) = (url, line, loop)
    }

    /// Starts a relay whose line is up.
    ///
    /// - Parameters:
    ///   - port: 0, the default, for a free one.
    ///   - tell: called with each new state of the line, on the relay's event loop.
    /// - Throws: a system error if the port is not available.
    public static func start(
        to origin: HTTPURL, port: Int = 0, tell: @escaping @Sendable (LineState) -> Void = { _ in }
    ) async throws -> Relay {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let line = try await loop.submit {
            NIOLoopBound(RelayLine(host: origin.host, port: origin.port, on: loop, tell: tell), eventLoop: loop)
        }.get()
        let bound = try await loop.flatSubmit { line.value.listen(at: port) }.get()
        let query = origin.query.map { "?\($0)" } ?? ""
        return Relay(
            url: try HTTPURL("\(origin.scheme)://127.0.0.1:\(bound)\(origin.path)\(query)"), line: line, loop: loop)
    }

    /// Sets the line to `state` at once, and ends a schedule.
    public func set(_ state: LineState) async {
        let line = line
        try? await loop.flatSubmit { line.value.set(state) }.get()
    }

    /// Works off `stages` from now on, the first at once; after the last one the line is up.
    public func follow(_ stages: some Sequence<LineStage> & Sendable) async {
        let line = line
        try? await loop.flatSubmit { line.value.follow(AnyIterator(stages.makeIterator())) }.get()
    }

    /// Closes the listener and every connection.
    public func stop() async {
        let line = line
        try? await loop.flatSubmit { line.value.stop() }.get()
    }

    /// What passed, and the states of the line, in order. Pieces of one connection that follow each other are one entry.
    public var log: [RelayEvent] {
        get async {
            let line = line
            return (try? await loop.submit { line.value.log }.get()) ?? []
        }
    }

    /// The bytes that have passed so far.
    public var traffic: (toClient: Int, toOrigin: Int) {
        get async {
            let line = line
            return (try? await loop.submit { line.value.passed }.get()) ?? (0, 0)
        }
    }
}

/// An entry of ``Relay/log``.
public struct RelayEvent: Sendable, Hashable {
    /// What happened.
    public enum Kind: Sendable, Hashable {
        /// A client connected.
        case opened
        /// Bytes passed in these directions.
        case passed(toClient: Int, toOrigin: Int)
        /// The connection ended, on either side.
        case closed
        /// The line changed; the connection is 0.
        case state(LineState)
    }

    /// Since the start of the relay.
    public let at: Duration
    /// Numbered from 1.
    public let connection: Int
    /// What happened to the connection, or to the line.
    public var kind: Kind
}
