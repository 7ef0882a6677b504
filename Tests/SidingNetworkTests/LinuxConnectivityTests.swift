// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingTesting
import Testing

@testable import SidingNetwork

@Suite struct LinuxConnectivityTests {
    @Test func `a default route of IPv4 is a way out`() throws {
        #expect(try Tables(v4: [Tables.localV4, Tables.defaultV4]).hasUsableRoute())
    }

    @Test func `a route to the own network alone does not lead out`() throws {
        #expect(try !Tables(v4: [Tables.localV4]).hasUsableRoute())
    }

    @Test func `without any route nothing leads out`() throws {
        #expect(try !Tables(v4: [], v6: []).hasUsableRoute())
        #expect(try !Tables(v4: []).hasUsableRoute())
    }

    @Test(arguments: [
        "eth0\t00000000\t0102A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0",
        "eth0\t00000000\t0102A8C0\t0201\t0\t0\t100\t00000000\t0\t0\t0",
        "*\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0",
        "lo\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0",
        "eth0\t00000000\t0102A8C0\tzz\t0\t0\t100\t00000000\t0\t0\t0", "eth0\t00000000", "",
    ])
    func `a default route that is down, rejects, or leads to loopback does not lead out`(_ line: String) throws {
        #expect(try !Tables(v4: [line]).hasUsableRoute())
        #expect(try !Tables(v4: [line]).hasUsableRoute(to: "tracker.example"))
    }

    @Test func `a default route of IPv6 is a way out`() throws {
        let route = Tables.v6("00450003", "eth0")
        #expect(try Tables(v4: [Tables.localV4], v6: [route], inet6: [Tables.inet6("00", "80")]).hasUsableRoute())
    }

    @Test func `an IPv6 route that is down, rejects, leads to loopback, or is not the default does not count`() throws {
        let lines = [
            Tables.v6("00450002", "eth0"), Tables.v6("00200200", "eth0"), Tables.v6("00200201", "eth0"),
            Tables.v6("00000001", "lo"), Tables.v6("00000001", "eth0", prefix: "40"), "", "00",
        ]
        #expect(try !Tables(v4: [], v6: lines, inet6: [Tables.inet6("00", "80")]).hasUsableRoute())
    }

    @Test(arguments: [
        ("20", "80", false), ("10", "80", false), ("00", "40", false), ("00", "c0", false), ("00", "88", false),
        ("00", "44", true), ("00", "00", true), ("00", "a0", true), ("zz", "80", false),
    ])
    func `an IPv6 address that is link-local, a duplicate, or not checked for duplicates yet does not count`(
        _ scope: String, _ flags: String, isUsable: Bool
    ) throws {
        let tables = try Tables(v4: [], v6: [Tables.v6("00450003", "eth0")], inet6: [Tables.inet6(scope, flags)])
        #expect(tables.hasUsableRoute() == isUsable)
    }

    @Test func `a default route through a link without carrier does not lead out, though it stays in the tables`()
        throws
    {
        var tables = try Tables(v4: [Tables.localV4, Tables.defaultV4])
        tables.links[1].isLive = false
        #expect(!tables.hasUsableRoute())
        #expect(!tables.hasUsableRoute(to: "tracker.example"))
    }

    @Test(arguments: [[], [[169, 254, 3, 4]], [[0, 0, 0, 0]]] as [[[UInt8]]])
    func `a default route without a global address does not lead out`(_ addresses: [[UInt8]]) throws {
        var tables = try Tables(v4: [Tables.defaultV4])
        tables.links[1].addresses = Set(addresses.map { NetworkAddress($0) })
        #expect(!tables.hasUsableRoute())
    }

    @Test func `an address on the loopback interface will do, as hosts have that speak BGP`() throws {
        var tables = try Tables(v4: [Tables.defaultV4])
        tables.links[1].addresses = []
        tables.links[0].addresses.insert(NetworkAddress([203, 0, 113, 9]))
        #expect(tables.hasUsableRoute())
    }

