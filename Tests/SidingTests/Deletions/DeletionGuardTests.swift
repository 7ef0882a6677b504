// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingTesting
import Testing

@testable import Siding

/// Deletions that the mass-deletion guard blocks.
@Suite struct DeletionGuardTests {
    @Test func `too many missing records are blocked until an operator accepts, also where every page answers 304`()
        async throws
    {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": page(1...30)]))
        var changed = bench
        changed.resource.deletions = Deletions(byAbsence: true)
        for _ in 0..<2 { _ = try await changed.sync() }
        bench.origin.set("/posts", page(1...12))
        #expect(try await changed.sync().result.counters.deletionsBlocked == 0)
        let report = try await changed.sync()
        #expect(report.result.counters.deletionsBlocked == 18)
        #expect(report.result.counters.deleted == 0)
        #expect(report.warnings.contains { $0.contains("18 records") && $0.contains("13, 14, 15, 16, 17, …") })
        #expect(try await changed.lastRun().resources.first?.counters.deletionsBlocked == 18)
        bench.origin.set("/posts", .status(.notModified))
        #expect(try await changed.sync().result.counters.deletionsBlocked == 18)
        var options = SyncOptions()
        options.acceptsDeletes = true
        let accepted = try await changed.sync(options)
        #expect(accepted.result.counters.deleted == 18)
        #expect(accepted.result.outcome == .saved)
        #expect(try await changed.sync().result.outcome == .notModified)
        #expect(try await bench.keys().count == 12)
        let run = try await bench.store.runs(limit: 2)[1].id
        #expect(try await bench.store.undelete(run) == ["posts": 18])
        #expect(try await bench.store.undelete(run) == [:])
        #expect(try await bench.keys().count == 30)
        // A person's word stands.
        for _ in 0..<2 { #expect(try await changed.sync().result.counters.deletionsBlocked == 0) }
        #expect(try await bench.keys().count == 30)
    }

    private func page(_ ids: ClosedRange<Int>) -> ScriptedAnswer {
        ScriptedOrigin.page("[\(ids.map(String.init).joined(separator: ","))]", etag: "\"\(ids.upperBound)\"")
    }

    @Test func `an origin that shows no records deletes nothing, however few there were`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]")]))
        var changed = bench
        changed.resource.deletions = Deletions(byAbsence: true, most: 1)
        for _ in 0..<2 { _ = try await changed.sync() }
        bench.origin.set("/posts", ScriptedOrigin.page("[]"))
        for blocked in [0, 1] { #expect(try await changed.sync().result.counters.deletionsBlocked == blocked) }
        #expect(try await bench.keys() == ["1"])
    }
}
