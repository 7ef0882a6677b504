// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingJSON
import SidingOrigin
import TestSupport
import Testing

@testable import Siding
@testable import SidingHub

/// Eight stations publish while their connections break at commits and the server crashes: in the end the hub has what their
/// files have, row by row.
@Suite(.serialized, .timeLimit(.minutes(30))) struct HubStormTests {
    private static let rounds = Proof.choose(short: 8, middle: 40, long: 600)
    private static let stations = 8

    /// What happens to a publication.
    private enum Fate: CaseIterable {
        case none, smallBatches, beforeServer, within, afterServer

        var moment: CommitProxy.Break? {
            switch self {
            case .none, .smallBatches: nil
            case .beforeServer: .beforeServer
            case .within: .within
            case .afterServer: .afterServer
            }
        }
    }

    private struct Station: Sendable {
        var bench: HubBench
        /// By their keys.
        var records: [Int: Int] = [:]
        /// How many columns were declared since the beginning.
        var additions = 0

        var columns: [RecordColumn] {
            HubBench.columns + (0..<additions).map { RecordColumn("added_\($0)", [.text, .integer, .decimal][$0]) }
        }

        private var json: String {
            let objects = records.sorted { $0.key < $1.key }.map { key, round in
                #"{"id":\#(key),"title":"t\#(round) \"{},\\ ü","price":\#(round).50,"body":[\#(round)],"#
                    + #""added_0":"{\#(round)}","added_1":\#(round),"added_2":\#(round).125}"#
            }
            return "[\(objects.joined(separator: ","))]"
        }

        /// Changes, deletes and brings back records, syncs, and publishes.
        mutating func turn(_ round: Int, additions wanted: Int, _ generator: inout SeededGenerator) async throws {
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                records[Int.random(in: 1...40, using: &generator)] = round
            }
            for _ in 0..<Int.random(in: 0...4, using: &generator) where records.count > 4 {
                records.removeValue(forKey: Int.random(in: 1...40, using: &generator))
            }
            if additions < wanted {
                additions += 1
                try await bench.declare(columns)
            }
            try await bench.sync(json)
            let fate = Fate.allCases.randomElement(using: &generator) ?? .none
            try await publish(fate, isBack: Bool.random(using: &generator))
        }

        /// - Parameter isBack: whether the server can be reached again at once.
        private func publish(_ fate: Fate, isBack: Bool) async throws {
            var bench = bench
            var proxy: CommitProxy?
            if let moment = fate.moment {
                let breaking = try CommitProxy(to: bench.server.directory, breaks: moment, isPatient: isBack)
                bench.target.address = bench.target.address.replacing(
                    bench.server.directory, with: breaking.directory)
                proxy = breaking
            }
            let error: HubError?
            do throws(HubError) {
                error = try await bench.publish { if fate != .none { $0.most.rows = 3 } }.error
            } catch let thrown {
                error = thrown
            }
            // Whatever broke, the station may continue.
            let what = "\(bench.target.station), \(fate): \(error?.message ?? "")"
            #expect(error == nil || error?.kind == .unavailable, "\(what)")
            withExtendedLifetime(proxy) {}
        }

        /// - Returns: the number of its rows.
        func expectInHub() async throws -> Int {
            let report = try await bench.publish()
            #expect(report.error == nil, "\(bench.target.station): \(report)")
            let rows = StationRows(resource: "issues", columns: columns.map(\.name))
            let inFile = try await rows.inFile(bench.store)
            #expect(inFile.count >= records.count)
            let station = bench.target.station
            let inHub = try await rows.inHub(bench.server, schema: bench.target.schema, station: station)
            #expect(inHub == inFile, "\(station)")
            return inFile.count
        }
    }

    @Test(arguments: [false, true])
    func `the hub is the union of the stations, whatever broke`(isPartitioned: Bool) async throws {
        let server = try PostgreSQLServer()
        let seed = Proof.seed ?? 58
        var generator = SeededGenerator(seed: seed)
        let first = try await HubBench("s0", on: server)
        if isPartitioned {
            try await first.sync("[]")
            try await first.partition()
        }
        var stations = [Station(bench: first)]
        for number in 1..<Self.stations {
            stations.append(Station(bench: try await HubBench("s\(number)", beside: first)))
        }
        for round in 1...Self.rounds {
            let moment = Int.random(in: 0...200, using: &generator)
            stations = try await withThrowingTaskGroup(of: (Int, Station).self) { group in
                for (index, station) in stations.enumerated() {
                    var own = SeededGenerator(seed: generator.next())
                    group.addTask {
                        var station = station
                        // The first station declares each column first.
                        try await station.turn(round, additions: min(3, (round - index / 2) / 2), &own)
                        return (index, station)
                    }
                }
                if round.isMultiple(of: 4) {
                    try await Task.sleep(for: .milliseconds(moment))
                    try await server.crash()
                    try await server.start()
                }
                var all = stations
                for try await (index, station) in group { all[index] = station }
                return all
            }
        }
        var count = 0
        for station in stations { count += try await station.expectInHub() }
        #expect(try await first.query("SELECT count(*) FROM @.issues") == ["\(count)"])
        let parts = try await first.query("SELECT count(*) FROM pg_inherits WHERE inhparent = '@.issues'::regclass")
        #expect(parts == [isPartitioned ? "4" : "0"])
    }
}
