internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import SidingChain
internal import SidingSynchronization

/// A running client and its event loop.
struct RunningClient: Sendable {
    let client: HTTPClient
    let loop: any EventLoop
}

/// Starts the client with the first request, so that a command that sends nothing starts no thread.
///
/// All clients of a process share one thread, unless the caller gives a group of its own. It is never ended: libraries finish
/// work such as reading the system's certificates at any time on the event loop, and a loop that has ended would complain on
/// standard error. Connections and credentials stay separate, since they belong to the clients.
final class LazyClient: Sendable {
    private static let sharedGroup = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private enum State {
        case idle
        case running(RunningClient)
        case closed
    }

    private let configuration: HTTPTransportConfiguration
    private let group: (any EventLoopGroup)?
    private let state = Mutex(State.idle)

    init(_ configuration: HTTPTransportConfiguration, group: (any EventLoopGroup)? = nil) {
        (self.configuration, self.group) = (configuration, group)
    }

    deinit {
        // In debug builds AsyncHTTPClient traps if it is released while it runs.
        guard case .running(let running) = close() else { return }
        running.client.shutdown { _ in }
    }

    /// The client, started if necessary.
    func running() throws(Failure) -> RunningClient {
        let running: Result<RunningClient, Failure> = state.withLock { state in
            switch state {
            case .running(let running): return .success(running)
            case .closed:
                return .failure(Failure(.cancelled, phase: .notSent, detail: "the transport was shut down"))
            case .idle:
                // NIO ends the process if a new event loop gets no descriptor; a connection then needs one more.
                guard group != nil || OpenFiles.canOpen(OpenFiles.neededByEventLoop + 1) else {
                    return .failure(Failure(.localResource, phase: .notSent, detail: "too many open files"))
                }
                let running = start()
                state = .running(running)
                return .success(running)
            }
        }
        return try running.get()
    }

    func shutdown() async {
        guard case .running(let running) = close() else { return }
        // The error only reports requests in flight, and their callers have received it already.
        try? await running.client.shutdown()
    }

    private func close() -> State {
        state.withLock { state in
            defer { state = .closed }
            return state
        }
    }

    private func start() -> RunningClient {
        let group = group ?? Self.sharedGroup
        return RunningClient(
            client: HTTPClient(eventLoopGroupProvider: .shared(group), configuration: Self.client(configuration)),
            loop: group.any())
    }

    private static func client(_ configuration: HTTPTransportConfiguration) -> HTTPClient.Configuration {
        let settings = configuration.settings
        var client = HTTPClient.Configuration(
            tlsConfiguration: tls(configuration),
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
        client.http1_1ConnectionDebugInitializer = prepare
        return client
    }

    /// The only public way to a connection's channel: guards its answers, and reads large bodies in fewer, larger parts.
    private static func prepare(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(AnswerGuard(), position: .after(decoder))
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 1 << 18)
            )
        }
    }

    private static func tls(_ configuration: HTTPTransportConfiguration) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        // An origin that never answers the closing alert would otherwise hold the connection, and a shutdown, for five seconds.
        tls.shutdownTimeout = .milliseconds(100)
        if let file = configuration.certificateAuthorities { tls.trustRoots = .file(file) }
        return tls
    }
}

extension TimeAmount {
    /// `duration`, limited to the range from zero to a year.
    init(bounded duration: Duration) {
        self = .init(min(max(duration, .zero), .seconds(31_536_000)))
    }
}
