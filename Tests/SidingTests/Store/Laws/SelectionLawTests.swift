// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct SelectionLawTests {
    @Test func `an entry is found by any unique prefix of four or more characters, in either case`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        for prefix in [entry.id, String(entry.id.prefix(4)), entry.shortID, entry.id.prefix(6).uppercased()] {
            try await require(bench.entry(prefix).id, is: entry.id, "what '\(prefix)' leads to")
        }
    }

    @Test func `a prefix that is too short, or leads nowhere, is not found`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        let store = bench.store
        for prefix in [String(entry.id.prefix(3)), "", "ilou", entry.id + "0", "%%%%", "____"] {
            try await bench.refuses(.notFound, "'\(prefix)'") {
                _ = try await store.entries(QueueSelection(ids: [prefix]))
            }
        }
    }

    @Test func `the message about a short prefix names the length that is needed`() async throws {
        let bench = try await StoreBench()
        let error = await #expect(throws: StoreError.self) {
            try await bench.store.entries(QueueSelection(ids: ["abc"]))
        }
        #expect(error?.message == "no entry has an id that begins with 'abc': give at least 4 characters")
    }

    @Test func `a completed entry is found by its id, and left out where none is named`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        _ = try await bench.perform(.drop, entry)
        try await require(bench.store.entries(QueueSelection()), is: [], "the unsettled")
        try await require(bench.store.entries(QueueSelection(states: [.dropped])).count, is: 1, "the dropped")
        try await require(bench.entry(entry.id).state, is: .dropped, "the state")
    }

    @Test func `entries are listed oldest first, each once`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let first = try await bench.retain()
        bench.time.advance(by: .seconds(1))
        let lease = try await bench.add("comments")
        let second = try await bench.retain(resource: "comments", lease: lease)
        try await require(bench.store.entries(QueueSelection()).map(\.id), is: [first.id, second.id], "the queue")
        let twice = QueueSelection(ids: [first.id, first.shortID])
        try await require(bench.store.entries(twice).map(\.id), is: [first.id], "an entry named twice")
    }

    @Test func `conditions of a selection hold at once`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let first = try await bench.retain(wait: .seconds(10))
        bench.time.advance(by: .seconds(5))
        let lease = try await bench.add("comments")
        let second = try await bench.retain(parks: .rejected, resource: "comments", lease: lease)
        let soon = bench.time.now + .seconds(10)
        let cases: [(QueueSelection, [QueueEntry])] = [
            (QueueSelection(resources: ["comments"]), [second]),
            (QueueSelection(resources: ["posts", "comments"]), [first, second]),
            (QueueSelection(sources: ["blog"]), [first, second]),
            (QueueSelection(sources: ["other"]), []),
            (QueueSelection(lanes: [first.lane]), [first]),
            (QueueSelection(states: [.parked]), [second]),
            (QueueSelection(states: [.queued, .parked]), [first, second]),
            (QueueSelection().with(\.createdBefore, second.createdAt), [first]),
            (QueueSelection().with(\.dueBy, bench.time.now), []),
            (QueueSelection().with(\.dueBy, soon), [first]),
            (QueueSelection(resources: ["comments"], states: [.queued]), []),
            (QueueSelection(ids: [first.id], resources: ["comments"]), []),
        ]
        for (selection, wanted) in cases {
            try await require(bench.store.entries(selection), is: wanted, "\(selection)")
        }
    }

    @Test func `a missing entry has no history`() async throws {
        let bench = try await StoreBench()
        try await require(bench.store.history(of: "zzzzzzzz"), is: [], "the history")
    }
}
