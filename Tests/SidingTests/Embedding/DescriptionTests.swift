// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import Siding

/// What `print` shows of the values that a program gets.
@Suite struct DescriptionTests {
    private static let moment = Timestamp(microseconds: 1_700_000_000_000_000)

    private static func entry(
        _ state: QueueEntry.State, _ reason: ParkReason? = nil, url: String = "https://example.com/orders"
    ) -> QueueEntry {
        QueueEntry(
            id: "0123456789abcdefghjkmnpqrs", kind: .write, state: state, reason: reason, source: "blog",
            lane: "orders", method: "POST", url: url, createdAt: moment, nextAttemptAt: moment)
    }

    private static func counters(_ pages: Int, inserted: Int = 0) -> RunCounters {
        var counters = RunCounters()
        (counters.pages, counters.notModified, counters.inserted) = (pages, pages, inserted)
        return counters
    }

    @Test func `counters show those that are not 0`() {
        #expect("\(Self.counters(2, inserted: 5))" == "pages 2, not modified 2, inserted 5")
        #expect("\(RunCounters())" == "nothing")
    }

    @Test func `an entry shows its state, its method and its URL, and no secret`() {
        #expect("\(Self.entry(.queued))" == "queued POST https://example.com/orders")
        let secret = Self.entry(.parked, .rejected, url: "https://example.com/orders?a=1&api_key=s3cret")
        #expect("\(secret)" == "parked (rejected) POST https://example.com/orders?a=1&api_key=…")
        #expect("\(Self.entry(.done, url: "nonsense?token=s3cret"))" == "done POST nonsense")
    }

    @Test func `an outcome is one line`() {
        let error = SyncError(
            SyncReport("posts").failed(Failure(.noInternetConnection, phase: .notSent)))
        #expect("\(SyncOutcome.saved(Self.counters(1)))" == "saved: pages 1, not modified 1")
        #expect("\(SyncOutcome.queued(error))" == "queued: posts: no internet connection")
        #expect("\(SyncOutcome.notModified), \(SyncOutcome.skipped)" == "not modified, skipped")
    }

    @Test func `a holder and a stored error are one line`() {
        let holder = LeaseHolder(processID: 12, host: "depot", command: "sync posts", since: Self.moment)
        #expect("\(holder)" == "process 12 on depot (sync posts) since 2023-11-14T22:13:20.000Z")
        #expect("\(RecordedError(name: "timeout", message: "timeout while connecting"))" == "timeout while connecting")
    }

    @Test func `an event is one line`() {
        let events: [(Siding.Event, String)] = [
            (.runBegan(3, resources: ["posts", "users"]), "run 3 began: posts, users"),
            (.pageSaved(resource: "posts", page: 2, Self.counters(2)), "posts: page 2 saved (pages 2, not modified 2)"),
            (.entryChanged(Self.entry(.sending)), "queue: sending POST https://example.com/orders"),
            (.recordsChanged(resource: "posts"), "posts: records changed"),
            (.runEnded(3, .notModified), "run 3 ended: not modified"), (.missed(500), "500 events missed"),
        ]
        for (event, text) in events { #expect("\(event)" == text) }
    }
}
