// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What arrived of a page before its answer broke off.
@Suite struct PartialAnswerTests {
    private static let broken = ScriptedAnswer.reply(
        HTTPResponse(status: .ok, headerFields: [.eTag: "\"1\"", .acceptRanges: "bytes"]),
        chunks: [Array(repeating: UInt8(ascii: " "), count: 8_000)], ending: Failure(.truncated, phase: .answered))

    /// The lengths of the parts in the file.
    private static func parts(_ bench: EngineBench) async throws -> [Int] {
        try await bench.store.read { snapshot in
            try snapshot.query(
                "SELECT length(answer) FROM siding_outbox_requests WHERE answer IS NOT NULL OR answer_etag IS NOT NULL"
            ) { Int($0.int(0)) }
        }
    }

    @Test func `it stays in the file until the page is saved`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", Self.broken, ScriptedOrigin.page("[3]"))
        _ = try await bench.sync()
        #expect(try await Self.parts(bench) == [8_000])
        _ = try await bench.sync()
        #expect(try await Self.parts(bench) == [])
    }

    @Test func `it leaves the file with the drop of its entry, not only with the purge`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", Self.broken)
        _ = try await bench.sync()
        #expect(try await Self.parts(bench) == [8_000])
        #expect(try await bench.store.perform(.drop, on: QueueSelection()).map(\.refusal) == [nil])
        #expect(try await Self.parts(bench) == [])
        #expect(try await bench.store.count(QueueSelection(states: [.dropped])) == 1)
    }
}
