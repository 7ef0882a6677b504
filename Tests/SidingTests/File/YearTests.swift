// SPDX-License-Identifier: Apache-2.0
import SidingChain
import HTTPTypes
import SidingSQLite
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// A gateway's year: what is stored has a bound where the origin's size has one.
@Suite struct YearTests {
    private static let day = Duration.seconds(86_400)
    private let bench: EngineBench
    private let sender: WriteSender

    init() async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/notes": .status(.created)]))
        bench.resource.deletions = Deletions(byAbsence: true)
        bench.resource.schema.history = HistoryRetention(keep: Self.day * 30)
        bench.resource.schema.contract = RecordContract(typeChange: .quarantine)
        self.bench = bench
        sender = WriteSender(
            store: bench.store, sources: [bench.resource.source], transports: bench.origin,
            environment: RuntimeEnvironment(
                connectivity: bench.connectivity, jitter: .none, clock: bench.clock, wallClock: bench.time.clock))
    }

    /// Sixty records: with each turn the oldest is gone and a new one comes, a third has another body, and one is of the wrong
    /// type.
    private func page(_ turn: Int) -> ScriptedAnswer {
        let filler = String(repeating: "x", count: 7_800)
        let records = (turn..<turn + 60).map { id in
            #"{"id":\#(id),"v":\#((turn + id) / 3),"text":"\#(filler)"}"#
        }
        return .text(
            "[\(records.joined(separator: ",")),{\"id\":900000,\"v\":\"none\"}]",
            headerFields: [.contentType: "application/json"])
    }

    /// One turn: a sync, which fails now and then, and an own write.
    private func turn(_ number: Int) async throws {
        let isOffline = number % 5 == 4
        bench.origin.set(
            "/posts", isOffline ? .failure(Failure(.noInternetConnection, phase: .notSent)) : page(number))
        let report = try await bench.sync()
        #expect(report.result.outcome == (isOffline ? .queued : .saved), "turn \(number): \(report.result)")
        _ = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .post, HTTPURL("https://api.example.org/notes"),
                body: Array(String(repeating: "y", count: 4_000).utf8), idempotency: Idempotency()))
        _ = try await sender.drain()
    }

    private func count(_ table: String) async throws -> Int {
        try await bench.store.read { try $0.count("SELECT COUNT(*) FROM \(identifier: table)") }
    }

    @Test func `between the third month and the twelfth the file grows by a tenth at most`() async throws {
        let pause = Self.day * Proof.choose(short: 2, middle: 1, long: 0.25)
        var (passed, number) = (Duration.zero, 0)
        var afterThreeMonths: Int?
        while passed < Self.day * 365 {
            try await turn(number)
            bench.time.advance(by: pause)
            passed += pause
            number += 1
            if afterThreeMonths == nil, passed >= Self.day * 92 {
                afterThreeMonths = try await bench.store.space().pages
            }
        }
        let pages = try await bench.store.space().pages
        let parts = try await bench.store.sizes()?.sizes ?? []
        let before = try #require(afterThreeMonths)
        #expect(pages * 10 <= before * 11, "\(before) pages, then \(pages): \(parts)")
        let perDay = Self.day / pause
        #expect(try await count("siding_outbox") <= Int(40 * perDay) + 4)
        #expect(try await count("siding_records_posts") <= 70 + Int(96 * perDay))
        #expect(try await count("siding_quarantine") == 1)
        #expect(try await count("siding_runs") <= max(1_000, Int(31 * perDay)))
        #expect(try await bench.store.check() == [])
    }
}