    @Test func `where the tables show no way out, the kernel's choice for reserved addresses decides`() throws {
        var tables = try Tables(v4: [Tables.localV4])
        tables.routes[LinuxConnectivity.reserved[0]] = .from(NetworkAddress([192, 168, 2, 7]))
        #expect(tables.hasUsableRoute())
        tables.links[1].isLive = false
        #expect(!tables.hasUsableRoute())
        tables.links[1].isLive = true
        tables.routes[LinuxConnectivity.reserved[0]] = .unknown
        #expect(!tables.hasUsableRoute())
    }

    @Test func `where the tables cannot be read nothing is known, and nothing is vetoed`() throws {
        let root = try TemporaryDirectory()
        #expect(LinuxConnectivity(root: root.path).hasUsableRoute())
        #expect(LinuxConnectivity(root: root.path).hasUsableRoute(to: "tracker.example"))
    }

    @Test func `where the links cannot be had, the tables alone decide`() throws {
        var tables = try Tables(v4: [Tables.localV4])
        tables.hasLinks = false
        #expect(!tables.hasUsableRoute())
        tables = try Tables(v4: [Tables.defaultV4])
        tables.hasLinks = false
        #expect(tables.hasUsableRoute())
        tables = try Tables(v4: [Tables.defaultV4.replacing("eth0", with: "lo")])
        tables.hasLinks = false
        #expect(!tables.hasUsableRoute())
    }

    @Test func `the kernel's own tables are read, although they are listed as empty`() throws {
        let table = try #require(RoutingTable(root: "/proc/self"))
        let route = try #require(fopen("/proc/self/net/route", "r"))
        defer { fclose(route) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, route)], as: UTF8.self)
        let defaults = text.split(separator: "\n").dropFirst().filter { line in
            let fields = line.split(separator: "\t")
            return fields.count > 7 && fields[1] == "00000000" && fields[7] == "00000000" && fields[3].hasSuffix("3")
        }
        #expect(table.routes.filter { $0.isIPv4 && $0.prefixLength == 0 }.count >= defaults.count)
    }
}

/// Tables as in `/proc/net`, the links of a machine with `lo` and `eth0`, and what its kernel would answer.
struct Tables {
    static let head = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"
    static let defaultV4 = "eth0\t00000000\t0102A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0"
    static let localV4 = "eth0\t0002A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0"
    static let zeros = String(repeating: "0", count: 32)

    static func v6(_ flags: String, _ interface: String, to address: String = zeros, prefix: String = "00") -> String {
        "\(address) \(prefix) \(zeros) 00 fe800000000000000000000000000001 00000400 00000001 00000000 \(flags)     \(interface)"
    }

    static func inet6(_ scope: String, _ flags: String) -> String {
        "20010db8000000000000000000000007 02 40 \(scope) \(flags)     eth0"
    }

    private let root: TemporaryDirectory
    var hasLinks = true
    var links = [
        NetworkLink(name: "lo", isLoopback: true, isLive: true, addresses: [NetworkAddress([127, 0, 0, 1])]),
        NetworkLink(name: "eth0", isLive: true, addresses: [NetworkAddress([192, 168, 2, 7])]),
    ]
    /// What the kernel answers; for all else, that there is no route.
    var routes: [NetworkAddress: KernelRoute] = [:]

    init(v4: [String]?, v6: [String]? = nil, inet6: [String]? = nil) throws {
        root = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: root.path(of: "net"), withIntermediateDirectories: true)
        let tables = [("net/route", v4.map { [Self.head] + $0 }), ("net/ipv6_route", v6), ("net/if_inet6", inet6)]
        for case (let name, let lines?) in tables {
            try (lines.joined(separator: "\n") + "\n").write(
                toFile: root.path(of: name), atomically: false, encoding: .utf8)
        }
    }

    private var connectivity: LinuxConnectivity {
        LinuxConnectivity(
            root: root.path, links: { [links, hasLinks] in hasLinks ? links : nil },
            route: { [routes] in routes[$0] ?? .none })
    }

    func hasUsableRoute() -> Bool { connectivity.hasUsableRoute() }
    func hasUsableRoute(to host: String) -> Bool { connectivity.hasUsableRoute(to: host) }
}
