// SPDX-License-Identifier: Apache-2.0
internal import HummingbirdCore
public import Logging
internal import NIOCore
internal import NIOPosix
public import ServiceLifecycle
public import Siding
internal import SidingChain
package import SidingInspection
internal import SidingJSON
internal import SidingSynchronization

/// The HTTP face of a running service: its state as pages and as JSON, for people, programs and monitors.
///
/// ```swift
/// let service = try HTTPService(siding: siding, address: .loopback(port: 8787), logger: logger)
/// try await ServiceGroup(services: [siding, service], gracefulShutdownSignals: [.sigterm], logger: logger).run()
/// ```
///
/// It speaks plain HTTP; a reverse proxy adds TLS.
public struct HTTPService: Service {
    private let address: Address
    private let isForGroup: Bool
    private let logger: Logger
    private let onListening: @Sendable (Address) async -> Void
    private let routes: ServiceRoutes

    /// A service that listens once it runs.
    ///
    /// - Parameters:
    ///   - siding: its store is shown.
    ///   - address: 127.0.0.1, port 8787 by default.
    ///   - token: the secret that every request must carry, except `/healthz` and `/readyz`; 16 or more visible ASCII
    ///     characters. Nil, the default, for none: then programs cannot act over HTTP, only read.
    ///   - allowedHosts: further host names that requests may be for, such as that of a reverse proxy.
    ///   - logger: receives requests at the level `debug`, and failures.
    ///   - metrics: returns further lines for `/metrics`, which follow those of the store.
    ///   - isLive: whether the program does its work, for `/healthz`.
    ///   - onListening: called once it listens, with the actual port.
    /// - Throws: ``ServiceError`` for an address that needs a token, for a bad token, and for a build with damaged pages.
    public init(
        siding: Siding, address: Address = .loopback(port: 8787), token: String? = nil, allowedHosts: [String] = [],
        logger: Logger, metrics: @escaping @Sendable () async throws -> String = { "" },
        isLive: @escaping @Sendable () async -> Bool = { true },
        onListening: @escaping @Sendable (Address) async -> Void = { _ in }
    ) throws(ServiceError) {
        try self.init(
            siding: siding, targets: { [] }, address: address, token: token, allowedHosts: allowedHosts, logger: logger,
            metrics: metrics, isLive: isLive, onListening: onListening)
    }

    /// The same for a service that publishes.
    ///
    /// - Parameter targets: asked whenever their state is shown.
    package init(
        siding: Siding, targets: @escaping @Sendable () -> [PublishedTarget], address: Address, token: String?,
        allowedHosts: [String], logger: Logger, metrics: @escaping @Sendable () async throws -> String,
        isLive: @escaping @Sendable () async -> Bool, onListening: @escaping @Sendable (Address) async -> Void
    ) throws(ServiceError) {
        let store = siding.store
        try self.init(
            ServedStore(
                store: store, resources: { siding.resources }, wallClock: store.clock, targets: targets,
                storeFailure: { siding.storeFailure }, sync: { _ = try await siding.sync($0) }, metrics: metrics,
                isLive: isLive),
            address: address, token: token, allowedHosts: allowedHosts, logger: logger, onListening: onListening)
    }

    init(
        _ served: ServedStore, address: Address, token: String? = nil, allowedHosts: [String] = [], logger: Logger,
        limits: ServiceLimits = ServiceLimits(),
        onListening: @escaping @Sendable (Address) async -> Void = { _ in }
    ) throws(ServiceError) {
        let admission = try Admission(address, token: token, allowedHosts: allowedHosts)
        let pages: WebPages
        do { pages = try WebPages(served) } catch {
            throw ServiceError(
                .invalidPages, "a template of the pages cannot be read: \(error)", hint: "build the program anew")
        }
        (self.address, isForGroup, self.logger, self.onListening) = (address, token != nil, logger, onListening)
        routes = ServiceRoutes(served: served, pages: pages, admission: admission, limits: limits)
    }

