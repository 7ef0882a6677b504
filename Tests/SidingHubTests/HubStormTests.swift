// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingOrigin
import TestSupport
import Testing

@testable import Siding
@testable import SidingHub

/// Stations publish while their connections break at commits: in the end the hub has what they have, row by row.
@Suite(.timeLimit(.minutes(10))) struct HubStormTests {
    private static let rounds = Proof.choose(short: 20, middle: 60, long: 2_000)

    private struct Station {
        var bench: HubBench
        var records: [Int: Int] = [:]

        var json: String {
            let objects = records.sorted { $0.key < $1.key }.map {
                #"{"id":\#($0.key),"title":"t\#($0.value)","price":1}"#
            }
            return "[\(objects.joined(separator: ","))]"
        }

        var expected: [String] {
            records.map { "\(bench.target.station) \($0.key) t\($0.value) 1" }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `the hub has all that the stations have, whatever broke`(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let first = try await HubBench("s0")
        var stations = [Station(bench: first)]
        for number in 1..<4 { stations.append(Station(bench: try await HubBench("s\(number)", beside: first))) }
        for round in 1...Self.rounds {
            let number = Int.random(in: 0..<4, using: &generator)
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                stations[number].records[Int.random(in: 1...30, using: &generator)] = round
            }
            if stations[number].records.count > 12 {
                for _ in 0..<4 {
                    stations[number].records.removeValue(forKey: Int.random(in: 1...30, using: &generator))
                }
            }
            try await stations[number].bench.sync(stations[number].json)
            try await publish(stations[number].bench, Int.random(in: 0..<4, using: &generator))
        }
        for station in stations {
            let report = try await station.bench.publish()
            #expect(report.error == nil, "seed \(seed): \(report)")
        }
        #expect(try await Set(first.living()) == Set(stations.flatMap(\.expected)), "seed \(seed)")
    }

    private func publish(_ bench: HubBench, _ way: Int) async throws {
        var bench = bench
        guard let moment: CommitProxy.Break = way == 0 ? .beforeServer : way == 1 ? .afterServer : nil else {
            let report = try await bench.publish()
            #expect(report.error == nil, "\(report)")
            return
        }
        let proxy = try CommitProxy(to: bench.server.directory, breaks: moment)
        bench.target.address = bench.target.address.replacing(bench.server.directory, with: proxy.directory)
        _ = try? await bench.publish { $0.most.rows = 3 }
    }
}
