// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

/// A program that embeds Siding, over a real link: the origin listens in one network namespace, the program runs in another, and
/// a cable leads from one to the other.
@Suite(.serialized, .enabled(if: NetworkNamespace.canBeMade, "\(NetworkNamespace.condition)"), .timeLimit(.minutes(5)))
struct EmbeddedLineTests {
    /// How a link returns.
    enum Return: CaseIterable {
        case once
        /// For a moment first.
        case twice

        /// TCP repeats a lost SYN after a second. A machine that does other things as well may take longer; without a wake
        /// the next look comes after ten seconds, and the next probe after thirty.
        var longest: Duration { Proof.length != .long ? .seconds(5) : self == .once ? .seconds(1) : .seconds(2) }
    }

    /// A cable with addresses of loopback, the only ones to which the example speaks plain http.
    private func cable() async throws -> Cable {
        let cable = try await Cable()
        for (end, wire, address) in [
            (cable.here, "wire0", "127.9.0.1/24"), (cable.there, "wire1", "127.9.0.2/24"),
        ] {
            try await end.enter {
                let path = "/proc/sys/net/ipv4/conf/\(wire)/route_localnet"
                try "1".write(toFile: path, atomically: false, encoding: .utf8)
            }
            try end.ip(batch: ["addr add \(address) dev \(wire)", "link set \(wire) up"])
        }
        return cable
    }

    @Test(arguments: Return.allCases)
    func `a service uses its link within a second of its return`(kind: Return) async throws {
        let cable = try await cable()
        let socket = try await cable.there.enter { try ListeningSocket(at: "127.9.0.2") }
        let origin = try await Origin.start(on: socket) { _ in .json(#"[{"id":1,"title":"one"}]"#) }
        try cable.here.ip("link set wire0 down")
        let program = ExampleProgram(name: "EmbeddingExample")
        let outcome = try await program.run(origin.url.origin, in: TemporaryDirectory(), inside: cable.here) { child in
            try await child.handles(SIGTERM)
            while child.watchesNetwork == false { await Task.yield() }
            if kind == .twice { try cable.here.ip(batch: ["link set wire0 up", "link set wire0 down"]) }
            let returned = ContinuousClock.now
            try cable.here.ip("link set wire0 up")
            await origin.received(1)
            let wait = ContinuousClock.now - returned
            print("\(kind): used after \(wait)")
            #expect(wait < kind.longest)
            child.send(SIGTERM)
        }
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.output.hasPrefix("kept for later: no internet connection"), "\(outcome.output)")
        await origin.stop()
    }
}

extension Child {
    /// Whether it is told of changes of links: it has a routing socket in a group (netlink(7)); nil if it is over.
    fileprivate var watchesNetwork: Bool? {
        let path = "/proc/\(processID)/net/netlink"
        guard let table = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        return table.split(separator: "\n").dropFirst().contains { line in
            let fields = line.split(separator: " ")
            return fields.count > 3 && fields[1] == "0" && UInt32(fields[3], radix: 16) ?? 0 > 0
        }
    }
}
