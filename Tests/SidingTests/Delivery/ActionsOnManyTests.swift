// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing
import TestSupport

@testable import Siding
@testable import SidingTesting

/// What an operator action does to many entries at once is what it does to one after the other.
@Suite struct ActionsOnManyTests {
    private static let decisions: [OperatorAction] = [
        .act(.hold), .act(.release), .act(.retry), .act(.drop),
        .replace(WriteChange(headerFields: [.accept: "text/plain"])),
        .replace(WriteChange(body: Array(#"{"title":"edited"}"#.utf8), releases: false)), .purge,
    ]

    @Test(arguments: 0..<Proof.choose(short: 2, middle: 5, long: 100), decisions)
    func `an action on many entries has the effect of the same action on each`(
        seed: Int, decision: OperatorAction
    ) async throws {
        let (together, apart) = (try await Self.bench(seed), try await Self.bench(seed))
        #expect(try await Self.rows(together) == Self.rows(apart))
        var numbers = SeededGenerator(seed: UInt64(seed) + 99)
        var selection = QueueSelection(states: QueueEntry.State.allCases)
        let meant = try await together.store.entries(selection).map { _ in numbers.next() % 3 != 0 }
        selection.ids = try await Self.meant(meant, together).map(\.id)
        let changes = try await together.store.carryOut(decision, on: selection)
        var refusals: [String?] = []
        let apartOnes = try await Self.meant(meant, apart)
        for entry in decision == .act(.drop) ? apartOnes.reversed() : apartOnes {
            refusals += try await apart.store.carryOut(decision, on: QueueSelection(ids: [entry.id])).map(\.refusal)
        }
        if decision == .act(.drop) { refusals.reverse() }
        #expect(changes.map { Self.plain($0.refusal) } == refusals.map(Self.plain))
        #expect(try await Self.rows(together) == Self.rows(apart))
        try await together.expectSound()
        for change in changes where change.refusal == nil && decision != .purge {
            #expect(try await together.entry(change.entry.id).state == change.entry.state)
        }
    }

    /// Writes, edits, creates and what waits for them, in all states.
    private static func bench(_ seed: Int) async throws -> EditBench {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"1"},{"id":"b","title":"1"}]"#)
        var numbers = SeededGenerator(seed: UInt64(seed))
        var made: [QueueEntry] = []
        for number in 0..<14 {
            let after = made.isEmpty || numbers.next() % 3 != 0 ? [] : [made[Int(numbers.next() % UInt64(made.count))]]
            let parents = after.filter { !$0.state.isCompleted }.map(\.id)
            let lane = numbers.next() % 2 == 0 ? "lane \(numbers.next() % 3)" : nil
            let temporary = made.compactMap(\.recordKey).last(where: TemporaryID.matches) ?? "a"
            let body = #"{"title":"\#(number)"}"#
            switch numbers.next() % 6 {
            case 0: made.append(try await bench.edit(.merge, "a", body, lane: lane, after: parents))
            case 1: made.append(try await bench.edit(.replace, "b", #"{"id":"b","n":\#(number)}"#, after: parents))
            case 2: made.append(try await bench.edit(.create, nil, body, after: parents))
            case 3: made.append(try await bench.send(.post, "/posts", #"{"on":"\#(temporary)"}"#, lane: lane))
            default: made.append(try await bench.send(.put, "/posts/\(number)", body, lane: lane, after: parents))
            }
            bench.time.advance(by: .seconds(1))
            if numbers.next() % 4 == 0, let write = try await bench.claim() {
                switch numbers.next() % 4 {
                case 0: try await bench.recordResult(write, .answered(#"{"id":"n\#(number)","title":"t"}"#))
                case 1: try await bench.recordResult(write, .parked(.uncertain))
                case 2: try await bench.recordResult(write, .parked(.rejected))
                default: break
                }
            }
            if numbers.next() % 6 == 0 {
                let entry = made[Int(numbers.next() % UInt64(made.count))]
                _ = try await bench.store.perform(
                    numbers.next() % 3 == 0 ? .drop : .hold, on: QueueSelection(ids: [entry.id]))
            }
            made = try await bench.store.entries(QueueSelection())
        }
        return bench
    }

    private static func meant(_ choice: [Bool], _ bench: EditBench) async throws -> [QueueEntry] {
        let all = try await bench.store.entries(QueueSelection(states: QueueEntry.State.allCases))
        return zip(all, choice).filter(\.1).map(\.0)
    }

    /// All rows of the queue and of the records, without what is random. How a drop parks on its way is not compared.
    private static func rows(_ bench: EditBench) async throws -> [[String]] {
        let found = try await bench.sqlite.rows(
            """
            SELECT seq, state, reason, position, head, waits_on, url, not_before, attempts, first_sent_at, record_key, pending,
                real_id, kept_until, unknown_since, (SELECT seq FROM siding_outbox o WHERE o.id = e.replaces),
                (SELECT group_concat(event) FROM siding_outbox_events
                    WHERE entry = e.id AND event <> 'parked'),
                (SELECT group_concat(p.seq) FROM siding_outbox_dependencies d JOIN siding_outbox p ON p.id = d.parent
                    WHERE d.entry = e.id)
            FROM siding_outbox_entries e
            UNION ALL
            SELECT entry, method, headers, CAST(body AS TEXT), probe, status, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
            FROM siding_outbox_requests
            UNION ALL
            SELECT key, CAST(body AS TEXT), deleted_at, pending, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
            FROM siding_records_posts
            UNION ALL
            SELECT entry, is_honoured, field, digest IS NULL, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18
            FROM siding_idempotency_keys
            """)
        return found.map { $0.map { plain($0) ?? "" } }.sorted { $0.joined() < $1.joined() }
    }

    /// Without ids, which are random.
    private static func plain(_ text: String?) -> String? {
        text?.replacing(/[0-9a-hjkmnp-tv-z]{26}|\b(?=[a-z]*[0-9])[0-9a-hjkmnp-tv-z]{8}\b/, with: "ID")
    }
}
