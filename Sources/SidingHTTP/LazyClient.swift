internal import AsyncHTTPClient
internal import NIOCore
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
/// All clients of a process share one thread, which is never ended: libraries finish work such as reading the system's
/// certificates at any time on the event loop, and a loop that has ended would complain on standard error. Connections and
/// credentials stay separate, since they belong to the clients.
final class LazyClient: Sendable {
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private enum State {
        case idle
        case running(RunningClient)
        case closed
    }

    private let configuration: HTTPTransportConfiguration
    private let state = Mutex(State.idle)

    init(_ configuration: HTTPTransportConfiguration) {
        self.configuration = configuration
    }

    deinit {
        // In debug builds AsyncHTTPClient traps if it is released while it runs.
        guard case .running(let running) = close() else { return }
        running.client.shutdown { _ in }
    }

    /// The client, started if necessary.
    func running() throws(Failure) -> RunningClient {
        let running: RunningClient? = state.withLock { state in
            switch state {
            case .running(let running): return running
            case .closed: return nil
            case .idle:
                let running = Self.start(configuration)
                state = .running(running)
                return running
            }
        }
        guard let running else {
            throw Failure(.cancelled, phase: .notSent, detail: "the transport was shut down")
        }
        return running
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

    private static func start(_ configuration: HTTPTransportConfiguration) -> RunningClient {
        RunningClient(
            client: HTTPClient(eventLoopGroupProvider: .shared(group), configuration: client(configuration)),
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
        // The only public way to set a connection's options: fewer, larger reads for large bodies.
        client.http1_1ConnectionDebugInitializer = { channel in
            channel.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 4096, initial: 65_536, maximum: 1 << 18)
            )
        }
        return client
    }

    private static func tls(_ configuration: HTTPTransportConfiguration) -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
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
