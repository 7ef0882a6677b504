internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import SidingChain
internal import SidingSynchronization

/// A client that runs, and the loop on which it does.
struct RunningClient: Sendable {
    let client: HTTPClient
    let loop: any EventLoop
}

/// Starts the client with the first request: a command that never sends starts no thread.
///
/// All clients of a process run on one thread, which begins with the first and is never ended: work that a library has
/// begun elsewhere, such as reading the system's certificates, comes back to its loop whenever it is done, and a loop that
/// has ended would complain on standard error. Connections and credentials stay apart: they belong to the clients.
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
        // AsyncHTTPClient traps in debug builds when it is dropped while it runs.
        guard case .running(let running) = close() else { return }
        running.client.shutdown { _ in }
    }

    /// The client, started if need be.
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
        // It reports only what was under way, and that has been told to its callers.
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
            // A ratio would refuse ordinary repetitive JSON; no limit would let a bomb go off.
            decompression: .enabled(limit: .size(settings.maxBody)))
        // One protocol, whose every error has a row in the error table.
        client.httpVersion = .http1Only
        // The queue is the one place that retries: a refused connection must be told at once.
        client.connectionPool.retryConnectionEstablishment = false
        client.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(settings.concurrency, 1)
        // Servers hang up on idle connections, the quickest after 5 seconds. A write that meets such a connection may have
        // been sent for all anyone can say, and then waits for a person: better a new connection.
        client.connectionPool.idleTimeout = .seconds(4)
        // The only public way to a connection's options: fewer, larger reads for large bodies.
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
    /// `duration` in the range that a deadline can be counted with: from nothing to a year.
    init(bounded duration: Duration) {
        self = .init(min(max(duration, .zero), .seconds(31_536_000)))
    }
}
