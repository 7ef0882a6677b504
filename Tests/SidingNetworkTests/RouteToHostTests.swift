// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SidingNetwork

@Suite struct RouteToHostTests {
    private static let loopback = NetworkAddress([127, 0, 0, 1])
    private static let own = NetworkAddress([192, 168, 2, 7])
    private static let neighbour = NetworkAddress([192, 168, 2, 9])
    private static let afar = NetworkAddress([203, 0, 113, 80])

    @Test(arguments: ["localhost", "LOCALHOST", "localhost.", "api.localhost", "127.0.0.1", "127.1", "::1"])
    func `this machine is reachable without any route beyond it`(_ host: String) throws {
        var tables = try Tables(v4: [])
        tables.links[1].isLive = false
        #expect(!tables.hasUsableRoute(to: host))
        tables.routes[Self.loopback] = .from(Self.loopback)
        let one = NetworkAddress(Array(repeating: 0, count: 15) + [1])
        tables.routes[one] = .from(one)
        #expect(tables.hasUsableRoute(to: host))
        #expect(!tables.hasUsableRoute())
    }

    @Test func `the own address is reachable without carrier`() throws {
        var tables = try Tables(v4: [])
        tables.links[1].isLive = false
        tables.routes[Self.own] = .from(Self.own)
        #expect(tables.hasUsableRoute(to: "192.168.2.7"))
    }

    @Test func `an address is reachable by a route to it alone, as long as the link has carrier`() throws {
        var tables = try Tables(v4: [Tables.localV4])
        tables.routes[Self.neighbour] = .from(Self.own)
        #expect(!tables.hasUsableRoute())
        #expect(tables.hasUsableRoute(to: "192.168.2.9"))
        #expect(!tables.hasUsableRoute(to: "192.168.3.9"))
        tables.links[1].isLive = false
        #expect(!tables.hasUsableRoute(to: "192.168.2.9"))
    }

    @Test func `from a link-local address only link-local ones are reachable`() throws {
        let source = NetworkAddress([169, 254, 3, 4])
        var tables = try Tables(v4: [])
        tables.links[1].addresses = [source]
        tables.routes[Self.afar] = .from(source)
        tables.routes[NetworkAddress([169, 254, 9, 9])] = .from(source)
        #expect(!tables.hasUsableRoute(to: "203.0.113.80"))
        #expect(tables.hasUsableRoute(to: "169.254.9.9"))
    }

    @Test func `from a loopback address only this machine is reachable`() throws {
        // What the kernel gives while the only other IPv6 address is still being checked for duplicates.
        var tables = try Tables(v4: [])
        tables.routes[Self.afar] = .from(Self.loopback)
        #expect(!tables.hasUsableRoute(to: "203.0.113.80"))
        tables.routes[NetworkAddress([0, 0, 0, 0])] = .from(Self.loopback)
        #expect(tables.hasUsableRoute(to: "0.0.0.0"))
    }

    @Test func `a source address of the loopback interface uses any other interface that has carrier`() throws {
        let source = NetworkAddress([198, 51, 100, 1])
        var tables = try Tables(v4: [])
        tables.links[0].addresses.insert(source)
        tables.routes[Self.afar] = .from(source)
        #expect(tables.hasUsableRoute(to: "203.0.113.80"))
        tables.links[1].isLive = false
        #expect(!tables.hasUsableRoute(to: "203.0.113.80"))
    }

    @Test func `a source address that no link has is of no use`() throws {
        var tables = try Tables(v4: [])
        tables.routes[Self.afar] = .from(NetworkAddress([0, 0, 0, 0]))
        #expect(!tables.hasUsableRoute(to: "203.0.113.80"))
    }

    @Test func `where the kernel does not answer nothing is known, and nothing is vetoed`() throws {
        var tables = try Tables(v4: [])
        tables.routes[Self.afar] = .unknown
        #expect(tables.hasUsableRoute(to: "203.0.113.80"))
        tables.hasLinks = false
        tables.routes[Self.afar] = .from(Self.own)
        #expect(tables.hasUsableRoute(to: "203.0.113.80"))
    }

    @Test func `a name may be of the own network: any route through a live link will do`() throws {
        var tables = try Tables(v4: [Tables.localV4])
        #expect(tables.hasUsableRoute(to: "tracker.example"))
        #expect(tables.hasUsableRoute(to: "localhost.example"))
        tables.links[1].isLive = false
        #expect(!tables.hasUsableRoute(to: "tracker.example"))
    }

    @Test(
        arguments: [
            "eth0\t0000FEA9\t00000000\t0001\t0\t0\t1000\t0000FFFF\t0\t0\t0",
            "eth0\t000000E0\t00000000\t0001\t0\t0\t0\t000000F0\t0\t0\t0",
        ],
        [
            Tables.v6("00000001", "eth0", to: "fe800000000000000000000000000000", prefix: "40"),
            Tables.v6("00000001", "eth0", to: "ff000000000000000000000000000000", prefix: "08"),
            Tables.v6("80200001", "eth0", to: "20010db8000000000000000000000007", prefix: "80"),
        ])
    func `link-local and multicast networks and the own address lead to no name`(_ v4: String, _ v6: String) throws {
        let tables = try Tables(v4: [v4], v6: [v6], inet6: [Tables.inet6("00", "80")])
        #expect(!tables.hasUsableRoute(to: "tracker.example"))
    }

    @Test func `a network of IPv6 leads to a name`() throws {
        let route = Tables.v6("00000001", "eth0", to: "20010db8000000000000000000000000", prefix: "40")
        let tables = try Tables(v4: [], v6: [route], inet6: [Tables.inet6("00", "80")])
        #expect(tables.hasUsableRoute(to: "tracker.example"))
        #expect(!tables.hasUsableRoute())
    }

    @Test(
        arguments: [
            ("192.0.2.1", [192, 0, 2, 1]), ("127.1", [127, 0, 0, 1]), ("::ffff:192.0.2.1", [192, 0, 2, 1]),
            ("::1", Array(repeating: 0, count: 15) + [1]),
        ] as [(String, [UInt8])])
    func `a numeric host is an address, without a resolver`(_ text: String, _ bytes: [UInt8]) {
        #expect(NetworkAddress(numeric: text) == NetworkAddress(bytes))
    }

    @Test(arguments: ["", "example.com", "192.0.2.256", "::1::", "[::1]"])
    func `a host that is not numeric is not an address`(_ text: String) {
        #expect(NetworkAddress(numeric: text) == nil)
    }

    @Test func `text with something behind a zero byte is not an address`() {
        #expect(NetworkAddress(numeric: "127.0.0.1\u{0}.example.com") == nil)
    }

    @Test func `this machine's kernel has a way to this machine, and none to an address without its zone`() {
        #expect(LinuxConnectivity().hasUsableRoute(to: "127.0.0.1"))
        #expect(LinuxConnectivity().hasUsableRoute(to: "localhost"))
        #expect(!LinuxConnectivity().hasUsableRoute(to: "fe80::1"))
    }
}
