// SPDX-License-Identifier: Apache-2.0
// Fetch, then save, as steps in a row: what one step ends in, good or bad, is what the next one gets.
//
// The line asks for the report of a day. Where there is none (404) the second step recovers: it goes on with the newest
// report. Every other failure passes all steps by and comes out at the end. What was fetched meets what is stored by a
// strategy, and is then asked for in the copy.
//
//     swift run RailwayExample http://127.0.0.1:8080 tides.db 2026-01-15

import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingHTTP
import SidingModels
import SidingNodes

struct Report: Codable, Sendable {
    let id: String
}

struct Reading: Codable, Sendable {
    let id: Int
    let station: String
    var level: Double
    /// The highest level that was ever seen: the origin forgets it, this program does not.
    var peak: Double
    /// Grows with each change at the origin.
    let revision: Int
}

struct Tides: Sendable {
    let siding: Siding
    let readings: Resource<Reading>
    private let requests: URLChainBuilder

    init(_ base: String, path: String) async throws {
        let source = try Source(baseURL: base)
        let transports = HTTPTransports()
        readings = try Resource<Reading>("readings", from: source, at: "/readings", key: \.id)
        siding = try await Siding(store: .sqlite(path: path), resources: [readings], transports: transports)
        requests = try URLChainBuilder(
            baseURL: base, transport: transports.transport(for: source.name, source.transport))
    }

    /// What became of each reading of a day's report.
    func update(from day: String) async -> Try<[RowOutcome<Reading>]> {
        let report = RequestStep(
            RequestGenerator<String, String>.onSuccess { day in day },
            chain("/reports/{name}", to: Report.self))
        let readings = RequestStep(
            RequestGenerator<Report, String>.onSuccess { report in report.id }
                .recovering(where: Self.isMissing) { _ in "newest" },
            chain("/reports/{name}/readings", to: [Reading].self))
        let save = RequestStep(
            UpsertRecordsStep(to: self.readings, in: siding, onConflict: .merge(with: Self.merged)))
        return await Railway(report).then(readings).then(save).outcome(of: day)
    }

    /// The highest three of the stations that are above `level`, from the copy: no request is made.
    func highest(above level: Double) async throws -> [Reading] {
        try await siding.records(of: readings).where(\.level > level).sorted(by: \.level, .descending).limit(3).array()
    }

    /// A chain whose route is made of what comes along the line.
    private func chain<Output: Decodable & Sendable>(
        _ template: String, to output: Output.Type
    ) -> Chain<String, Output> {
        requests.route(.get, template).build(.path { ["name": $0] }, .json)
    }

    /// 404 alone: a 500 does not say that there is no report.
    private static func isMissing(_ failure: Failure) -> Bool {
        if case .http(let answer) = failure.reason { answer.status == 404 } else { false }
    }

    /// The newer of both, with the higher peak of both.
    private static func merged(_ stored: Reading, _ incoming: Reading) -> Reading {
        var newer = incoming.revision < stored.revision ? stored : incoming
        newer.peak = max(stored.peak, incoming.peak)
        return newer
    }
}

@main
struct RailwayExample {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            let tides = try await Tides(
                arguments.first ?? "http://127.0.0.1:8080", path: arguments.count > 1 ? arguments[1] : "tides.db")
            let day = arguments.count > 2 ? arguments[2] : "2026-01-15"
            switch await tides.update(from: day) {
            case .success(let outcomes): for outcome in outcomes { print(word(for: outcome)) }
            case .failure(let failure): print("not updated: \(failure)")
            }
            // What is stored is there in any case.
            for reading in try await tides.highest(above: 2) {
                print("\(reading.station): \(reading.level), peak \(reading.peak)")
            }
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func word(for outcome: RowOutcome<Reading>) -> String {
        switch outcome {
        case .inserted: "inserted"
        case .updated: "updated"
        case .unchanged: "unchanged"
        case .skipped(let reason): "skipped as \(reason)"
        case .conflict(let stored): "in conflict with revision \(stored.revision)"
        case .invalid(let why): "invalid: \(why)"
        }
    }
}
