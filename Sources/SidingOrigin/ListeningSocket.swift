// SPDX-License-Identifier: Apache-2.0
internal import NIOCore
internal import SidingSynchronization

/// A bound and listening socket, for an origin in another network namespace or behind a Unix socket: a socket belongs to the
/// namespace of the thread that opens it, even if another thread serves it later.
public struct ListeningSocket: Sendable {
    let descriptor: CInt
    /// The path of a Unix socket; nil for IPv4.
    let path: String?

    /// Opens an IPv4 socket on a free port. ``Origin/start(on:compresses:handler:)`` takes it over and closes it.
    ///
    /// - Parameter address: a numeric address of this machine: `10.99.0.2`.
    /// - Throws: a system error if it cannot listen there.
    public init(at address: String) throws {
        let place = try SocketAddress(ipAddress: address, port: 0)
        guard case .v4 = place else { throw Self.refusal(EINVAL, address) }
        (descriptor, path) = (try Self.open(place, address), nil)
    }

    /// Opens a Unix socket. ``Origin/start(on:compresses:handler:)`` takes it over and closes it; its file stays.
    ///
    /// - Parameter path: an absolute path where there is nothing yet.
    /// - Throws: a system error if it cannot listen there.
    public init(path: String) throws {
        (descriptor, self.path) = (try Self.open(SocketAddress(unixDomainSocketPath: path), path), path)
    }

    private static func open(_ place: SocketAddress, _ shown: String) throws -> CInt {
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(place.protocol.rawValue, kind, 0)
        let isBound = place.withSockAddr { place, size in bind(descriptor, place, socklen_t(size)) == 0 }
        guard isBound, listen(descriptor, 256) == 0 else {
            let code = errno
            close(descriptor)
            throw refusal(code, shown)
        }
        return descriptor
    }

    private static func refusal(_ code: CInt, _ place: String) -> IOError {
        IOError(errnoCode: code, reason: "no origin can listen at \(place)")
    }
}
