// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Checks for a usable route with the kernel's tables, and asks the kernel for the route to an address.
///
/// A usable route is a default route through an interface that is up, has a carrier and is not loopback, from a global address.
/// Nothing is sent. Everything is read anew at each call, in the calling thread's network namespace.
public struct LinuxConnectivity: Connectivity {
    /// Addresses in reserved blocks (240.0.0.0/4 of RFC 1112 §4, 2001:db8::/32 of RFC 3849), which only a default route can
    /// match.
    static let reserved = [
        NetworkAddress([240, 0, 0, 1]),
        NetworkAddress([0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]),
    ]

    private let root: String
    private let links: @Sendable () -> [NetworkLink]?
    private let route: @Sendable (NetworkAddress) -> KernelRoute

    /// - Parameter root: the directory of the `net` tables. `/proc/self` has them even if a sandbox leaves only processes in
    ///   `/proc` (ProcSubset=pid); `/proc/thread-self` has those of a thread that entered another network namespace.
    public init(root: String = "/proc/self") {
        self.init(root: root, links: NetworkLink.all, route: KernelRoute.to)
    }

    init(
        root: String, links: @escaping @Sendable () -> [NetworkLink]?,
        route: @escaping @Sendable (NetworkAddress) -> KernelRoute
    ) {
        self.root = root
        self.links = links
        self.route = route
    }

    /// Whether there is a usable default route; also true if the tables cannot be read.
    public func hasUsableRoute() -> Bool {
        hasUsableRoute { $0.prefixLength == 0 }
    }

    /// Whether a request to `host` has a route.
    ///
    /// For an address and for `localhost` the kernel is asked. Other names are not resolved: they may be in the local network,
    /// known from the hosts file or a resolver there, so any route through a live link counts.
    public func hasUsableRoute(to host: String) -> Bool {
        // A service behind a Unix socket needs no network.
        if host.hasPrefix("/") { return true }
        let addresses = Self.addresses(of: host)
        guard !addresses.isEmpty else { return hasUsableRoute { _ in true } }
        return addresses.contains { isReachable($0, otherwise: true) }
    }

    /// The addresses that are known without a resolver; `localhost` and names below it are this machine (RFC 6761 §6.3).
    private static func addresses(of host: String) -> [NetworkAddress] {
        let name = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        guard name == "localhost" || name.hasSuffix(".localhost") else {
            return NetworkAddress(numeric: host).map { [$0] } ?? []
        }
        return [NetworkAddress([127, 0, 0, 1]), NetworkAddress(Array(repeating: 0, count: 15) + [1])]
    }

    private func hasUsableRoute(where isWanted: (RoutingTable.Route) -> Bool) -> Bool {
        // If the tables cannot be read, assume a route, so that an error keeps the system's classification.
        guard let table = RoutingTable(root: root) else { return true }
        guard let links = links() else { return table.routes.contains { $0.interface != "lo" && isWanted($0) } }
        // The kernel also considers what these tables do not show: other tables and their rules, the second of two next hops.
        return table.usable(over: links).contains(where: isWanted)
            || Self.reserved.contains { isReachable($0, otherwise: false) }
    }

    private func isReachable(_ address: NetworkAddress, otherwise unknown: Bool) -> Bool {
        switch route(address) {
        case .from(let source): links()?.carry(from: source, to: address) ?? true
        case .none: false
        case .unknown: unknown
        }
    }
}
