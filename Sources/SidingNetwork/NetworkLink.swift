internal import Glibc

/// A network interface, with what it takes to be of use.
struct NetworkLink: Hashable, Sendable {
    var name: String
    var isLoopback = false
    /// Whether it is switched on and has carrier.
    var isLive: Bool
    var addresses: Set<NetworkAddress> = []

    /// IFF_LOWER_UP of netdevice(7), which the C library leaves to the kernel's headers.
    private static let lowerUp: UInt32 = 1 << 16

    /// The interfaces of the calling thread's network namespace by getifaddrs(3); nil where they cannot be had.
    static func all() -> [NetworkLink]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var links: [String: NetworkLink] = [:]
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let label = entry.ifa_name else { continue }
            // An IPv4 address may have a label of its own, `eth0:1`, which stands in place of the interface's name.
            let name = String(String(cString: label).prefix { $0 != ":" })
            var link = links[name] ?? NetworkLink(name: name, flags: entry.ifa_flags)
            if let address = entry.ifa_addr.flatMap({ NetworkAddress($0) }) { link.addresses.insert(address) }
            links[name] = link
        }
        return Array(links.values)
    }
}

extension NetworkLink {
    fileprivate init(name: String, flags: UInt32) {
        self.name = name
        isLoopback = flags & UInt32(IFF_LOOPBACK) != 0
        isLive = flags & UInt32(IFF_UP) != 0 && flags & Self.lowerUp != 0
    }
}

extension [NetworkLink] {
    /// Whether a packet from `source`, the address that the kernel chose, gets under way to `target`.
    func carry(from source: NetworkAddress, to target: NetworkAddress) -> Bool {
        // One of this machine's own addresses: such a packet needs no link.
        if source == target { return true }
        guard let link = first(where: { $0.addresses.contains(source) }) else { return false }
        if target.isLoopback || target.isUnspecified { return link.isLive }
        // The kernel takes ::1 rather than none while the only IPv6 address is still being checked.
        guard source.isGlobal || (source.isLinkLocal && target.isLinkLocal) else { return false }
        // An address that is kept on the loopback interface (as hosts do that speak BGP) goes out by any other.
        return link.isLoopback ? contains { !$0.isLoopback && $0.isLive } : link.isLive
    }
}
