// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgreSQLTestSupport
import SidingOrigin
import SidingPostgreSQL
import TestSupport
import Testing

/// Eight stations publish while their processes are killed and the server crashes.
@Suite(.serialized, .timeLimit(.minutes(30)))
struct PublishStormTests {
    private static let stations = 8
    private static let rounds = Proof.choose(short: 3, middle: 10, long: 120)

    /// A publication, which SIGKILL ends after a while, if it still runs then.
    private func publish(_ station: PublishingStation, killedAfter moment: Duration) async throws {
        let ended = try await station.sandbox.siding(["publish"]) { publisher in
            try await Task.sleep(for: moment)
            publisher.send(SIGKILL)
        }
        // 75: the hub was down. 137: killed.
        #expect([0, 75, 137].contains(ended.status), "\(station.name): \(ended.everything)")
    }

    @Test func `publishers that are killed at any moment leave nothing lost and nothing doubled`() async throws {
        let server = try PostgreSQLServer()
        var generator = SeededGenerator(seed: Proof.seed ?? 36)
        var stations: [PublishingStation] = []
        for number in 0..<Self.stations {
            stations.append(try await PublishingStation("s\(number)", items: 20, to: server.settings().address))
        }
        for round in 1...Self.rounds {
            let crash = Duration.milliseconds(Int.random(in: 0...500, using: &generator))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, station) in stations.enumerated() {
                    var own = SeededGenerator(seed: generator.next())
                    group.addTask {
                        if round == 2 + index / 4 { try station.declare("title: text, price: decimal") }
                        try await station.change(round, &own)
                        try await publish(station, killedAfter: .milliseconds(Int.random(in: 0...300, using: &own)))
                    }
                }
                if round.isMultiple(of: 3) {
                    try await Task.sleep(for: crash)
                    try await server.crash()
                    try await server.start()
                }
                try await group.waitForAll()
            }
        }
        var count = 0
        for station in stations {
            let last = try await station.sandbox.siding("publish")
            #expect(last.status == 0, "\(station.name): \(last.everything)")
            count += try await station.expectInHub(server, columns: ["title", "price"])
            await station.service.origin.stop()
        }
        #expect(try await PublishingStation.count(in: server) == ["\(count)"])
    }

    /// Nothing tells a station that its packets are dropped: its connection waits until they pass again, or until a limit.
    @Test(.enabled(if: NetworkNamespace.canBeMade, "\(NetworkNamespace.condition)"))
    func `a network that drops packets in the middle of a publication loses nothing`() async throws {
        let gateway = try await Gateway()
        let (here, there) = (gateway.cable.here, gateway.cable.there)
        let ip = try #require(NetworkNamespace.program)
        let server = try PostgreSQLServer(at: "10.99.0.2", under: [ip, "netns", "exec", there.name])
        let address = "host=10.99.0.2 dbname=postgres user=siding sslmode=disable"
        let station = try await PublishingStation("van-1", items: 60, to: address)
        var generator = SeededGenerator(seed: Proof.seed ?? 41)
        // The long form also has outages that last longer than the server's limit of a minute.
        let outages = Proof.choose(
            short: [200, 1_000], middle: Array(repeating: 800, count: 6),
            long: Array(repeating: 1_500, count: 40) + [70_000])
        for (round, outage) in outages.enumerated() {
            try await station.change(round, &generator)
            let moment = Int.random(in: 0...150, using: &generator)
            let (end, peer, wire) =
                round.isMultiple(of: 2) ? (there, "10.99.0.1", "wire1") : (here, "10.99.0.2", "wire0")
            let ended = try await station.sandbox.run(
                ip, ["netns", "exec", here.name, SidingBinary.path(), "publish"], limit: .seconds(200)
            ) { _ in
                try await Task.sleep(for: .milliseconds(moment))
                try end.ip("route replace blackhole \(peer)/32")
                try await Task.sleep(for: .milliseconds(outage))
                try end.ip("route replace \(peer)/32 dev \(wire)")
            }
            #expect([0, 75].contains(ended.status), "round \(round): \(ended.everything)")
        }
        let last = try await station.sandbox.run(ip, ["netns", "exec", here.name, SidingBinary.path(), "publish"])
        #expect(last.status == 0, "\(last.everything)")
        let count = try await station.expectInHub(server, columns: ["title"])
        #expect(try await PublishingStation.count(in: server) == ["\(count)"])
        await station.service.origin.stop()
    }
}
