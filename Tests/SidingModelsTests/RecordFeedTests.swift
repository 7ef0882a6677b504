// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Siding
@testable import SidingModels
@testable import SidingTesting

@Suite struct RecordFeedTests {
    @Test func `a program that polls gets the changes since its last poll`() async throws {
        let bench = try await TypedBench()
        let siding = bench.siding
        try await bench.sync(#"[{"id":1,"title":"a","comments":0},{"id":2,"title":"b","comments":0}]"#)
        let all = try await siding.changes(of: bench.issues, since: 0)
        let run = try #require(all.run)
        #expect(all.count == 2)
        for try await difference in all { #expect(difference.inserted.map(\.title) == ["a", "b"]) }

        try await bench.sync(
            #"[{"id":1,"title":"a2","comments":0},{"id":2,"title":"b","comments":0},{"id":3,"title":"c","comments":0}]"#
        )
        _ = try await bench.store.delete(RecordLookup(resource: "issues", keys: ["2"]))
        let feed = try await siding.changes(of: bench.issues, since: run)
        var told: [String] = []
        for try await difference in feed {
            told += difference.inserted.map { "+\($0.title)" } + difference.updated.map { "*\($0.title)" }
            told += difference.deleted.map { "-\($0)" }
        }
        #expect(told == ["+c", "*a2", "-2"])
        #expect(feed.run == run + 1)
        let next = try await siding.changes(of: bench.issues, since: run + 1)
        #expect(next.count == 1)
        await #expect(throws: RecordError.self) { _ = try await siding.changes(of: bench.issues, since: 77) }
    }

    @Test func `many changes come in portions, and records deleted meanwhile are deleted in them`() async throws {
        let bench = try await TypedBench()
        let records = (1...1_200).map { #"{"id":\#($0),"title":"t","comments":0}"# }
        try await bench.sync("[\(records.joined(separator: ","))]")
        let feed = try await bench.siding.changes(of: bench.issues, since: 0)
        _ = try await bench.store.delete(RecordLookup(resource: "issues", keys: ["999"]))
        var portions: [Int] = []
        var deleted: [String] = []
        for try await difference in feed {
            portions.append(difference.inserted.count + difference.deleted.count)
            deleted += difference.deleted
        }
        #expect(portions == [500, 500, 200])
        #expect(deleted == ["999"])
    }
}
