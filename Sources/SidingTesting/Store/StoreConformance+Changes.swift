internal import Siding

extension StoreConformance {
    static let feedLaws: [Law] = [
        Law("what changed since a run ended is told, whoever changed it") { bench in
            let store = bench.store
            try await bench.commit(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#, bench.open())
            let run = try await bench.endRun()
            try await require(
                store.changes(of: "posts", since: run), is: RecordsSince(changes: [], run: run), "at its end")
            _ = try await bench.apply(#"[{"id":"d"}]"#)
            _ = try await store.delete(RecordLookup(of: "posts", keys: ["a"]))
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
        },
        Law("a record that went and came back is inserted, one that came and went is deleted") { bench in
            let store = bench.store
            try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.open())
            _ = try await store.delete(RecordLookup(of: "posts", keys: ["b"]))
            let run = try await bench.endRun()
            try await bench.nextSync()
            _ = try await store.delete(RecordLookup(of: "posts", keys: ["a"]))
            try await bench.commit(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#, bench.open())
            _ = try await store.delete(RecordLookup(of: "posts", keys: ["c"]))
            try await require(
                store.changes(of: "posts", since: run).changes,
                is: [
                    ChangedRecord(key: "a", kind: .inserted), ChangedRecord(key: "b", kind: .inserted),
                    ChangedRecord(key: "c", kind: .deleted),
                ], "the changes")
        },
        Law("since run 0, or one before the first record, all that lives is inserted, and what is gone told") { bench in
            let store = bench.store
            let first = try await bench.endRun()
            try await bench.nextSync()
            try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.open())
            _ = try await store.delete(RecordLookup(of: "posts", keys: ["b"]))
            let wanted = [ChangedRecord(key: "a", kind: .inserted), ChangedRecord(key: "b", kind: .deleted)]
            for run in [0, first] {
                try await require(
                    store.changes(of: "posts", since: run).changes, is: wanted, "since run \(run)")
            }
            try await require(store.changes(of: "nothing", since: first).changes, is: [], "of nothing")
        },
        Law("a run whose process died counts from its begin") { bench in
            try await bench.commit(#"[{"id":"a"}]"#, bench.open())
            let dead = bench.run
            try await bench.crash()
            try await require(
                bench.store.changes(of: "posts", since: dead).changes, is: [ChangedRecord(key: "a", kind: .inserted)],
                "the changes")
        },
        Law("a run that has not ended, and one that never was, are refused") { bench in
            let (store, run) = (bench.store, bench.run)
            try await bench.refuses(.invalidQuery, "the running one") {
                _ = try await store.changes(of: "posts", since: run)
            }
            try await bench.refuses(.notFound, "the missing one") {
                _ = try await store.changes(of: "posts", since: run + 7)
            }
        },
    ]
}

extension ConformanceBench {
    /// Ends the bench's run.
    fileprivate func endRun() async throws -> RunID {
        try await store.endRun(run, outcome: .saved)
        return run
    }
}
