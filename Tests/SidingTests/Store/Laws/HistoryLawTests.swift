// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

@Suite struct HistoryLawTests {
    @Test func `versions are listed newest first, without gaps between their spans, and only where something changed`()
        async throws
    {
        let bench = try await StoreBench()
        let store = bench.store
        let schema = RecordSchema(history: HistoryRetention())
        for body in [#"[{"id":"a","v":1}]"#, #"[{"id":"a","v":1}]"#, #"[{"id":"a","v":2}]"#] {
            bench.time.advance(by: .seconds(1))
            try await bench.commit(body, bench.open(schema: schema))
        }
        let history = try await require(store.history(of: "posts", key: "a", limit: nil), "the history")
        let versions = history.versions
        try require(versions.map(\.change), is: [.updated, .inserted], "the changes")
        try require(
            versions.map { String(decoding: $0.body, as: UTF8.self) },
            is: [#"{"id":"a","v":2}"#, #"{"id":"a","v":1}"#], "the bodies")
        try require(versions[0].from, is: bench.time.now, "when the present version began")
        try require(versions.map(\.to), is: [nil, versions[0].from], "the ends")
        try require(versions[0].differences?.map(\.path.description), is: ["$.v"], "the differences")
        try await require(store.history(of: "posts", key: "b", limit: nil) == nil, "a history was made up")
    }

    @Test func `a record's provenance is the request that last changed it`() async throws {
        let bench = try await StoreBench()
        let store = bench.store
        try await bench.commit(#"[{"id":"a"},{"id":"b"}]"#, bench.open(), etag: "1")
        let before = bench.time.now
        bench.time.advance(by: .seconds(1))
        try await bench.commit(#"[{"id":"a"},{"id":"b","v":1}]"#, bench.open(), etag: "2")
        let left = try await require(store.provenance(of: "posts", key: "a"), "the provenance of a")
        try require(left.request?.at, is: before, "when a came")
        let changed = try await require(store.provenance(of: "posts", key: "b"), "the provenance of b")
        try require(changed.request?.at, is: bench.time.now, "when b came")
        try require(changed.request?.etag, is: "2", "b's validator")
        try require(changed.request?.page, is: 1, "b's page")
        try require(changed.run?.id, is: bench.run, "b's run")
    }

}