    /// Requires `token` in all requests from now on, in place of the old token.
    ///
    /// - Throws: ``ServiceError/Kind/invalidToken``, also if the service was made without one; the old one stays then.
    public func replaceToken(_ token: String) throws(ServiceError) {
        try routes.admission.replaceToken(token)
    }

    /// Answers requests until it is asked to stop; then those under way are answered, and idle connections and event
    /// streams end at once.
    ///
    /// - Throws: ``ServiceError`` if it cannot listen.
    public func run() async throws {
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await syncRequested() }
                defer { group.cancelAll() }
                try await listen()
            }
        } onGracefulShutdown: {
            routes.state.stop()
        }
    }

    /// Does the syncs that somebody asks for; how they end is in the history of runs.
    private func syncRequested() async {
        let (served, logger) = (routes.served, logger)
        await cancelWhenGracefulShutdown {
            await routes.syncs.run { name in
                guard let resource = served.resources().first(where: { $0.name == name }) else { return }
                do { try await served.sync(resource) } catch {
                    guard !Task.isCancelled else { return }
                    logger.error(
                        "a sync that was asked for over HTTP failed",
                        metadata: ["resource": "\(name)", "error": "\(PlainText.oneLine("\(error)"))"])
                }
            }
        }
    }

    private func listen() async throws {
        switch address {
        case .loopback(let port): try await listen(on: "127.0.0.1", port)
        case .host(let name, let port): try await listen(on: name, port)
        case .unixSocket(let path): try await listen(on: path)
        }
    }

    private func listen(on host: String, _ port: Int) async throws {
        try await serve(.hostname(host, port: port)) { channel in
            let port = channel.localAddress?.port ?? port
            await onListening(host == "127.0.0.1" ? .loopback(port: port) : .host(host, port: port))
        }
    }

    private func listen(on path: String) async throws {
        let file = try await UnixSocketFile.prepare(path, isForGroup: isForGroup)
        let outcome = Promise<Result<ino_t, ServiceError>>()
        defer { file.discard() }
        try await serve(.unixDomainSocket(path: file.temporaryPath)) { channel in
            do throws(ServiceError) {
                outcome.resolve(.success(try file.publish()))
                await onListening(.unixSocket(path: path))
            } catch {
                outcome.resolve(.failure(error))
                channel.close(promise: nil)
            }
        }
        file.remove(try await outcome.value().get())
    }

    private func serve(
        _ place: BindAddress, _ onRunning: @escaping @Sendable (any Channel) async -> Void
    ) async throws {
        // Its lines at lower levels would repeat those of the program.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let limits = routes.limits
        let responder = ServiceResponder(routes: routes, logger: logger)
        let connections = HTTP1Channel(
            responder: { request, writer, _ in try await responder.respond(to: request, writer) },
            configuration: HTTP1Channel.Configuration(
                additionalChannelHandlers: [RequestTimer(limits, logger: logger)],
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: limits.headerSize, maxHeaderListSize: limits.headerSize,
                    maxHeaderFieldCount: limits.headerCount)))
        let server = KeptConnections(connections: connections).server(
            configuration: ServerConfiguration(
                address: place, availableConnectionsDelegate: .maximum(limits.connections, logger: quiet)),
            onServerRunning: onRunning, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet)
        do { try await server.run() } catch { throw failure(error) }
    }

    private func failure(_ error: any Error) -> any Error {
        if let error = error as? IOError {
            guard error.errnoCode == EADDRINUSE else {
                return ServiceError(
                    .addressUnavailable, "cannot listen on \(address): \(String(cString: strerror(error.errnoCode)))")
            }
            return ServiceError(
                .addressInUse, "cannot listen on \(address): another process does",
                hint: "end it, or choose another address")
        }
        guard error is SocketAddressError else { return error }
        return ServiceError(.addressUnavailable, "cannot listen on \(address): the name is unknown")
    }
}
