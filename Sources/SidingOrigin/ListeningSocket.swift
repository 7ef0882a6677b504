#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
internal import NIOCore

/// A bound and listening IPv4 socket, for an origin in another network namespace: a socket belongs to the namespace of the
/// thread that opens it, even if another thread serves it later.
public struct ListeningSocket: Sendable {
    let descriptor: CInt

    /// Opens it on a free port. ``Origin/start(on:compresses:handler:)`` takes it over and closes it.
    ///
    /// - Parameter address: a numeric address of this machine: `10.99.0.2`.
    /// - Throws: a system error if it cannot listen there.
    public init(at address: String) throws {
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        guard inet_pton(AF_INET, address, &place.sin_addr) == 1 else { throw Self.refusal(EINVAL, address) }
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        let isBound = withUnsafePointer(to: &place) { place in
            place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                bind(descriptor, place, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(descriptor, 256) == 0 else {
            let code = errno
            close(descriptor)
            throw Self.refusal(code, address)
        }
    }

    private static func refusal(_ code: CInt, _ address: String) -> IOError {
        IOError(errnoCode: code, reason: "no origin can listen at \(address)")
    }
}
