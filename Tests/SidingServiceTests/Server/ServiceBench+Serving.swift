// SPDX-License-Identifier: Apache-2.0
import Logging
import ServiceLifecycle
import Siding
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import SidingService

/// Services over real sockets.
extension ServiceBench {
    static let token = "0123456789abcdef-the-token"

    func service(
        at address: HTTPService.Address = .loopback(port: 0), token: String? = nil, allowedHosts: [String] = [],
        limits: ServiceLimits = ServiceLimits(), logger: Logger = .silent,
        isLive: @escaping @Sendable () async -> Bool = { true },
        storeFailure: @escaping @Sendable () -> StoreError? = { nil },
        sync: @escaping @Sendable (AnyResource) async throws -> Void = { _ in },
        onListening: @escaping @Sendable (HTTPService.Address) async -> Void = { _ in }
    ) throws -> HTTPService {
        try HTTPService(
            ServedStore(
                store: store, resources: { [notes] }, wallClock: time.clock, targets: { [targets] in targets },
                storeFailure: storeFailure, sync: sync, metrics: { "further 1\n" }, isLive: isLive, clock: clock),
            address: address, token: token, allowedHosts: allowedHosts, logger: logger, limits: limits,
            onListening: onListening)
    }

    /// Runs `body` while the service listens, and stops it gracefully.
    func serving(
        at address: HTTPService.Address = .loopback(port: 0), token: String? = nil, allowedHosts: [String] = [],
        limits: ServiceLimits = ServiceLimits(), logger: Logger = .silent,
        isLive: @escaping @Sendable () async -> Bool = { true },
        storeFailure: @escaping @Sendable () -> StoreError? = { nil },
        sync: @escaping @Sendable (AnyResource) async throws -> Void = { _ in },
        _ body: (ServerClient) async throws -> Void
    ) async throws {
        let place = Promise<Result<HTTPService.Address, any Error>>()
        let service = try service(
            at: address, token: token, allowedHosts: allowedHosts, limits: limits, logger: logger, isLive: isLive,
            storeFailure: storeFailure, sync: sync, onListening: { place.resolve(.success($0)) })
        let group = ServiceGroup(services: [service], logger: .silent)
        let running = Task {
            do { try await group.run() } catch {
                place.resolve(.failure(error))
                throw error
            }
        }
        let client = ServerClient(
            address: try await place.value().get(), stop: { await group.triggerGracefulShutdown() })
        do { try await body(client) } catch {
            Issue.record(error)
        }
        await group.triggerGracefulShutdown()
        try await running.value
    }

    /// Where a service of this bench may have its socket.
    func socketPath() throws -> String {
        // An address has 107 bytes at most (unix(7)), and the service makes its socket in `.siding-XXXXXX/s` beside the place.
        try #require(directory.path.utf8.count <= 90, "TMPDIR is too long for the addresses of sockets")
        return directory.path(of: "siding.sock")
    }

    /// Leaves a socket at `path` on which nobody listens.
    static func leaveSocket(at path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound)
    }
}
