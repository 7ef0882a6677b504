// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct RailwayTests {
    private let program = ExampleProgram(name: "RailwayExample")
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static func reading(_ id: Int, _ level: Double, revision: Int = 1) -> String {
        #"{"id":\#(id),"station":"station \#(id)","level":\#(level),"peak":\#(level),"revision":\#(revision)}"#
    }

    /// An origin with these answers; everything else is 404.
    private static func origin(_ answers: [String: String]) async throws -> Origin {
        try await Origin.start { request in answers[request.path].map { .json($0) } ?? .notFound }
    }

    private func run(_ origin: Origin, day: String = "2026-01-15") async throws -> ExampleProgram.Outcome {
        try await program.run(origin.url.origin, "tides.db", day, in: directory)
    }

    private static let readings =
        "[\(reading(1, 1.5)),\(reading(2, 2.5)),\(reading(3, 4)),\(reading(4, 3)),\(reading(5, 3.5))]"
    private static let stored = [
        "station 3: 4.0, peak 4.0", "station 5: 3.5, peak 3.5", "station 4: 3.0, peak 3.0",
    ]

    @Test func `the report of the day is fetched, saved, and asked for`() async throws {
        let origin = try await Self.origin([
            "/reports/2026-01-15": #"{"id":"r-9"}"#, "/reports/r-9/readings": Self.readings,
        ])
        let outcome = try await run(origin)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines == Array(repeating: "inserted", count: 5) + Self.stored)
        #expect(origin.requests.map(\.target) == ["/reports/2026-01-15", "/reports/r-9/readings"])
        await origin.stop()
    }

    @Test func `where the day has no report, the newest one is taken`() async throws {
        let origin = try await Self.origin(["/reports/newest/readings": Self.readings])
        let outcome = try await run(origin)
        #expect(outcome.lines == Array(repeating: "inserted", count: 5) + Self.stored)
        #expect(origin.requests.map(\.target) == ["/reports/2026-01-15", "/reports/newest/readings"])
        await origin.stop()
    }

    @Test func `any other failure passes the steps by, and what is stored stays there`() async throws {
        let origin = try await Self.origin(["/reports/newest/readings": Self.readings])
        #expect(try await run(origin).status == 0)
        origin.forgetRequests()
        origin.inject(.status(500), at: OriginPattern(path: "/reports/2026-01-15"))
        let outcome = try await run(origin)
        #expect(outcome.status == 0)
        #expect(try #require(outcome.lines.first).hasPrefix("not updated: the origin answered 500"))
        #expect(outcome.lines.dropFirst() == Self.stored[...])
        #expect(origin.requests.map(\.target) == ["/reports/2026-01-15"])
        await origin.stop()
    }

    @Test func `a changed reading is merged with the stored one, and an older one changes nothing but the peak`()
        async throws
    {
        let first = try await Self.origin(["/reports/newest/readings": Self.readings])
        #expect(try await run(first).status == 0)
        await first.stop()
        let changed = [
            Self.reading(1, 1.5), Self.reading(3, 3.75, revision: 2), Self.reading(5, 9, revision: 0),
            Self.reading(6, 1),
        ]
        let second = try await Self.origin(["/reports/newest/readings": "[\(changed.joined(separator: ","))]"])
        let outcome = try await run(second)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(
            outcome.lines == [
                "unchanged", "updated", "updated", "inserted", "station 3: 3.75, peak 4.0",
                "station 5: 3.5, peak 9.0", "station 4: 3.0, peak 3.0",
            ])
        await second.stop()
    }
}
