// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct QueueLawTests {
    @Test func `a retained fetch has its request, its reason, and its next time`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain(wait: .seconds(30))
        let page = try StoreBench.page(2)
        try require(entry.kind, is: .fetch, "the kind")
        try require(entry.state, is: .queued, "the state")
        try require(entry.id.count, is: 26, "the length of the id")
        try require(entry.resource, is: "posts", "the resource")
        try require(entry.source, is: "blog", "the source")
        try require(entry.method, is: "GET", "the method")
        try require(entry.url, is: page.url.description, "the URL")
        try require(entry.pageNumber, is: 2, "the page's number")
        try require(entry.lastError?.name, is: "timeout", "the error")
        try require(entry.attempts, is: 1, "attempts")
        try require(entry.createdAt, is: bench.time.now, "createdAt")
        try require(entry.nextAttemptAt, is: bench.time.now + .seconds(30), "nextAttemptAt")
        try await require(bench.store.entries(QueueSelection()), is: [entry], "the queue")
    }

    @Test func `a fetch is unique per resource: a newer one takes the place of the older`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let first = try await bench.retain(2)
        let second = try await bench.retain(3)
        try require(second.id, is: first.id, "the id")
        try require(second.pageNumber, is: 3, "the page")
        let lease = try await bench.add("comments")
        let other = try await bench.retain(resource: "comments", lease: lease)
        try require(other.id != first.id, "another resource's fetch took the place of this one")
        try await require(bench.store.entries(QueueSelection()).count, is: 2, "the queue")
    }

    @Test func `tries of the same page add up where they count, and begin again with another page`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        try await require(bench.retain(2, counted: false).attempts, is: 0, "after one that does not count")
        try await require(bench.retain(2).attempts, is: 1, "after one that counts")
        try await require(bench.retain(2).attempts, is: 2, "after two that count")
        try await require(bench.retain(2, counted: false).attempts, is: 2, "after another that does not")
        let third = try await bench.retain(3)
        try require(third.attempts, is: 1, "with another page")
        try require(third.nextAttemptAt, is: bench.time.now + .seconds(60), "the wait after one try")
    }

    @Test func `the next listing continues at the retained fetch and claims it`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        let position = try await bench.open()
        try require(position.entry?.id, is: entry.id, "the entry")
        try require(position.entry?.state, is: .sending, "its state")
        try require(position.page, is: StoreBench.page(2), "the page")
        try require(position.isResumed, "it does not count as resumed")
        try await require(bench.entry(entry.id).state, is: .sending, "its stored state")
    }

    @Test func `the page that a retained fetch waited for completes it, in the same commit`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        try await bench.commit("[]", bench.open())
        let completed = try await bench.entry(entry.id)
        try require(completed.state, is: .done, "the state")
        try require(completed.completedAt, is: bench.time.now, "completedAt")
        try await require(bench.store.entries(QueueSelection()), is: [], "the queue")
        let events = try await bench.store.history(of: entry.id).map(\.event.rawValue)
        try require(events, is: ["retained", "claimed", "answered"], "the history, oldest first")
    }

    @Test func `a commit that fails leaves the retained fetch claimed`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        var position = try await bench.open()
        position.listing += 1
        let (late, wrong) = (bench, position)
        try await bench.refuses(.leaseLost, "the commit") { try await late.commit("[]", wrong) }
        try await require(bench.entry(entry.id).state, is: .sending, "its state")
    }

    @Test func `after a completed fetch a new failure is a new entry`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        let position = try await bench.open()
        try await bench.commit("[]", position, next: .page(StoreBench.page(3)))
        let next = try await bench.retain(3)
        try require(next.id != entry.id, "it is the completed one")
        try require(next.attempts, is: 1, "attempts")
    }

    @Test func `a fetch may be retained parked, and the next listing claims it all the same`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain(parks: .rejected)
        try require(entry.state, is: .parked, "the state")
        try require(entry.reason, is: .rejected, "the reason")
        try await require(bench.open().entry?.id, is: entry.id, "the entry in hand")
    }

    @Test func `a sender that dies is counted, and the third death parks the fetch as poison`() async throws {
        var bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        try await require(bench.open().entry?.crashes, is: 0, "crashes at the first try")
        for crashes in 1...2 {
            try await bench.crash()
            try await require(bench.open().entry?.crashes, is: crashes, "crashes")
        }
        try await bench.crash()
        let position = try await bench.open()
        try require(position.entry == nil, "it was taken in hand again")
        try require(position.blockedBy?.id, is: entry.id, "what blocks the listing")
        try require(position.blockedBy?.reason, is: .poison, "the reason")
        try require(position.page, is: StoreBench.page(2), "where the listing stays")
    }

    @Test func `a retained fetch is queued again without its crashes`() async throws {
        var bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        try await bench.retain()
        _ = try await bench.open()
        try await bench.crash()
        _ = try await bench.open()
        try await require(bench.retain().crashes, is: 0, "crashes")
    }

    @Test func `a held fetch blocks its listing until it is released`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        let held = try await bench.perform(.hold, entry)
        try require(held.refusal == nil && held.entry.reason == .held, "it was not held")
        let blocked = try await bench.open()
        try require(blocked.blockedBy?.id, is: entry.id, "what blocks the listing")
        try require(blocked.entry == nil, "it was taken in hand")
        let released = try await bench.perform(.release, entry)
        try require(released.refusal == nil && released.entry.state == .queued, "it was not released")
        try await require(bench.open().entry?.id, is: entry.id, "the entry in hand")
    }

    @Test func `a retry makes an entry due now and begins the count of tries again`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        try await bench.retain()
        let entry = try await bench.retain()
        bench.time.advance(by: .seconds(1))
        let change = try await bench.perform(.retry, entry)
        try require(change.refusal, is: nil, "the refusal")
        let stored = try await bench.entry(entry.id)
        try require(stored, is: change.entry, "the entry as it is stored")
        try require(stored.attempts, is: 0, "attempts")
        try require(stored.nextAttemptAt, is: bench.time.now, "nextAttemptAt")
    }

    @Test func `a dropped fetch takes its listing's checkpoint along`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        let change = try await bench.perform(.drop, entry)
        try require(change.entry.state, is: .dropped, "the state")
        try await require(bench.entry(entry.id).state, is: .dropped, "the stored state")
        try await require(bench.store.resourceStates().first?.checkpoint, is: nil, "the checkpoint")
        let position = try await bench.open()
        try require(position.page, is: StoreBench.page(1), "the page")
        try require(position.entry == nil && !position.isResumed, "it counts as resumed")
    }

    @Test func `a completed entry takes no action`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        _ = try await bench.perform(.drop, entry)
        let before = try await bench.entry(entry.id)
        for action in QueueAction.allCases {
            try await require(bench.perform(action, entry).refusal != nil, "\(action) was carried out")
        }
        try await require(bench.entry(entry.id), is: before, "the entry")
    }

    @Test func `an entry that is being sent right now takes no action`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        _ = try await bench.open()
        for action in QueueAction.allCases {
            try await require(bench.perform(action, entry).refusal != nil, "\(action) was carried out")
        }
        try await require(bench.entry(entry.id).state, is: .sending, "the state")
    }

    @Test func `an entry that a dead process claimed can be dropped`() async throws {
        var bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        _ = try await bench.open()
        try await bench.crash()
        try await require(bench.perform(.drop, entry).refusal, is: nil, "the refusal")
    }

    @Test func `a held entry cannot be held again, and an entry that is not parked cannot be released`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        try await require(bench.perform(.release, entry).refusal != nil, "it was released")
        _ = try await bench.perform(.hold, entry)
        try await require(bench.perform(.hold, entry).refusal != nil, "it was held again")
    }

    @Test func `an action on several entries is carried out on each`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        try await bench.retain()
        let lease = try await bench.add("comments")
        try await bench.retain(resource: "comments", lease: lease)
        let changes = try await bench.store.perform(.hold, on: QueueSelection())
        try require(changes.map(\.entry.state), is: [.parked, .parked], "the states")
        try await require(bench.store.entries(QueueSelection(states: [.parked])).count, is: 2, "the parked")
    }

    @Test func `an action on an entry that is not there is refused, and changes none`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        let store = bench.store
        try await bench.refuses(.notFound, "the action") {
            _ = try await store.perform(.drop, on: QueueSelection(ids: [entry.id, "zzzzzzzz"]))
        }
        try await require(bench.entry(entry.id).state, is: .queued, "the other entry's state")
    }

    @Test func `an operator's actions are in the entry's history`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        for action in [QueueAction.hold, .release, .retry, .drop] { _ = try await bench.perform(action, entry) }
        let events = try await bench.store.history(of: entry.id).map(\.event.rawValue)
        try require(events, is: ["retained", "held", "released", "retried", "dropped"], "the history")
    }
}
