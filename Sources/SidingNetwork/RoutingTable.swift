// SPDX-License-Identifier: Apache-2.0
internal import FoundationEssentials

/// The kernel's main routing tables, and the interfaces with a usable IPv6 address, from `/proc/net` (proc(5)).
struct RoutingTable: Sendable {
    struct Route: Hashable, Sendable {
        var interface: String
        var isIPv4: Bool
        /// The prefix length of the destination; 0 for the default route.
        var prefixLength: Int
    }

    /// Routes to other hosts, without link-local, multicast and reject routes.
    private(set) var routes: [Route] = []
    /// Interfaces with a global IPv6 address that has passed duplicate address detection (RFC 4862 §5.4).
    private(set) var interfacesReadyForIPv6: Set<String> = []

    /// Nil if there is no readable `net/route` below `root`.
    init?(root: String) {
        guard let v4 = Self.lines(of: "\(root)/net/route") else { return nil }
        routes = v4.dropFirst().compactMap(Self.routeV4)
        routes += (Self.lines(of: "\(root)/net/ipv6_route") ?? []).compactMap(Self.routeV6)
        let addresses = Self.lines(of: "\(root)/net/if_inet6") ?? []
        interfacesReadyForIPv6 = Set(addresses.compactMap(Self.readyInterface))
    }

    /// The routes through a live link with a global address of their family.
    ///
    /// Routes stay in the tables when the carrier is lost, so the links must be checked.
    func usable(over links: [NetworkLink]) -> [Route] {
        let live = links.filter { $0.isLive && !$0.isLoopback }
        // Hosts that use BGP have their addresses on the loopback interface.
        let hosts = links.filter(\.isLoopback)
        return routes.filter { route in
            guard let link = live.first(where: { $0.name == route.interface }) else { return false }
            return ([link] + hosts).contains { hasAddress($0, isIPv4: route.isIPv4) }
        }
    }

    private func hasAddress(_ link: NetworkLink, isIPv4: Bool) -> Bool {
        isIPv4
            ? link.addresses.contains { $0.isIPv4 && $0.isGlobal }
            : interfacesReadyForIPv6.contains(link.name)
    }

    private static func lines(of path: String) -> [Substring]? {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    // MARK: IPv4

    /// Iface, Destination, Gateway, Flags, RefCnt, Use, Metric, Mask, …; addresses as the machine's own 32-bit numbers.
    private static func routeV4(_ line: Substring) -> Route? {
        let fields = line.split { $0 == "\t" || $0 == " " }
        guard fields.count >= 8, let flags = UInt32(fields[3], radix: 16), isUp(flags),
            let destination = UInt32(fields[1], radix: 16), let mask = UInt32(fields[7], radix: 16)
        else { return nil }
        let address = NetworkAddress(withUnsafeBytes(of: destination) { Array($0) })
        guard !address.isLinkLocal, !address.isMulticast else { return nil }
        return Route(interface: String(fields[0]), isIPv4: true, prefixLength: mask.nonzeroBitCount)
    }

    // MARK: IPv6

    /// Destination, its prefix length, source, its prefix length, next hop, metric, counts, flags, interface.
    private static func routeV6(_ line: Substring) -> Route? {
        let fields = line.split(separator: " ")
        guard fields.count >= 10, let flags = UInt32(fields[8], radix: 16), isUp(flags),
            // RTF_LOCAL and RTF_ANYCAST of linux/ipv6_route.h: this machine's own addresses.
            flags & 0x8010_0000 == 0,
            let destination = address(fields[0]), let length = Int(fields[1], radix: 16),
            !destination.isLinkLocal, !destination.isMulticast
        else { return nil }
        return Route(interface: String(fields[9]), isIPv4: false, prefixLength: length)
    }

    /// Address, index, prefix length, scope, flags, interface.
    private static func readyInterface(_ line: Substring) -> String? {
        let fields = line.split(separator: " ")
        guard fields.count >= 6, UInt8(fields[3], radix: 16) == 0, let flags = UInt8(fields[4], radix: 16) else {
            return nil
        }
        // linux/if_addr.h: IFA_F_TENTATIVE, unless IFA_F_OPTIMISTIC allows to use it at once; IFA_F_DADFAILED.
        let isTentative = flags & 0x40 != 0 && flags & 0x04 == 0
        return isTentative || flags & 0x08 != 0 ? nil : String(fields[5])
    }

    /// 32 hexadecimal digits.
    private static func address(_ digits: Substring) -> NetworkAddress? {
        guard digits.utf8.count == 32, let number = UInt128(digits, radix: 16) else { return nil }
        return NetworkAddress(withUnsafeBytes(of: number.bigEndian) { Array($0) })
    }

    /// RTF_UP set, RTF_REJECT not (linux/route.h).
    private static func isUp(_ flags: UInt32) -> Bool { flags & 0x1 != 0 && flags & 0x200 == 0 }
}
