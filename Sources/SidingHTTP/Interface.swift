// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// The addresses of this machine's network interfaces.
enum Interface {
    /// The address from which connections of `interface` come: the text itself if it is an address of this machine, else the first
    /// one of the interface with that name, IPv4 before IPv6.
    ///
    /// - Throws: ``SidingChain/Failure/Reason/noInternetConnection`` if the interface has no address now, or no interface has the
    ///   address.
    static func address(of interface: String) throws(Failure) -> String {
        let wanted = IPAddress.bytes(interface)
        // The whole block is this machine's, listed or not.
        if let wanted, wanted.count == 4, wanted[0] == 127 { return interface }
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else {
            throw Failure(.localResource, phase: .notSent, detail: "the interfaces of this machine cannot be read")
        }
        defer { freeifaddrs(first) }
        var found: [Int32: String] = [:]
        var next = first
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr else { continue }
            let family = Int32(address.pointee.sa_family)
            guard let text = text(of: address, family), !text.hasPrefix("fe80:") else { continue }
            if wanted != nil, IPAddress.bytes(text) == wanted { return interface }
            if found[family] == nil, String(cString: entry.ifa_name) == interface { found[family] = text }
        }
        if let address = found[AF_INET] ?? found[AF_INET6] { return address }
        throw Failure(
            .noInternetConnection, phase: .notSent,
            detail: wanted == nil
                ? "the interface '\(interface)' is missing or has no address"
                : "no interface has the address \(interface)")
    }

    private static func text(of address: UnsafeMutablePointer<sockaddr>, _ family: Int32) -> String? {
        let length: Int
        switch family {
        case AF_INET: length = MemoryLayout<sockaddr_in>.size
        case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(address, socklen_t(length), &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        return String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
