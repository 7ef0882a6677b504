// SPDX-License-Identifier: Apache-2.0
import CNetlink
import SidingSynchronization
import Testing

@testable import SidingNetwork

/// The C side: what the kernel's messages tell, and whom to believe.
@Suite struct NetlinkTests {
    /// nlmsghdr: length, type, flags, sequence, port; then what the message holds.
    private static func message(_ type: UInt16, _ payload: [UInt8] = [], length: UInt32? = nil) -> [UInt8] {
        let header: [UInt32] = [length ?? UInt32(16 + payload.count), UInt32(type), 0, 0]
        return header.flatMap { number in withUnsafeBytes(of: number) { Array($0) } } + payload
    }

    /// ifinfomsg, and one attribute.
    private static func link(attribute: UInt16) -> [UInt8] {
        let header: [UInt16] = [8, attribute]
        let words = header.flatMap { number in withUnsafeBytes(of: number) { Array($0) } }
        return message(16, [UInt8](repeating: 0, count: 16) + words + [1, 2, 3, 4])
    }

    private func changes(in bytes: [UInt8]) -> NetworkChange {
        NetworkChange(rawValue: bytes.withUnsafeBytes { siding_netlink_changes($0.baseAddress, $0.count) })
    }

    @Test(
        arguments: [
            (16, .links), (17, .links), (20, .addresses), (21, .addresses), (24, .routes), (25, .routes), (4, .missed),
            (2, []), (3, []), (28, []), (18, []),
        ] as [(UInt16, NetworkChange)])
    func `the type of a message gives the kind of change`(_ type: UInt16, _ change: NetworkChange) {
        #expect(changes(in: Self.message(type, [1, 2, 3, 4])) == change)
    }

    @Test func `several messages give all their kinds, those of odd length included`() {
        let bytes = Self.message(20, [1]) + [0, 0, 0] + Self.message(24) + Self.message(17)
        #expect(changes(in: bytes) == [.addresses, .routes, .links])
    }

    @Test func `a radio's report about itself does not change its link`() {
        #expect(changes(in: Self.link(attribute: 11)) == [])
        #expect(changes(in: Self.link(attribute: 3)) == .links)
        #expect(changes(in: Self.message(16)) == .links)
    }

    @Test func `a message that is not whole is a missed one, and nothing is read beyond its end`() {
        #expect(changes(in: []) == [])
        #expect(changes(in: [1, 2, 3]) == [])
        #expect(changes(in: Self.message(24, length: 17)) == .missed)
        #expect(changes(in: Self.message(24, length: .max)) == .missed)
        #expect(changes(in: Self.message(24, length: 0)) == .missed)
        #expect(changes(in: Self.message(20) + Self.message(24, length: 15)) == [.addresses, .missed])
        let attributes = Self.link(attribute: 3)
        for count in 0..<attributes.count { _ = changes(in: Array(attributes[..<count])) }
    }

    @Test func `bytes without sense do no harm`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            // Mostly small numbers, as lengths and types are.
            let bytes = (0..<Int.random(in: 0..<96, using: &generator)).map { index in
                UInt8.random(in: index % 4 == 0 ? 0...40 : 0...1, using: &generator)
            }
            #expect(changes(in: bytes).isSubset(of: [.links, .addresses, .routes, .missed]))
        }
    }

    @Test func `a descriptor that is not a socket is an error`() {
        var changes: UInt32 = 0
        #expect(siding_netlink_take(-1, &changes) == -1)
        #expect(errno == EBADF)
        #expect(changes == 0)
    }

    @Test func `the socket does not block, and no program that is started inherits it`() {
        let descriptor = siding_netlink_open()
        defer { close(descriptor) }
        #expect(descriptor >= 0)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test(.enabled(if: NetworkNamespace.canBeMade, "\(NetworkNamespace.condition)"))
    func `only messages of the kernel count`() async throws {
        // Whoever may administer the network can write to the sockets of others.
        let told = try await NetworkNamespace().enter {
            let descriptor = siding_netlink_open()
            let sender = siding_netlink_open()
            defer { _ = (close(descriptor), close(sender)) }
            var address = [UInt8](repeating: 0, count: 12)
            var length = socklen_t(address.count)
            let message = Self.message(24)
            let sent = address.withUnsafeMutableBytes { bytes in
                let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
                guard let address, getsockname(descriptor, address, &length) == 0 else { return -1 }
                // To its port, and to none of its groups.
                bytes.storeBytes(of: 0, toByteOffset: 8, as: UInt32.self)
                return sendto(sender, message, message.count, 0, address, length)
            }
            #expect(sent == message.count)
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            #expect(poll(&waiting, 1, 0) == 1)
            var changes: UInt32 = 0
            #expect(siding_netlink_take(descriptor, &changes) == 0)
            #expect(poll(&waiting, 1, 0) == 0)
            return changes
        }
        #expect(told == 0)
    }

    @Test(.enabled(if: NetworkNamespace.canBeMade, "\(NetworkNamespace.condition)"))
    func `a buffer that overflows reports missed messages, and the socket stays open`() async throws {
        let cable = try await Cable()
        let descriptor = try await cable.here.enter { siding_netlink_open() }
        defer { close(descriptor) }
        try cable.here.ip(batch: (0..<1_000).flatMap { _ in ["link set wire0 up", "link set wire0 down"] })
        #expect(takeAll(descriptor).contains([.links, .missed]))
        #expect(takeAll(descriptor) == [])
        try cable.here.ip("addr add 10.99.0.1/24 dev wire0")
        let change = takeAll(descriptor)
        #expect(change.contains(.addresses))
        #expect(!change.contains(.missed))
    }

    private func takeAll(_ descriptor: Int32) -> NetworkChange {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var changes: UInt32 = 0
        while poll(&waiting, 1, 0) == 1 {
            guard siding_netlink_take(descriptor, &changes) == 0 else { return [] }
        }
        return NetworkChange(rawValue: changes)
    }
}
