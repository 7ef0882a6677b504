// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding

@Suite struct RecordsLawTests {
    @Test func `records come in the byte order of their keys, from behind a key, up to a limit`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(
            #"[{"id":"b"},{"id":"Z"},{"id":"a"},{"id":"ä"},{"id":"10"},{"id":"9"}]"#, bench.open())
        let all = try await bench.store.records(of: "posts", after: nil, limit: 99, deleted: false)
        try require(all.map(\.key), is: ["10", "9", "Z", "a", "b", "ä"], "all keys")
        let some = try await bench.store.records(of: "posts", after: "9", limit: 2, deleted: false)
        try require(some.map(\.key), is: ["Z", "a"], "two keys from behind 9")
        let between = try await bench.store.records(of: "posts", after: "aa", limit: 9, deleted: false)
        try require(between.map(\.key), is: ["b", "ä"], "keys from behind one that is not there")
    }

    @Test func `a live record is not among the deleted`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        try await require(
            bench.store.records(of: "posts", after: nil, limit: 9, deleted: true), is: [], "the deleted")
        try await require(
            bench.store.count(of: "posts"), is: RecordCount(resource: "posts", count: 1, deleted: 0), "the count")
    }

    @Test func `keys that look alike but differ in their bytes are different keys`() async throws {
        let bench = try await StoreBench()
        let counters = try await bench.commit(
            "[{\"id\":\"caf\u{e9}\"},{\"id\":\"cafe\u{301}\"}]", bench.open())
        try require(counters.inserted, is: 2, "inserted")
        let record = try await bench.record("cafe\u{301}")
        try require(record.body.count, is: #"{"id":"cafe12"}"#.utf8.count, "the bytes of the body")
    }

    @Test func `an integer key is its own digits, in any number`() async throws {
        let bench = try await StoreBench()
        try await bench.commit("[{\"id\":123456789012345678901234567890}]", bench.open())
        _ = try await bench.record("123456789012345678901234567890")
    }

    @Test func `a key that is not there leads to no record`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        try await require(bench.store.record(of: "posts", key: "b") == nil, "a record was made up")
    }

    @Test func `records of a resource that was never opened are not found`() async throws {
        let bench = try await StoreBench()
        let store = bench.store
        try await bench.refuses(.notFound, "the records") {
            _ = try await store.records(of: "nothing", after: nil, limit: 1, deleted: false)
        }
        try await bench.refuses(.notFound, "the record") { _ = try await store.record(of: "nothing", key: "a") }
        try await bench.refuses(.notFound, "the count") { _ = try await store.count(of: "nothing") }
    }

    @Test func `resources keep their records apart`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        _ = try await bench.add("comments")
        try await require(bench.store.record(of: "comments", key: "a") == nil, "the record shows elsewhere")
        try await require(bench.store.count(of: "comments").count, is: 0, "the other's records")
    }

    @Test func `states are listed by name, with records, checkpoint and the time of completion`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        _ = try await bench.add("comments")
        let first = try StoreBench.page(1)
        let definition = try StoreBench.definition()
        let wanted = [
            ResourceState(
                resource: "comments", source: "blog", definition: definition, records: 0, completedAt: nil,
                checkpoint: first, progressedAt: bench.time.now),
            ResourceState(
                resource: "posts", source: "blog", definition: definition, records: 1, completedAt: bench.time.now,
                checkpoint: nil),
        ]
        try await require(bench.store.resourceStates(), is: wanted, "the states")
    }
}
