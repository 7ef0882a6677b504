// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import SidingNetwork

/// Real links, addresses and routes, in network namespaces that the test made.
@Suite(.enabled(if: NetworkNamespace.canBeMade, "\(NetworkNamespace.condition)"), .timeLimit(.minutes(5)))
struct NetworkNamespaceTests {
    private func hasRoute(_ cable: Cable) async throws -> Bool {
        try await cable.here.enter { LinuxConnectivity(root: "/proc/thread-self").hasUsableRoute() }
    }

    private func hasRoute(_ cable: Cable, to host: String) async throws -> Bool {
        try await cable.here.enter { LinuxConnectivity(root: "/proc/thread-self").hasUsableRoute(to: host) }
    }

    // MARK: What is told

    @Test(
        arguments: [
            ("link set wire0 down", .links), ("link set wire0 up", .links), ("link add bridge0 type bridge", .links),
            ("link del wire0", .links), ("addr add 10.99.7.1/24 dev wire0", .addresses),
            ("addr del 10.99.0.1/24 dev wire0", .addresses), ("addr add fd99::7/64 dev wire0 nodad", .addresses),
            ("route add default via 10.99.0.2", .routes), ("route add 10.98.0.0/16 via 10.99.0.2", .routes),
            ("route del 10.99.0.0/24", .routes), ("-6 route add fd98::/64 dev wire0", .routes),
        ] as [(String, NetworkChange)])
    func `a change of the network is reported`(_ command: String, _ kind: NetworkChange) async throws {
        let cable = try await Cable()
        if command != "link set wire0 up" { try cable.plugIn() }
        let changes = try await cable.here.enter { NetworkChanges() }
        try #require(changes.isWatching)
        try cable.here.ip(command)
        for await change in changes where change.contains(kind) { break }
    }

    @Test func `a carrier that is lost and returns is reported`() async throws {
        let cable = try await Cable()
        try cable.plugIn()
        try cable.here.ip("route add default via 10.99.0.2")
        let changes = try await cable.here.enter { NetworkChanges() }
        for command in ["link set wire1 down", "link set wire1 up"] {
            var mark = changes.mark
            try cable.there.ip(command)
            while try await hasRoute(cable) != command.hasSuffix("up") {
                let next = changes.mark
                await changes.next(after: mark)
                mark = next
            }
        }
    }

    // MARK: Whether there is a way

    @Test func `a default route is usable as long as the link is up and has carrier`() async throws {
        let cable = try await Cable()
        #expect(try await !hasRoute(cable))
        try cable.plugIn()
        #expect(try await !hasRoute(cable))
        try cable.here.ip("route add default via 10.99.0.2")
        #expect(try await hasRoute(cable))
        try cable.there.ip("link set wire1 down")
        try await cable.untilCarrier(false)
        #expect(try await !hasRoute(cable))
        try cable.there.ip("link set wire1 up")
        try await cable.untilCarrier(true)
        #expect(try await hasRoute(cable))
        try cable.here.ip("link set wire0 down")
        #expect(try await !hasRoute(cable))
    }

    @Test func `an IPv6 address is of use once it was checked for duplicates`() async throws {
        let cable = try await Cable()
        try cable.plugIn()
        try await cable.here.enter {
            // The check takes longer than this test.
            try "3600000".write(
                toFile: "/proc/sys/net/ipv6/neigh/wire0/retrans_time_ms", atomically: false, encoding: .utf8)
        }
        try cable.here.ip("-6 addr add fd99::1/64 dev wire0")
        try cable.here.ip("-6 route add default via fd99::2")
        #expect(try await !hasRoute(cable))
        #expect(try await !hasRoute(cable, to: "fd99::2"))
        try cable.here.ip("-6 addr add fd99::3/64 dev wire0 nodad")
        #expect(try await hasRoute(cable))
        #expect(try await hasRoute(cable, to: "fd99::2"))
    }

