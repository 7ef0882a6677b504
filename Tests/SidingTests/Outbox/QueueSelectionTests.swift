// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import Siding

@Suite struct QueueSelectionTests {
    private func entry(
        _ state: QueueEntry.State = .queued, resource: String? = "posts", next: Int64 = 0
    ) -> QueueEntry {
        QueueEntry(
            id: "abcd0000000000000000000000", kind: .fetch, state: state, source: "blog", resource: resource,
            lane: "fetch:posts", method: "GET", url: "https://a.example/", createdAt: Timestamp(microseconds: 100),
            nextAttemptAt: Timestamp(microseconds: next))
    }

    @Test func `an empty selection means every entry that is not completed`() {
        for state in QueueEntry.State.allCases {
            #expect(QueueSelection().fits(entry(state)) == ![.done, .dropped].contains(state))
        }
    }

    @Test func `ids are prefixes, and mean completed entries too`() {
        #expect(QueueSelection(ids: ["zzzz", "ABCD"]).fits(entry(.done)))
    }

    @Test func `an entry without a resource is in no selection of resources`() {
        #expect(!QueueSelection(resources: ["posts"]).fits(entry(resource: nil)))
        #expect(QueueSelection(sources: ["blog"]).fits(entry(resource: nil)))
    }

    @Test func `due are queued entries alone, from their very moment on`() {
        let selection = QueueSelection().with(\.dueBy, Timestamp(microseconds: 50))
        #expect(selection.fits(entry(next: 50)))
        #expect(!selection.fits(entry(next: 51)))
        #expect(!selection.fits(entry(.parked, next: 50)))
    }

    @Test func `created before leaves out the moment itself`() {
        #expect(QueueSelection().with(\.createdBefore, Timestamp(microseconds: 101)).fits(entry()))
        #expect(!QueueSelection().with(\.createdBefore, Timestamp(microseconds: 100)).fits(entry()))
    }

    @Test func `reasons mean what is parked for them, and completed before leaves out what still waits`() {
        var held = entry(.parked)
        held.reason = .held
        #expect(QueueSelection(reasons: [.expired, .held]).fits(held))
        #expect(!QueueSelection(reasons: [.expired]).fits(held))
        #expect(!QueueSelection(reasons: [.held]).fits(entry()))
        var done = entry(.done)
        done.completedAt = Timestamp(microseconds: 200)
        let before = { QueueSelection(states: [.done, .parked]).with(\.completedBefore, Timestamp(microseconds: $0)) }
        #expect(before(201).fits(done) && !before(200).fits(done) && !before(201).fits(held))
    }

    @Test func `completed entries and entries being sent take no action, and the entry alone decides carefully`() {
        for action in QueueAction.allCases {
            for state in [QueueEntry.State.done, .dropped, .sending] {
                #expect(action.refusal(on: entry(state), isBeingSent: state == .sending) != nil, "\(action) \(state)")
            }
        }
        #expect(QueueAction.retry.refusal(on: entry(.sending), isBeingSent: false) == nil)
        #expect(QueueAction.drop.refusal(on: entry(), isBeingSent: false) == nil)
        #expect(QueueAction.release.refusal(on: entry(), isBeingSent: false) == "it is not parked")
        #expect(QueueAction.release.refusal(on: entry(.parked), isBeingSent: false) == nil)
    }
}
