// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSQLite
import SidingTesting
import Testing
import TestSupport

@testable import Siding

/// An operator action on tens of thousands of entries takes seconds, and holds up nobody else.
@Suite(.timeLimit(.minutes(5))) struct ManyEntriesTests {
    private static let count = Proof.choose(short: 4_000, middle: 20_000, long: 20_000)
    /// The square of their number took minutes; the bar leaves room for a slow machine.
    private static let limit = Duration.milliseconds(3 * count)

    /// Writes, two to a lane.
    private func fill(_ bench: WriteBench) async throws {
        let now = bench.time.now.microseconds
        try await bench.store.write { transaction in
            try transaction.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?2 - 1)
                INSERT INTO siding_outbox (id, kind, state, source, lane, position, head, created_at, not_before)
                SELECT printf('%026d', i), 'write', 'queued', 'api', 'lane ' || (i / 2), i % 2 + 1, i % 2 = 0, ?1, ?1 FROM n
                """, now, Self.count)
            try transaction.fillRequests()
        }
    }

    @Test func `thousands of entries are held, released and dropped in a time that grows with their number`()
        async throws
    {
        let bench = try await WriteBench()
        try await fill(bench)
        let all = QueueSelection()
        let time = try await ContinuousClock().measure {
            for action in [QueueAction.hold, .release, .hold, .drop] {
                let foretold = try await bench.store.carryOut(.act(action), on: all, isRehearsal: true)
                let done = try await bench.store.perform(action, on: all)
                #expect(done.count == Self.count && done.allSatisfy { $0.refusal == nil })
                #expect(foretold.map(\.entry.id) == done.map(\.entry.id))
                #expect(foretold.map(\.entry.state) == done.map(\.entry.state))
            }
        }
        #expect(time < Self.limit, "\(time)")
        #expect(try await bench.store.count(all) == 0)
        #expect(try await bench.store.count(QueueSelection(states: [.dropped])) == Self.count)
    }

    @Test func `the newest of a lane are dropped first, so that no sender claims one of them in between`()
        async throws
    {
        let bench = try await WriteBench()
        try await fill(bench)
        let lane = try await bench.store.perform(.drop, on: QueueSelection(lanes: ["lane 7"]))
        #expect(lane.map(\.entry.id) == lane.map(\.entry.id).sorted())
        let dropped = try await bench.store.read { snapshot in
            try snapshot.query("SELECT entry FROM siding_outbox_events WHERE event = 'dropped' ORDER BY seq") {
                $0.text(0)
            }
        }
        #expect(dropped.count == 2 && dropped == lane.map(\.entry.id).reversed())
    }

    @Test func `thousands of entries are edited, dropped and forgotten in a time that grows with their number`()
        async throws
    {
        let bench = try await WriteBench()
        try await fill(bench)
        let change = WriteChange(headerFields: [.accept: "text/plain"])
        let done = QueueSelection(states: [.dropped])
        let time = try await ContinuousClock().measure {
            let edited = try await bench.store.carryOut(.replace(change), on: QueueSelection())
            #expect(
                edited.count == Self.count && edited.allSatisfy { $0.refusal == nil && $0.entry.id != $0.before.id })
            let next = try #require(try await bench.claim())
            #expect(next.entry.lane == "lane 0" && next.headerFields[.accept] == "text/plain")
            _ = try await bench.store.recordResult(next, WriteResult(.released(isUnsent: true), .nothing))
            let dropped = try await bench.store.perform(.drop, on: QueueSelection())
            #expect(dropped.allSatisfy { $0.refusal == nil })
            #expect(try await bench.store.count(done) == 2 * Self.count)
            #expect(try await bench.store.carryOut(.purge, on: done).allSatisfy { $0.refusal == nil })
        }
        #expect(time < Self.limit, "\(time)")
        #expect(try await bench.store.count(done) == 0)
    }

    @Test(arguments: [OperatorAction.replace(WriteChange(headerFields: [.accept: "text/plain"])), .purge])
    func `one entry that cannot be read keeps no other from its change`(decision: OperatorAction) async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a"},{"id":"b"}]"#)
        for key in ["a", "a", "b"] { _ = try await bench.edit(.merge, key, #"{"title":"x"}"#) }
        let all = decision == .purge ? QueueSelection(states: [.dropped]) : QueueSelection()
        if decision == .purge { _ = try await bench.store.perform(.drop, on: QueueSelection()) }
        try await bench.sqlite.execute("UPDATE siding_outbox_edits SET terms = '{}' WHERE entry = 2")
        let changes = try await bench.store.carryOut(decision, on: all)
        // An edit is applied over the record together with the other one.
        let refused = decision == .purge ? [false, true, false] : [true, true, false]
        #expect(changes.map { $0.refusal != nil } == refused, "\(changes.map(\.refusal))")
    }

    @Test func `a write whose edit cannot be read can be dropped`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a"}]"#)
        let entry = try await bench.edit(.merge, "a", #"{"title":"x"}"#)
        try await bench.sqlite.execute("UPDATE siding_outbox_edits SET terms = '{}'")
        #expect(try await bench.drop(entry).refusal == nil)
        #expect(try await bench.shown("a") == #"{"id":"a"}"#)
        try await bench.expectSound()
    }

    @Test func `another process gets its turn while entries are held`() async throws {
        let bench = try await WriteBench()
        try await fill(bench)
        let other = try await bench.another()
        let clock = ManualClock()
        var paced = bench.store
        paced.monotonicClock = clock
        let store = paced
        async let changes = store.perform(.hold, on: QueueSelection())
        await clock.sleepers(1)
        let held = QueueSelection(states: [.parked])
        let write = WriteRequest(
            to: "api", .post, try HTTPURL("https://api.test/orders"), body: Array("{}".utf8),
            idempotency: WriteBench.keyed)
        let accepted = try await other.enqueue(write)
        let heldBy = try await other.count(held)
        #expect((1..<Self.count).contains(heldBy), "\(heldBy) are held")
        let pauses = Task {
            while !Task.isCancelled {
                await clock.sleepers(1)
                clock.advance(by: .seconds(1))
            }
        }
        defer { pauses.cancel() }
        #expect(try await changes.count == Self.count)
        // What came after the selection was looked up is not meant by it.
        #expect(try await bench.entry(accepted.id).state == .queued)
    }

    @Test func `a dry run needs no turn among the writers`() async throws {
        let bench = try await WriteBench()
        let entry = try await bench.enqueue("/orders")
        let lock = try #require(try HeldLock("\(bench.store.path).writer"))
        let changes = try await bench.store.carryOut(.act(.drop), on: QueueSelection(), isRehearsal: true)
        #expect(changes.map(\.entry.state) == [.dropped] && changes.map(\.before) == [entry])
        lock.die()
    }

    @Test func `an entry that a drop parks on its way is dropped too if it was selected`() async throws {
        let bench = try await WriteBench()
        let first = try await bench.enqueue("/orders")
        let second = try await bench.enqueue("/orders", after: [first.id])
        let changes = try await bench.store.perform(.drop, on: QueueSelection(states: [.queued]))
        #expect(changes.map(\.refusal) == [nil, nil])
        #expect(try await bench.entry(second.id).state == .dropped)
    }

    @Test func `an entry that another process changed or forgot meanwhile is refused`() async throws {
        let bench = try await WriteBench()
        let found = try await bench.enqueue("/orders")
        let actions = OperatorActions(
            transitions: try bench.store.transitions(), isAlive: { _ in true }, reclaimed: [])
        let parked = QueueSelection(states: [.parked])
        var gone = found
        gone.id = EntryID.random()
        let refusals = try await bench.store.write { [gone] transaction in
            try actions.carryOut(.act(.drop), on: [found, gone], by: parked, transaction).map(\.refusal)
        }
        #expect(refusals == ["it was changed meanwhile, and is queued now", "it was forgotten meanwhile"])
        #expect(try await bench.entry(found.id).state == .queued)
    }

    @Test(
        arguments: [
            QueueSelection(), QueueSelection(kinds: [.fetch]), QueueSelection(kinds: [.write], reasons: [.held]),
            QueueSelection(resources: ["a"]), QueueSelection(lanes: ["a"], states: [.parked]),
            QueueSelection(sources: ["a"]).with(\.dueBy, Timestamp(microseconds: 1)),
            QueueSelection(states: [.done, .dropped]).with(\.completedBefore, Timestamp(microseconds: 1)),
            QueueSelection(states: [.done]),
        ])
    func `no selection reads the whole table`(_ selection: QueueSelection) async throws {
        let bench = try await WriteBench()
        try await fill(bench)
        let entries = try SelectedEntries(selection)
        for listing in [entries.listing(), entries.listing(limit: 50)] {
            let plan = try await bench.store.plan(of: listing.sql.text)
            #expect(!plan.contains { $0.hasPrefix("SCAN siding_outbox") }, "\(plan)")
        }
    }
}
