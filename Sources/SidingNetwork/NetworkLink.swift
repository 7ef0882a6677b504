// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// A network interface with the properties that decide whether it is usable.
struct NetworkLink: Hashable, Sendable {
    var name: String
    var isLoopback = false
    /// Whether it is up and has a carrier.
    var isLive: Bool
    var addresses: Set<NetworkAddress> = []

    /// IFF_LOWER_UP of netdevice(7), which only the kernel's headers define.
    private static let lowerUp: UInt32 = 1 << 16

    /// The interfaces of the calling thread's network namespace by getifaddrs(3); nil if it fails.
    static func all() -> [NetworkLink]? {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return nil }
        defer { freeifaddrs(first) }
        var links: [String: NetworkLink] = [:]
        for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
            guard let entry = entry?.pointee, let label = entry.ifa_name else { continue }
            // An IPv4 address may have its own label, `eth0:1`, in place of the interface's name.
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
    /// Whether a packet from `source`, the address that the kernel selected, can be sent to `target`.
    func carry(from source: NetworkAddress, to target: NetworkAddress) -> Bool {
        // A packet to one of this machine's own addresses needs no link.
        if source == target { return true }
        guard let link = first(where: { $0.addresses.contains(source) }) else { return false }
        if target.isLoopback || target.isUnspecified { return link.isLive }
        // While the only IPv6 address is still being checked, the kernel selects ::1 rather than none.
        guard source.isGlobal || (source.isLinkLocal && target.isLinkLocal) else { return false }
        // An address on the loopback interface (as on hosts that use BGP) can be the source on any other interface.
        return link.isLoopback ? contains { !$0.isLoopback && $0.isLive } : link.isLive
    }
}
