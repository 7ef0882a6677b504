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

    @Test func `an empty selection means every entry that is not settled`() {
        for state in QueueEntry.State.allCases {
            #expect(QueueSelection().includes(entry(state)) == ![.done, .dropped].contains(state))
        }
    }

    @Test func `ids are prefixes, and mean settled entries too`() {
        #expect(QueueSelection(ids: ["zzzz", "ABCD"]).includes(entry(.done)))
        #expect(!QueueSelection(ids: ["abce"]).includes(entry()))
    }

    @Test func `an entry without a resource is in no selection of resources`() {
        #expect(!QueueSelection(resources: ["posts"]).includes(entry(resource: nil)))
        #expect(QueueSelection(sources: ["blog"]).includes(entry(resource: nil)))
    }

    @Test func `due are queued entries alone, from their very moment on`() {
        let selection = QueueSelection(dueBy: Timestamp(microseconds: 50))
        #expect(selection.includes(entry(next: 50)))
        #expect(!selection.includes(entry(next: 51)))
        #expect(!selection.includes(entry(.parked, next: 50)))
    }

    @Test func `created before leaves out the moment itself`() {
        #expect(QueueSelection(createdBefore: Timestamp(microseconds: 101)).includes(entry()))
        #expect(!QueueSelection(createdBefore: Timestamp(microseconds: 100)).includes(entry()))
    }

    @Test func `no action is for what is settled or being sent, and a look at the entry alone is careful`() {
        for action in QueueAction.allCases {
            for state in [QueueEntry.State.done, .dropped, .sending] {
                #expect(action.refusal(on: entry(state)) != nil, "\(action) \(state)")
            }
        }
        #expect(QueueAction.retry.refusal(on: entry(.sending), isBeingSent: false) == nil)
        #expect(QueueAction.drop.refusal(on: entry()) == nil)
        #expect(QueueAction.release.refusal(on: entry()) == "it is not parked")
        #expect(QueueAction.release.refusal(on: entry(.parked)) == nil)
    }
}
