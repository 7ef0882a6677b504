// SPDX-License-Identifier: Apache-2.0
import SidingChain
import Testing

@testable import Siding

@Suite struct QueueExplanationTests {
    private let now = Timestamp(microseconds: 1_000_000_000_000_000)

    private func entry(_ state: QueueEntry.State, _ reason: ParkReason? = nil, page: Int = 7, attempts: Int = 1)
        -> QueueEntry
    {
        QueueEntry(
            id: "0123456789abcdefghjkmnpqrs", kind: .fetch, state: state, reason: reason, source: "blog",
            resource: "posts", lane: "fetch:posts", method: "GET", url: "https://example.com/posts?page=7",
            pageNumber: page, attempts: attempts, createdAt: now + .seconds(-60), nextAttemptAt: now + .seconds(30),
            lastError: RecordedError(name: "timeout", message: "timeout while connecting"))
    }

    @Test func `a queued page has its page, its error, and the time of its next try`() {
        let explanation = QueueExplanation(entry(.queued), gate: nil, keep: KeepRules(), now: now)
        #expect(
            explanation.why == "page 7 of 'posts' could not be fetched: timeout while connecting. 1 failed try so far.")
        #expect(explanation.next.contains("'siding sync posts' tries it at once"))
        #expect(explanation.next.contains("in 30 s"))
        #expect(explanation.next.contains("continues at page 7; the pages before it are saved"))
    }

    @Test func `a gate that is closed for longer than the entry waits decides`() {
        let gate = SourceGate(source: "blog", reason: .retryAfter, until: now + .seconds(600), note: "503")
        #expect(QueueExplanation(entry(.queued), gate: gate, keep: KeepRules(), now: now).next.contains("in 10 min"))
    }

    @Test(arguments: [EntryKind.fetch, .write])
    func `an entry that waits for a limit is not promised a retry that passes it`(_ kind: EntryKind) {
        var entry = entry(.queued, attempts: 0)
        entry.kind = kind
        #expect(QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now).next.contains("at once"))
        entry.lastError = RecordedError(name: "waitingForOrigin", message: "the limit '**' (2/h) is used up")
        let explanation = QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now).next
        #expect(explanation.contains("earlier if the source's rate limits allow it"))
        #expect(explanation.contains("in 30 s"))
        #expect(!explanation.contains("at once"))
    }

    @Test(arguments: [nil, "tmp-0123456789abcdefghjkmnpqrs"])
    func `a write without the real id of a record reports that, and the way to set it`(_ temporary: String?) {
        var entry = entry(.parked, .dependency)
        (entry.kind, entry.url) = (.write, "https://example.com/users/\(temporary ?? "42")")
        let explanation = QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now)
        if let temporary {
            #expect(explanation.why.hasPrefix("it names \(temporary), which has no real id"))
            #expect(explanation.next.contains("'siding queue edit 01234567 --url URL'"), "\(explanation.next)")
        } else {
            #expect(explanation.why.hasPrefix("an entry that it depends on was dropped."))
            #expect(explanation.next.contains("'siding queue release 01234567'"))
        }
    }

    @Test func `a first page does not speak of pages before it`() {
        #expect(
            !QueueExplanation(entry(.queued, page: 1), gate: nil, keep: KeepRules(), now: now).next.contains(
                "before it"))
    }

    @Test(arguments: ParkReason.allCases)
    func `every reason for parking has a message and a remedy`(reason: ParkReason) {
        let explanation = QueueExplanation(entry(.parked, reason), gate: nil, keep: KeepRules(), now: now)
        #expect(explanation.why.contains("could not be fetched"))
        #expect(explanation.next.contains("siding"))
    }

    @Test(arguments: [ParkReason.held, .expired, .poison, .signIn])
    func `a possible arrival of a write is mentioned for every parking reason`(reason: ParkReason) {
        var entry = entry(.parked, reason)
        entry.kind = .write
        #expect(!QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now).why.contains("may have reached"))
        entry.unknownSince = now
        #expect(
            QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now).why.contains(
                "It may have reached the origin."))
    }

    @Test(arguments: [(String?.none, "queue retry"), ("a", "--mine")])
    func `a conflict of an edit is resolved, and another write is sent again`(key: String?, way: String) {
        var entry = entry(.parked, .conflict)
        (entry.kind, entry.recordKey) = (.write, key)
        let explanation = QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now).next
        #expect(explanation.contains(way) && explanation.contains("queue retry") == (key == nil), "\(explanation)")
    }

    @Test(arguments: [ParkReason.uncertain, .keyExpired])
    func `a create that may have arrived is completed with the id that the record has there`(reason: ParkReason) {
        var entry = entry(.parked, reason)
        for (key, isCreate) in [(nil, false), ("7", false), ("tmp-0123456789abcdefghjkmnpqrs", true)]
            as [(String?, Bool)]
        {
            (entry.kind, entry.recordKey) = (.write, key)
            let next = QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now).next
            #expect(next.contains("'siding queue resolve 01234567 --arrived"), "\(next)")
            #expect(next.contains("--real-id ID") == isCreate, "\(next)")
        }
    }

    @Test(arguments: [ParkReason.rejected, .keyExpired, .conflict, .invalid])
    func `an entry that an operator only queues again is not described as sent`(reason: ParkReason) {
        var entry = entry(.parked, reason)
        (entry.kind, entry.recordKey) = (.write, reason == .conflict ? "7" : nil)
        let next = QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now).next
        #expect(next.contains("queues"), "\(next)")
        #expect(!next.contains("corrects and sends") && !next.contains("edit 01234567' sends"), "\(next)")
    }

    @Test func `a write without the ETag names its possible sources`() {
        var entry = entry(.parked, .conflict)
        (entry.kind, entry.recordKey) = (.write, "7")
        entry.lastError = RecordedError(name: "http", message: "428", status: 428)
        let explanation = QueueExplanation(entry, gate: nil, keep: KeepRules(), now: now)
        #expect(explanation.why.hasPrefix("the origin requires the record's ETag (If-Match), and none was known."))
        #expect(explanation.next.contains("fetched after the refusal") && !explanation.next.contains("siding sync"))
        #expect(explanation.next.contains("'siding queue edit 01234567 -H"))
    }

    @Test func `a dropped entry does not name an operator, as others drop, too`() {
        #expect(
            QueueExplanation(entry(.dropped), gate: nil, keep: KeepRules(), now: now).why.contains(
                "its history says by whom"))
    }

    @Test(arguments: [QueueEntry.State.done, .dropped])
    func `a completed entry is described as final, with the time that its store keeps it`(state: QueueEntry.State) {
        for kind in [EntryKind.fetch, .write] {
            var entry = entry(state)
            entry.kind = kind
            let next = QueueExplanation(entry, gate: nil, keep: KeepRules(done: .seconds(7 * 86_400)), now: now).next
            #expect(next.hasPrefix("nothing") && next.hasSuffix("kept for 7d."), "\(next)")
        }
    }
}
