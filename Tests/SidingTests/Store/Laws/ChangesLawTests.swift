// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding

@Suite struct ChangesLawTests {
    @Test func `changes since the end of a run are reported, regardless of their author`() async throws {
        var bench = try await StoreBench()
        let store = bench.store
        try await bench.commit(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#, bench.open())
        let run = try await bench.endRun()
        try await require(
            store.changes(of: "posts", since: run), is: RecordsSince(changes: [], run: run), "at its end")
        _ = try await bench.apply(#"[{"id":"d"}]"#)
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        try await bench.nextSync()
        try await bench.commit(#"[{"id":"b","x":1},{"id":"c"}]"#, bench.open())
        let wanted = [
            ChangedRecord(key: "a", kind: .deleted), ChangedRecord(key: "b", kind: .updated),
            ChangedRecord(key: "d", kind: .inserted),
        ]
        try await require(
            store.changes(of: "posts", since: run), is: RecordsSince(changes: wanted, run: run), "while one runs")
        let second = try await bench.endRun()
        try await require(
            store.changes(of: "posts", since: run), is: RecordsSince(changes: wanted, run: second), "after it")
        try await require(store.changes(of: "posts", since: second).changes, is: [], "since the second")
    }

    @Test func `a record that left and came back is inserted, one that came and left is deleted`() async throws {
        var bench = try await StoreBench()
        let store = bench.store
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.open())
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["b"]))
        let run = try await bench.endRun()
        try await bench.nextSync()
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["a"]))
        try await bench.commit(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#, bench.open())
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["c"]))
        try await require(
            store.changes(of: "posts", since: run).changes,
            is: [
                ChangedRecord(key: "a", kind: .inserted), ChangedRecord(key: "b", kind: .inserted),
                ChangedRecord(key: "c", kind: .deleted),
            ], "the changes")
    }

    @Test func `since run 0, or one before the first record, all live records are inserted, and tombstones deleted`()
        async throws
    {
        var bench = try await StoreBench()
        let store = bench.store
        let first = try await bench.endRun()
        try await bench.nextSync()
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.open())
        _ = try await store.delete(RecordLookup(resource: "posts", keys: ["b"]))
        let wanted = [ChangedRecord(key: "a", kind: .inserted), ChangedRecord(key: "b", kind: .deleted)]
        for run in [0, first] {
            try await require(
                store.changes(of: "posts", since: run).changes, is: wanted, "since run \(run)")
        }
        try await require(store.changes(of: "nothing", since: first).changes, is: [], "of nothing")
    }

    @Test func `a run whose process died counts from its begin`() async throws {
        var bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        let dead = bench.run
        try await bench.crash()
        try await require(
            bench.store.changes(of: "posts", since: dead).changes, is: [ChangedRecord(key: "a", kind: .inserted)],
            "the changes")
    }

    @Test func `a run that has not ended, and one that never was, are refused`() async throws {
        let bench = try await StoreBench()
        let (store, run) = (bench.store, bench.run)
        try await bench.refuses(.invalidQuery, "the running one") {
            _ = try await store.changes(of: "posts", since: run)
        }
        try await bench.refuses(.notFound, "the missing one") {
            _ = try await store.changes(of: "posts", since: run + 7)
        }
    }
}

extension StoreBench {
    /// Ends the bench's run.
    fileprivate func endRun() async throws -> RunID {
        try await store.endRun(run, outcome: .saved)
        return run
    }
}