    @Test func `an origin on the own network, or behind a route of its own, needs no default route`() async throws {
        let cable = try await Cable()
        #expect(try await !hasRoute(cable, to: "10.99.0.2"))
        #expect(try await !hasRoute(cable, to: "tracker.van"))
        try cable.plugIn()
        try cable.here.ip("route add 10.98.0.0/16 via 10.99.0.2")
        let near = ["10.99.0.2", "10.98.1.2", "tracker.van"]
        let far = ["10.97.1.2", "fd98::1", "240.0.0.1"]
        for host in near { #expect(try await hasRoute(cable, to: host), "\(host)") }
        for host in far { #expect(try await !hasRoute(cable, to: host), "\(host)") }
        #expect(try await !hasRoute(cable))
        try cable.there.ip("link set wire1 down")
        try await cable.untilCarrier(false)
        for host in near + far { #expect(try await !hasRoute(cable, to: host), "\(host)") }
    }

    @Test func `this machine is reachable with its loopback interface up, and with nothing else`() async throws {
        let cable = try await Cable()
        let hosts = ["127.0.0.1", "127.0.0.5", "localhost", "::1", "api.localhost", "0.0.0.0"]
        for host in hosts { #expect(try await !hasRoute(cable, to: host), "\(host)") }
        try cable.here.ip("link set lo up")
        for host in hosts { #expect(try await hasRoute(cable, to: host), "\(host)") }
        #expect(try await !hasRoute(cable))
        try cable.plugInWithoutCarrier()
        #expect(try await hasRoute(cable, to: "10.99.0.1"))
        #expect(try await !hasRoute(cable, to: "10.99.0.2"))
    }

    @Test(arguments: ["unreachable", "prohibit", "blackhole"])
    func `a route that refuses does not lead out`(_ kind: String) async throws {
        let cable = try await Cable()
        try cable.plugIn()
        try cable.here.ip("route add default via 10.99.0.2")
        try cable.here.ip("route add \(kind) 10.98.0.0/16")
        #expect(try await !hasRoute(cable, to: "10.98.1.2"))
        #expect(try await hasRoute(cable, to: "10.97.1.2"))
        try cable.here.ip("route del default")
        try cable.here.ip("route add \(kind) default")
        #expect(try await !hasRoute(cable))
        #expect(try await !hasRoute(cable, to: "10.97.1.2"))
    }

    @Test func `a default route that the main table does not show counts as well`() async throws {
        let cable = try await Cable()
        try cable.plugIn()
        // As virtual private networks do: another table, or the whole space in two halves.
        try cable.here.ip("route add default via 10.99.0.2 table 100")
        #expect(try await !hasRoute(cable))
        try cable.here.ip("rule add from all lookup 100")
        #expect(try await hasRoute(cable))
        try cable.here.ip("rule del from all lookup 100")
        #expect(try await !hasRoute(cable))
        try cable.here.ip(batch: ["route add 0.0.0.0/1 via 10.99.0.2", "route add 128.0.0.0/1 via 10.99.0.2"])
        #expect(try await hasRoute(cable))
    }

    @Test func `where the first of two next hops is down, the other counts`() async throws {
        let cable = try await Cable()
        try cable.plugIn()
        try cable.here.ip("link add second0 type veth peer name second1 netns \(cable.there.name)")
        try cable.there.ip("link set second1 up")
        try cable.here.ip(batch: [
            "addr add 10.88.0.1/24 dev second0", "link set second0 up",
            "route add default nexthop via 10.99.0.2 nexthop via 10.88.0.2", "link set wire0 down",
        ])
        let table = try await cable.here.enter { try #require(RoutingTable(root: "/proc/thread-self")) }
        // What the table shows is the dead one.
        #expect(table.routes.filter { $0.prefixLength == 0 }.map(\.interface) == ["wire0"])
        #expect(try await hasRoute(cable))
        try cable.here.ip("link set second0 down")
        #expect(try await !hasRoute(cable))
    }

    @Test func `an address with a label belongs to its link`() async throws {
        let cable = try await Cable()
        try cable.here.ip(batch: [
            "addr add 10.99.0.1/24 dev wire0 label wire0:1", "link set wire0 up", "route add default via 10.99.0.2",
        ])
        let links = try await cable.here.enter { try #require(NetworkLink.all()) }
        #expect(Set(links.map(\.name)) == ["lo", "wire0"])
        #expect(links.contains { $0.name == "wire0" && $0.addresses == [NetworkAddress([10, 99, 0, 1])] })
        #expect(try await hasRoute(cable))
    }

    // MARK: Storms

    @Test func `a thousand flaps of a link do no harm, and leave one socket`() async throws {
        let cable = try await Cable()
        try cable.plugIn()
        var changes: NetworkChanges? = try await cable.here.enter { NetworkChanges() }
        let reader = Task { [changes] in
            var count = 0
            for await _ in try #require(changes) { count += 1 }
            return count
        }
        try cable.here.ip(batch: (0..<1_000).flatMap { _ in ["link set wire0 down", "link set wire0 up"] })
        #expect(changes?.isWatching == true)
        #expect(try await cable.here.listeningSockets() == 1)
        // It still tells.
        let mark = try #require(changes?.mark)
        try cable.here.ip("route add default via 10.99.0.2")
        #expect(await changes?.next(after: mark) != nil)
        #expect(try await hasRoute(cable))
        reader.cancel()
        #expect(try await reader.value > 0)
        changes = nil
        while try await cable.here.listeningSockets() > 0 { await Task.yield() }
    }

    @Test func `a thousand watches that come and go leave no socket`() async throws {
        let cable = try await Cable()
        try await cable.here.enter {
            for _ in 0..<1_000 { #expect(NetworkChanges().isWatching) }
        }
        while try await cable.here.listeningSockets() > 0 { await Task.yield() }
    }
}

extension Cable {
    fileprivate func plugInWithoutCarrier() throws {
        try there.ip("link set wire1 down")
        try plugIn()
    }

    /// Waits until the kernel shows that the cable is plugged in at both ends, or not.
    fileprivate func untilCarrier(_ isThere: Bool) async throws {
        while try await here.enter({
            NetworkLink.all()?.first { $0.name == "wire0" }?.isLive != isThere
        }) { await Task.yield() }
    }
}

extension NetworkNamespace {
    /// The netlink sockets in here that have joined a group of rtnetlink, all of which this process has made.
    fileprivate func listeningSockets() async throws -> Int {
        try await enter {
            let table = try String(contentsOfFile: "/proc/thread-self/net/netlink", encoding: .utf8)
            return table.split(separator: "\n").dropFirst().count { line in
                let fields = line.split(separator: " ")
                return fields.count > 3 && fields[1] == "0" && fields[2] != "0" && UInt32(fields[3], radix: 16) != 0
            }
        }
    }
}
