public import SidingChain

/// Looks at the kernel's tables to see whether there is a way out, and asks the kernel for the way to an address.
///
/// A way out is a default route through an interface that is up, has carrier and is not loopback, from a global address.
/// Nothing is sent anywhere to find out. All is read anew at each call, of the calling thread's network namespace.
public struct LinuxConnectivity: Connectivity {
    /// In blocks that no one may use (240.0.0.0/4 of RFC 1112 §4, 2001:db8::/32 of RFC 3849): only a default route leads
    /// there.
    static let reserved = [
        NetworkAddress([240, 0, 0, 1]),
        NetworkAddress([0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]),
    ]

    private let root: String
    private let links: @Sendable () -> [NetworkLink]?
    private let route: @Sendable (NetworkAddress) -> KernelRoute

    /// - Parameter root: where the `net` tables are. `/proc/self` has them also where a sandbox leaves only processes in
    ///   `/proc` (ProcSubset=pid), and `/proc/thread-self` those of a thread that entered another network namespace.
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

    public func hasUsableRoute() -> Bool {
        hasUsableRoute { $0.prefixLength == 0 }
    }

    /// Whether a request to `host` has a way to go.
    ///
    /// For an address and for `localhost` the kernel is asked. What address another name stands for is not asked: it may
    /// be of the own network, known to the file of hosts or to a resolver there, so any route through a live link will do.
    public func hasUsableRoute(to host: String) -> Bool {
        let addresses = Self.addresses(of: host)
        guard !addresses.isEmpty else { return hasUsableRoute { _ in true } }
        return addresses.contains { isReachable($0, otherwise: true) }
    }

    /// The addresses that are known without a resolver; names below `localhost` are this machine (RFC 6761 §6.3).
    private static func addresses(of host: String) -> [NetworkAddress] {
        let name = (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
        guard name == "localhost" || name.hasSuffix(".localhost") else {
            return NetworkAddress(numeric: host).map { [$0] } ?? []
        }
        return [NetworkAddress([127, 0, 0, 1]), NetworkAddress(Array(repeating: 0, count: 15) + [1])]
    }

    private func hasUsableRoute(where isWanted: (RoutingTable.Route) -> Bool) -> Bool {
        // Where the tables cannot be read nothing is known, and an error keeps the name that the system gave it.
        guard let table = RoutingTable(root: root) else { return true }
        guard let links = links() else { return table.routes.contains { $0.interface != "lo" && isWanted($0) } }
        // The kernel knows what the tables do not show: other tables and their rules, the second of two next hops.
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
