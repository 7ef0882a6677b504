// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// How long a page waits in the queue.
@Suite struct PageExpiryTests {
    /// A bench whose second page was lost, and its entry.
    private func lost() async throws -> (bench: EngineBench, entry: String) {
        var bench = try await EngineBench()
        bench.resource.source.expiry = .seconds(3_600)
        bench.origin.set("/posts?page=2", .status(.badGateway))
        return (bench, try #require(try await bench.sync().result.entry))
    }

    /// The state of the entry after a run of another resource, which parks what has expired.
    private func state(_ entry: String, _ bench: EngineBench) async throws -> QueueEntry.State {
        let run = try await bench.store.beginRun(command: "sync others")
        try await bench.store.endRun(run, outcome: .saved)
        return try await bench.entry(entry).state
    }

    @Test func `a page that was tried in vain waits as long as a page after its first failure`() async throws {
        let (bench, entry) = try await lost()
        bench.time.advance(by: .seconds(3_000))
        #expect(try await bench.sync().result.outcome == .queued)
        bench.time.advance(by: .seconds(3_000))
        #expect(try await state(entry, bench) == .queued)
        bench.time.advance(by: .seconds(600))
        #expect(try await state(entry, bench) == .parked)
    }

    @Test func `a page that has expired is tried by the next sync, and waits again`() async throws {
        let (bench, entry) = try await lost()
        bench.time.advance(by: .seconds(3_600))
        #expect(try await state(entry, bench) == .parked)
        #expect(try await bench.sync().result.outcome == .queued)
        #expect(try await state(entry, bench) == .queued)
        bench.time.advance(by: .seconds(3_600))
        #expect(try await state(entry, bench) == .parked)
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3,4]", next: "/posts?page=3"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys().count == 5)
    }

    @Test func `a page that only waited is not tried, and keeps its time`() async throws {
        let (bench, entry) = try await lost()
        let gate = bench.time.now + .seconds(3_600)
        try await bench.store.record(.retryAfter(until: gate, note: "429"), of: "blog")
        bench.time.advance(by: .seconds(3_000))
        #expect(try await bench.sync().closedGate != nil)
        bench.time.advance(by: .seconds(600))
        #expect(try await state(entry, bench) == .parked)
    }

    @Test func `a sync that only waits writes nothing into the history of its page`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/posts?page=2", .status(.serviceUnavailable))
        let entry = try #require(try await bench.sync().result.entry)
        let history = try await bench.store.history(of: entry)
        _ = bench.origin.takeTargets()
        for _ in 1...15 {
            let report = try await bench.sync()
            #expect(report.result.outcome == .queued && report.result.entry == entry)
            #expect(report.result.notes == [])
            bench.time.advance(by: .seconds(1))
        }
        #expect(bench.origin.takeTargets() == [])
        #expect(try await bench.store.history(of: entry) == history)
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().result.notes.first == "resumed at page 2")
    }
}
