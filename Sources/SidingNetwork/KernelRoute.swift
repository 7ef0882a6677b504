// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// How the kernel would route packets to an address.
enum KernelRoute: Hashable, Sendable {
    /// There is a route with this source address.
    case from(NetworkAddress)
    /// There is no route, or a rule forbids it.
    case none
    /// The kernel could not be asked.
    case unknown

    /// Asks the kernel by connecting a UDP socket, which sends nothing: the kernel selects the route and source address
    /// (connect(2), ip(7)) by all of its tables and rules.
    static func to(_ address: NetworkAddress) -> KernelRoute {
        let family = address.isIPv4 ? AF_INET : AF_INET6
        let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        // Without support for the address family there is no route either.
        guard descriptor >= 0 else { return errno == EAFNOSUPPORT ? .none : .unknown }
        defer { close(descriptor) }
        guard address.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else { return refusal(errno) }
        return source(of: descriptor)
    }

    /// Covers: no route; `unreachable`, `prohibit` and `blackhole` routes; no source address; a link-local address without its
    /// zone.
    private static func refusal(_ code: Int32) -> KernelRoute {
        switch code {
        case ENETUNREACH, EHOSTUNREACH, EACCES, EINVAL, EADDRNOTAVAIL, ENETDOWN: .none
        default: .unknown
        }
    }

    private static func source(of descriptor: Int32) -> KernelRoute {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let address = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &length) == 0 ? NetworkAddress($0) : nil
            }
        }
        return address.map(KernelRoute.from) ?? .unknown
    }
}
