// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

@Suite(.timeLimit(.minutes(5))) struct RecordChangeStreamTests {
    private let clock = ManualClock()

    @Test func `the snapshot comes first, then what this program changes, at once`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save([Ticket(id: 1), Ticket(id: 2)], to: bench.issues)
        var events = bench.siding.changes(of: bench.issues, clock: clock).makeAsyncIterator()
        #expect(try await events.next()?.models?.map(\.id) == [1, 2])
        let issues = bench.issues
        async let save = bench.siding.save([Ticket(id: 2, title: "x"), Ticket(id: 3)], to: issues)
        // The clock stands still: only the commit itself can wake the stream.
        let changes = try await events.next()?.difference
        #expect(changes?.inserted.map(\.id) == [3])
        #expect(changes?.updated.map(\.id) == [2])
        _ = try await save
        try await bench.siding.deleteLocally(key: "1", from: issues)
        #expect(try await events.next()?.difference?.deleted == ["1"])
        // Once gone it is new again when it comes back.
        try await bench.siding.save(Ticket(id: 1), to: issues)
        #expect(try await events.next()?.difference?.inserted.map(\.id) == [1])
    }

    @Test func `another process's commits are seen at the next look`() async throws {
        let bench = try await TypedBench()
        let other = try await bench.otherProcess()
        let (siding, issues, clock) = (bench.siding, bench.issues, clock)
        try await siding.save(Ticket(id: 1), to: issues)
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        #expect(try await events.next()?.models?.count == 1)
        async let wake: Void = {
            await clock.sleepers(1)
            #expect(clock.waits == [.milliseconds(250)])
            try await other.save([Ticket(id: 1, title: "theirs"), Ticket(id: 2)], to: issues)
            clock.advance(by: .milliseconds(250))
        }()
        let changes = try await events.next()?.difference
        try await wake
        #expect(changes?.inserted.map(\.id) == [2])
        #expect(changes?.updated.map(\.title) == ["theirs"])
    }

    @Test func `a sync is seen, and a page that changes nothing is not`() async throws {
        let bench = try await TypedBench()
        var events = bench.siding.changes(of: bench.issues, clock: clock).makeAsyncIterator()
        #expect(try await events.next()?.models == [])
        try await bench.sync(#"[{"id":1,"title":"a","comments":0}]"#)
        #expect(try await events.next()?.difference?.inserted.map(\.title) == ["a"])
        try await bench.sync(#"[{"id":1,"title":"a","comments":0}]"#)
        try await bench.sync(#"[{"id":1,"title":"b","comments":0}]"#)
        #expect(try await events.next()?.difference?.updated.map(\.title) == ["b"])
    }

    @Test func `a poll that found changes is followed by a rest nine times as long`() async throws {
        let bench = try await TypedBench()
        let ticking = TickingClock()
        var events = bench.siding.changes(of: bench.issues, clock: ticking).makeAsyncIterator()
        _ = try await events.next()
        try await bench.siding.save(Ticket(id: 1), to: bench.issues)
        #expect(try await events.next()?.difference?.inserted.count == 1)
        try await bench.siding.save(Ticket(id: 2), to: bench.issues)
        #expect(try await events.next()?.difference?.inserted.count == 1)
        #expect(ticking.waits.contains(.milliseconds(90)))
    }

    @Test func `a table that changes while it is watched gets the index by which looks find changes`() async throws {
        let bench = try await TypedBench()
        let (siding, issues) = (bench.siding, bench.issues)
        func indexes() async throws -> [String] {
            try await bench.store.read { snapshot in
                try snapshot.query("SELECT name FROM sqlite_schema WHERE name GLOB 'siding_changes_*'") { $0.text(0) }
            }
        }
        try await siding.save(Ticket(id: 1), to: issues)
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        // Nobody pays for it at each write before something changes.
        #expect(try await indexes().isEmpty)
        for id in 2...4 {
            try await siding.save(Ticket(id: id), to: issues)
            #expect(try await events.next()?.difference?.inserted.map(\.id) == [id])
            #expect(try await indexes() == ["siding_changes_issues"])
        }
        // Other processes take the file as it is now.
        let other = try await bench.otherProcess()
        try await other.save(Ticket(id: 1, title: "theirs"), to: issues)
        #expect(try await events.next()?.difference?.updated.map(\.title) == ["theirs"])
    }

    @Test func `the changes between two polls are reported as one`() async throws {
        let bench = try await TypedBench()
        let (siding, issues) = (bench.siding, bench.issues)
        try await siding.save([Ticket(id: 1), Ticket(id: 2)], to: issues)
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        try await siding.save([Ticket(id: 1, title: "a"), Ticket(id: 3), Ticket(id: 4)], to: issues)
        try await siding.save([Ticket(id: 1, title: "b")], to: issues)
        try await siding.deleteLocally(keys: ["2", "3"], from: issues)
        try await siding.save(Ticket(id: 2, title: "back"), to: issues)
        let changes = try await events.next()?.difference
        #expect(changes?.inserted.map(\.id) == [4])
        #expect(changes?.updated.map(\.title) == ["b", "back"])
        #expect(changes?.deleted == [])
    }

    @Test func `a write between the two reads of a poll is reported once`() async throws {
        let between = Mutexed<(@Sendable () async throws -> Void)?>(nil)
        let bench = try await TypedBench(
            probes: StoreProbes(willLookUp: {
                let write = between.change { write in
                    defer { write = nil }
                    return write
                }
                try? await write?()
            }))
        let (siding, issues) = (bench.siding, bench.issues)
        try await siding.save([Ticket(id: 1), Ticket(id: 2), Ticket(id: 3)], to: issues)
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        try await siding.save((1...3).map { Ticket(id: $0, title: "a") }, to: issues)
        between.set {
            // These read the store too, and find nothing to do then.
            try await siding.save([Ticket(id: 1, title: "b"), Ticket(id: 4)], to: issues)
            try await siding.deleteLocally(key: "2", from: issues)
        }
        let first = try await events.next()?.difference
        let second = try await events.next()?.difference
        try await siding.save(Ticket(id: 5), to: issues)
        let third = try await events.next()?.difference
        #expect(first?.told == ["3a", "-2"])
        #expect(second?.told == ["+4", "1b"])
        #expect(third?.told == ["+5"])
    }

    @Test func `a deletion whose tombstone was removed before the next poll is reported`() async throws {
        let bench = try await TypedBench()
        let (siding, issues) = (bench.siding, bench.issues)
        try await siding.save((1...4).map { Ticket(id: $0) }, to: issues)
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        try await siding.deleteLocally(keys: ["2", "3"], from: issues)
        try await bench.store.write { transaction in
            let row = try #require(try ResourcesTable.load(named: "issues", transaction))
            try ResourcesTable.setForgotten(revision: row.revision, of: row.id, transaction)
            try transaction.execute("DELETE FROM siding_records_issues WHERE key = 2")
        }
        try await siding.save(Ticket(id: 5), to: issues)
        // What lives and did not change is not told.
        #expect(try await events.next()?.difference?.told == ["+5", "-3", "-2"])
        try await siding.save(Ticket(id: 6), to: issues)
        #expect(try await events.next()?.difference?.told == ["+6"])
    }

    @Test func `all records of a forgotten resource are deleted, and those of a new sync are inserted`() async throws {
        let bench = try await TypedBench()
        let (siding, issues) = (bench.siding, bench.issues)
        try await siding.save([Ticket(id: 1), Ticket(id: 2)], to: issues)
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        try await bench.store.forget(resource: "issues")
        #expect(try await events.next()?.difference?.told == ["-1", "-2"])
        try await siding.save(Ticket(id: 2, title: "a"), to: issues)
        #expect(try await events.next()?.difference?.told == ["+2a"])
    }

    @Test func `a resource that was forgotten and filled again between two looks is compared as a whole`() async throws
    {
        let bench = try await TypedBench()
        let (siding, issues) = (bench.siding, bench.issues)
        for title in ["a", "b", "c"] {
            try await siding.save([Ticket(id: 1, title: title), Ticket(id: 2)], to: issues)
        }
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        try await bench.store.forget(resource: "issues")
        // Its revision begins again below the one that the stream has reached.
        try await siding.save([Ticket(id: 1, title: "d"), Ticket(id: 3)], to: issues)
        #expect(try await events.next()?.difference?.told == ["+3", "1d", "-2"])
    }

    @Test func `a record that begins to match is inserted, one that ends to is deleted`() async throws {
        let bench = try await TypedBench()
        let (siding, issues) = (bench.siding, bench.issues)
        try await siding.save([Ticket(id: 1, state: .open), Ticket(id: 2, state: .closed)], to: issues)
        var events = siding.changes(of: issues, where: \.state == .open, clock: clock).makeAsyncIterator()
        #expect(try await events.next()?.models?.map(\.id) == [1])
        try await siding.save([Ticket(id: 1, state: .closed), Ticket(id: 2, state: .open)], to: issues)
        let changes = try await events.next()?.difference
        #expect(changes?.inserted.map(\.id) == [2])
        #expect(changes?.deleted == ["1"])
        try await siding.save([Ticket(id: 1, title: "unseen", state: .closed)], to: issues)
        try await siding.save([Ticket(id: 2, title: "seen", state: .open)], to: issues)
        #expect(try await events.next()?.difference?.updated.map(\.title) == ["seen"])
    }

    @Test func `many changes come in portions, each record once`() async throws {
        let bench = try await TypedBench()
        let (siding, issues) = (bench.siding, bench.issues)
        var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        try await siding.save((1...1_200).map { Ticket(id: $0) }, to: issues)
        var sizes: [Int] = []
        var ids: Set<Int> = []
        while ids.count < 1_200, let changes = try await events.next()?.difference {
            sizes.append(changes.inserted.count)
            ids.formUnion(changes.inserted.map(\.id))
        }
        #expect(sizes == [500, 500, 200])
    }

    @Test func `cancelling ends the stream, and no iterator waits`() async throws {
        let bench = try await TypedBench()
        let (siding, issues, clock) = (bench.siding, bench.issues, clock)
        let reader = Task {
            var count = 0
            for try await _ in siding.changes(of: issues, clock: clock) { count += 1 }
            return count
        }
        await clock.sleepers(1)
        reader.cancel()
        #expect(try await reader.value == 1)
        #expect(bench.store.changeSignal.waiters == 0)
        #expect(clock.waits == [])
    }

    @Test func `a look without changes leaves one who waits as he was`() async throws {
        let bench = try await TypedBench()
        let (siding, issues, clock) = (bench.siding, bench.issues, clock)
        let reader = Task {
            var events = siding.changes(of: issues, clock: clock).makeAsyncIterator()
            _ = try await events.next()
            return try await events.next()?.difference?.inserted.map(\.id)
        }
        for _ in 0..<5 {
            await clock.sleepers(1)
            clock.advance(by: .milliseconds(250))
        }
        try await siding.save(Ticket(id: 7), to: issues)
        #expect(try await reader.value == [7])
        #expect(bench.store.changeSignal.waiters == 0)
    }

    @Test func `a record that does not decode ends the stream with its error`() async throws {
        let bench = try await TypedBench()
        var events = bench.siding.changes(of: bench.issues, clock: clock).makeAsyncIterator()
        _ = try await events.next()
        try await bench.sync(#"[{"id":1}]"#)
        await #expect(throws: RecordError.self) { _ = try await events.next() }
    }
}

extension RecordChangeStream.Element {
    var models: [Model]? { if case .snapshot(let models) = self { models } else { nil } }
    var difference: RecordDifference<Model>? { if case .changes(let changes) = self { changes } else { nil } }
}

extension RecordDifference<Ticket> {
    fileprivate var told: [String] {
        inserted.map { "+\($0.id)\($0.title)" } + updated.map { "\($0.id)\($0.title)" } + deleted.map { "-\($0)" }
    }
}

@Suite struct ChangeSignalTests {
    @Test(.timeLimit(.minutes(5)))
    func `a caller too late for a firing does not wait for it`() async {
        let signal = ChangeSignal()
        let count = signal.count
        signal.fire()
        await signal.wait(past: count)
        #expect(signal.waiters == 0)
    }

    @Test(.timeLimit(.minutes(5)))
    func `a firing wakes everyone, a cancellation the one`() async {
        let signal = ChangeSignal()
        let one = Task { await signal.wait(past: 0) }
        let other = Task { await signal.wait(past: 0) }
        while signal.waiters < 2 { await Task.yield() }
        one.cancel()
        await one.value
        #expect(signal.waiters == 1)
        signal.fire()
        await other.value
        #expect(signal.waiters == 0)
    }
}

/// A clock that goes ten milliseconds further with each look at it, and whose waits are over at once.
private final class TickingClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let state = Mutex((now: Instant(), waits: [Duration]()))

    var waits: [Duration] { state.withLock { $0.waits } }
    var minimumResolution: Duration { .zero }

    var now: Instant {
        state.withLock { state in
            state.now = state.now.advanced(by: .milliseconds(10))
            return state.now
        }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        state.withLock { state in
            state.waits.append(state.now.duration(to: deadline))
            state.now = max(state.now, deadline)
        }
        await Task.yield()
    }
}
