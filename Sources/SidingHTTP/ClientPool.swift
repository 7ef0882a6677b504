// SPDX-License-Identifier: Apache-2.0
internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import SidingChain
internal import SidingSynchronization

/// A running client and its event loop. It is shut down when neither a pool nor a request holds it any longer.
final class RunningClient: Sendable {
    let client: HTTPClient
    let loop: any EventLoop
    /// The proxy of all its connections; nil for none.
    let proxy: Proxy?

    init(_ client: HTTPClient, on loop: any EventLoop, through proxy: Proxy?) {
        (self.client, self.loop, self.proxy) = (client, loop, proxy)
    }

    deinit {
        // In debug builds AsyncHTTPClient traps if it is released while it runs. A second shutdown has no effect.
        client.shutdown { _ in }
    }
}

/// The clients of a transport: one for requests without a proxy, one per proxy. Each starts with its first request, so that a command
/// that sends nothing starts no thread. A client whose certificates, address or password have changed is replaced; its requests under
/// way end on it.
///
/// All clients of a process share one thread, unless the caller gives a group of its own. It is never ended: libraries finish
/// work such as reading the system's certificates at any time on the event loop, and a loop that has ended would complain on
/// standard error. Connections and credentials stay separate, since they belong to the clients.
final class ClientPool: Sendable {
    private static let sharedGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private struct State {
        var running: [Proxy?: (client: RunningClient, made: Circumstances)] = [:]
        /// Clients whose circumstances have changed, as long as requests are under way on them.
        var replaced: [Replaced] = []
        var isClosed = false
    }

    private struct Replaced {
        weak var client: RunningClient?
    }

    /// What a client was made from and may change: another one is made then.
    private struct Circumstances: Equatable {
        var files: [FileStamp]
        var address: String?
        /// The proxy's.
        var password: String?
    }

    private let settings: TransportSettings
    private let group: (any EventLoopGroup)?
    private let state = Mutex(State())

    init(_ settings: TransportSettings, group: (any EventLoopGroup)? = nil) {
        (self.settings, self.group) = (settings, group)
    }

    /// The client for requests to `url`, started if necessary.
    func client(for url: HTTPURL) async throws(Failure) -> RunningClient {
        let proxy = settings.proxies.proxy(for: url)
        if let proxy, url.scheme == "https", IPAddress.bytes(url.host) != nil {
            // NIOSSL compares the certificate of an address with the one that it is connected to: the proxy's.
            throw Failure(
                .tlsUntrusted, phase: .notSent,
                detail:
                    "through the proxy \(proxy) the certificate of an address cannot be checked; give the origin by name"
            )
        }
        let now = Circumstances(
            files: settings.tls.files.map(FileStamp.init), address: try settings.interface.map(Interface.address),
            password: try await proxy?.credentials?.password.read())
        if let running = try known(proxy, now) { return running }
        // NIO ends the process if a new event loop gets no descriptor; a connection then needs one more.
        guard group != nil || OpenFiles.canOpen(OpenFiles.neededByEventLoop + 1) else {
            throw Failure(.localResource, phase: .notSent, detail: "too many open files")
        }
        return try keep(start(try await configuration(proxy, now), proxy), now)
    }

    private func known(_ proxy: Proxy?, _ now: Circumstances) throws(Failure) -> RunningClient? {
        let (isClosed, running) = state.withLock { ($0.isClosed, $0.running[proxy]) }
        guard !isClosed else {
            throw Failure(.cancelled, phase: .notSent, detail: "the transport was shut down")
        }
        guard let running, running.made == now else { return nil }
        return running.client
    }

    /// Keeps `made`, unless another call was faster.
    private func keep(_ made: RunningClient, _ now: Circumstances) throws(Failure) -> RunningClient {
        let kept = state.withLock { state -> RunningClient? in
            guard !state.isClosed else { return nil }
            if let other = state.running[made.proxy] {
                if other.made == now { return other.client }
                state.replaced.removeAll { $0.client == nil }
                state.replaced.append(Replaced(client: other.client))
            }
            state.running[made.proxy] = (made, now)
            return made
        }
        guard let kept else { throw Failure(.cancelled, phase: .notSent, detail: "the transport was shut down") }
        return kept
    }

    func shutdown() async {
        let clients = state.withLock { state in
            defer { state = State(isClosed: true) }
            return state.running.values.map(\.client) + state.replaced.compactMap(\.client)
        }
        // The error only reports requests in flight, and their callers have received it already.
        for running in clients { try? await running.client.shutdown() }
    }

    private func start(_ configuration: HTTPClient.Configuration, _ proxy: Proxy?) -> RunningClient {
        let group = group ?? Self.sharedGroup
        return RunningClient(
            HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration), on: group.any(),
            through: proxy)
    }

    private func configuration(_ proxy: Proxy?, _ now: Circumstances) async throws(Failure) -> HTTPClient.Configuration
    {
        var client = HTTPClient.Configuration(
            tlsConfiguration: try await .client(settings.tls),
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: TimeAmount(bounded: settings.connectTimeout),
                read: TimeAmount(bounded: settings.idleTimeout),
                write: TimeAmount(bounded: settings.idleTimeout)),
            // A ratio limit would reject ordinary repetitive JSON; no limit would allow decompression bombs.
            decompression: .enabled(limit: .size(settings.maxBody)))
        // Only one protocol, so that every error has a row in the error table.
        client.httpVersion = .http1Only
        // Only the queue retries: a refused connection must be reported at once.
        client.connectionPool.retryConnectionEstablishment = false
        client.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(settings.concurrency, 1)
        // Servers close idle connections, the fastest after 5 seconds. A write on such a connection may or may not have been
        // sent and then needs an operator action, so use a new connection earlier.
        client.connectionPool.idleTimeout = .seconds(4)
        client.http1_1ConnectionDebugInitializer = Self.prepare
        client.localAddress = now.address
        // A span for each request is made even where nobody reads it, and costs as much as the head of an answer.
        client.tracing.tracer = nil
        if let proxy {
            client.proxy = .server(
                host: proxy.host, port: proxy.port,
                authorization: proxy.credentials.map { .basic(username: $0.user, password: now.password ?? "") })
        }
        return client
    }

    /// The only public way to a connection's channel: counts its bytes, guards its answers, and reads large bodies in fewer, larger
    /// parts.
    private static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            let wire = WireCounter()
            try pipeline.addHandler(wire, position: .first)
            try pipeline.addHandler(AnswerGuard(wire), position: .after(decoder))
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 1 << 18)
            )
        }
    }
}

extension TimeAmount {
    /// `duration`, limited to the range from zero to a year.
    init(bounded duration: Duration) {
        self = .init(min(max(duration, .zero), .seconds(31_536_000)))
    }
}
