// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// What a changed `deletes: { field }` does to records that are stored.
@Suite struct ChangedMarkTests {
    private static func mark(_ name: String, equals: String? = nil) -> Deletions {
        Deletions(mark: DeletionMark(JSONPath(member: name), equals: equals))
    }

    /// Thirty records that live, two of which have `gone`; synced without a mark.
    private static func bench() async throws -> EngineBench {
        let records = (1...30).map { #"{"id":\#($0),"state":"x","gone":\#($0 < 3)}"# }.joined(separator: ",")
        let bench = try await EngineBench(ScriptedOrigin(["/posts": .text("[\(records)]")]))
        #expect(try await bench.sync().result.counters.inserted == 30)
        _ = bench.origin.takeTargets()
        return bench
    }

    @Test(arguments: [SyncOptions(), SyncOptions(isFull: true), SyncOptions(limit: 1_000)])
    func `a mark that most stored records have does nothing until it is accepted`(_ options: SyncOptions) async throws {
        var bench = try await Self.bench()
        bench.resource.deletions = Self.mark("state", equals: "x")
        for _ in 0..<2 {
            let report = try await bench.sync(options)
            #expect(report.result.counters.deletionsBlocked == 30 && report.result.counters.deleted == 0)
            #expect(
                report.warnings == [
                    "'deletes' would delete 30 of 30 stored records, which have the mark ($.state = x). That is more than "
                        + "deletes.max (10 %), so nothing was requested or changed. To do it anyway: siding sync posts "
                        + "--accept-deletes"
                ])
        }
        #expect(bench.origin.takeTargets() == [])
        #expect(try await bench.keys().count == 30)
        var accepting = SyncOptions()
        accepting.acceptsDeletes = true
        let accepted = try await bench.sync(accepting)
        let run = try await bench.lastRun()
        #expect(accepted.result.counters.deleted == 30 && run.resources.first?.counters.deleted == 30)
        #expect(accepted.warnings.contains { $0.contains("'siding records undelete \(run.id)' restores them") })
        #expect(try await bench.keys() == [])
        let store = bench.store
        #expect(try await store.undelete(run.id) == ["posts": 30])
    }

    @Test func `a changed mark that few records have deletes them, and reports it once`() async throws {
        var bench = try await Self.bench()
        bench.resource.deletions = Self.mark("gone")
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 2)
        #expect(
            report.warnings.contains { $0.hasPrefix("'deletes' changed: 2 of 30 stored records") }, "\(report.warnings)"
        )
        #expect(try await bench.sync().warnings == [])
        // Another mark that nothing has is nobody's business.
        bench.resource.deletions = Self.mark("other")
        let other = try await bench.sync()
        #expect(
            other.result.counters.deletionsBlocked == 0 && !other.warnings.contains { $0.contains("'deletes' changed") }
        )
    }

    @Test func `records that get the same mark as before are deleted without a guard`() async throws {
        var bench = try await Self.bench()
        bench.resource.deletions = Self.mark("state", equals: "dead")
        _ = try await bench.sync()
        let records = (1...30).map { #"{"id":\#($0),"state":"dead"}"# }.joined(separator: ",")
        bench.origin.set("/posts", .text("[\(records)]"))
        #expect(try await bench.sync().result.counters.deleted == 30)
    }
}
