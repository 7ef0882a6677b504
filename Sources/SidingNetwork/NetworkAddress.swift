// SPDX-License-Identifier: Apache-2.0
internal import SidingSynchronization

/// An IPv4 or IPv6 address, from the kernel or from the numeric form of a host.
struct NetworkAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order; an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) is stored as IPv4.
    let bytes: [UInt8]
    /// The interface of a link-local IPv6 address; 0 if not specified.
    let zone: UInt32

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    init(_ bytes: [UInt8], zone: UInt32 = 0) {
        let isMapped = bytes.count == 16 && bytes.starts(with: Self.mappedPrefix)
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
        self.zone = zone
    }

    /// Nil if the socket address has another family.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            self.init(withUnsafeBytes(of: raw.load(as: sockaddr_in.self).sin_addr) { Array($0) })
        case AF_INET6:
            let address = raw.load(as: sockaddr_in6.self)
            self.init(withUnsafeBytes(of: address.sin6_addr) { Array($0) }, zone: address.sin6_scope_id)
        default:
            return nil
        }
    }

    /// Parses an address as getaddrinfo(3) does with AI_NUMERICHOST, which uses no resolver: `192.0.2.1`, `127.1`, `::1`,
    /// `fe80::1%eth0`. Nil for a name.
    init?(numeric text: String) {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        guard !text.utf8.contains(0), getaddrinfo(text, nil, &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        guard let address = found.pointee.ai_addr else { return nil }
        self.init(UnsafePointer(address))
    }

    var isIPv4: Bool { bytes.count == 4 }

    /// 127.0.0.0/8 and ::1.
    var isLoopback: Bool { isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 }

    /// 0.0.0.0 and ::, which mean this machine as a target (ip(7)).
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// 169.254.0.0/16 (RFC 3927) and fe80::/10, which routers do not forward.
    var isLinkLocal: Bool {
        isIPv4 ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }

    /// 224.0.0.0/4 and ff00::/8.
    var isMulticast: Bool { isIPv4 ? bytes[0] & 0xF0 == 0xE0 : bytes[0] == 0xFF }

    /// Whether the address can be the source of packets to other networks.
    var isGlobal: Bool { !isLoopback && !isLinkLocal && !isUnspecified }

    /// Passes the socket address with port 9 (discard) to `body`.
    func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let port = UInt16(9).bigEndian
        if isIPv4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: bytes) }
            return Self.lend(&address, body)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port
        address.sin6_scope_id = zone
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: bytes) }
        return Self.lend(&address, body)
    }

    private static func lend<Address, Result>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
