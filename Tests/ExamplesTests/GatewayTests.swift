// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingKit
import SidingOrigin
import SidingTesting
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct GatewayTests {
    private let program = ExampleProgram(name: "GatewayExample")
    private let directory: TemporaryDirectory
    private static let map = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A tracker with two issues of a milestone, whose answers are in an envelope.
    private static func answer(_ request: OriginRequest) -> OriginResponse {
        switch (request.method, request.target) {
        case ("GET", "/milestones/M%201/issues"):
            .json(#"{"data":[{"id":1,"title":"Broken gate"},{"id":2,"title":"Lamp"}]}"#)
        case ("POST", "/issues"): .json(#"{"data":{"id":7,"title":"Gate 4 does not close"}}"#, status: .created)
        case ("GET", "/map.pbf"): OriginResponse(status: .ok, body: map)
        default: .notFound
        }
    }

    private func run(_ origin: Origin) async throws -> ExampleProgram.Outcome {
        try await program.run(origin.url.origin, "tracker.db", in: directory)
    }

    @Test func `fetches and saves through the envelope, creates, and downloads with progress`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        let outcome = try await run(origin)
        #expect(outcome.status == 0, "\(outcome.output + outcome.error)")
        let progress = outcome.lines.filter { $0.hasSuffix(" %") }.compactMap { Int($0.dropLast(2)) }
        #expect(progress.last == 100)
        #expect(zip(progress, progress.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(
            outcome.lines.filter { !$0.hasSuffix(" %") }
                == ["1: Broken gate", "2: Lamp", "created: done", "map: 1000000 bytes"])
        #expect(try Array(Data(contentsOf: URL(filePath: directory.path(of: "map.pbf")))) == Self.map)
        let created = try #require(origin.requests.first { $0.method == "POST" })
        #expect(created.body == Array(#"{"title":"Gate 4 does not close"}"#.utf8))
        await origin.stop()
    }

    @Test func `a created issue has the id that the envelope gives`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        #expect(try await run(origin).status == 0)
        let second = try await run(origin)
        #expect(second.lines.prefix(3) == ["1: Broken gate", "2: Lamp", "7: Gate 4 does not close"])
        await origin.stop()
    }

    @Test func `without a network it shows what is saved, and keeps the new issue`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        #expect(try await run(origin).status == 0)
        await origin.stop()
        let offline = try await run(origin)
        #expect(offline.status == 0, "\(offline.error)")
        #expect(offline.lines.prefix(3) == ["1: Broken gate", "2: Lamp", "7: Gate 4 does not close"])
        #expect(offline.lines.dropFirst(3).first == "created: queued")
        #expect(try #require(offline.lines.last).hasPrefix("failed: can't connect to host"))
    }

    @Test func `what waits without a network is sent once there is one`() async throws {
        let origin = try await Origin.start { Self.answer($0) }
        #expect(try await run(origin).status == 0)
        await origin.stop()
        #expect(try await run(origin).lines.contains("created: queued"))
        let port = try #require(origin.url.authority.split(separator: ":").last.flatMap { Int($0) })
        let again = try await Origin.start(port: port) { Self.answer($0) }
        #expect(try await run(again).lines.contains("created: done"))
        #expect(again.requests.count { $0.method == "POST" } == 2)
        await again.stop()
    }

    @Test func `a refusal is shown in the origin's own words, on one line`() async throws {
        let origin = try await Origin.start { _ in
            .json(#"{"code":"gone_fishing","message":"back soon"}"#, status: .forbidden)
        }
        let outcome = try await run(origin)
        #expect(outcome.status == 0, "\(outcome.error)")
        #expect(outcome.lines == ["refused: back soon"])
        await origin.stop()
    }
}
