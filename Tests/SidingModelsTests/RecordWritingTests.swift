// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding
@testable import SidingModels

@Suite struct RecordWritingTests {
    @Test func `saving inserts what is new, replaces what is there, and leaves what is the same`()
        async throws
    {
        let bench = try await TypedBench()
        let first = try await bench.siding.save([Ticket(id: 1), Ticket(id: 2)], to: bench.issues)
        #expect(first == [.inserted, .inserted])
        let second = try await bench.siding.save([Ticket(id: 1, title: "x"), Ticket(id: 2)], to: bench.issues)
        #expect(second == [.updated, .unchanged])
        #expect(try await bench.titles() == ["x", ""])
    }

    @Test func `a date is saved, read and searched as it is sent, to the microsecond`() async throws {
        let bench = try await TypedBench()
        for seconds in [1_772_355_900, 1_772_355_900.5, 1_772_355_900.123_4, 1_772_355_900.123_456] as [Double] {
            let date = Date(timeIntervalSince1970: seconds)
            try await bench.siding.save(Ticket(id: 1, createdAt: date), to: bench.issues)
            let body = try await bench.store.record(of: "issues", key: "1")?.body ?? []
            let sent = String(decoding: try JSONCoding.encoder().encode(date), as: UTF8.self)
            #expect(String(decoding: body, as: UTF8.self).contains(sent), "\(sent)")
            let found = try await bench.siding.records(of: bench.issues).where(\.createdAt == date).array()
            #expect(found.count == 1 && abs(found[0].createdAt?.timeIntervalSince(date) ?? 1) < 0.000_001)
        }
    }

    @Test func `a saved record is JSON in the order of its names, and is in the resource's view`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save(Ticket(id: 1, title: "a/b", comments: 2, isLocked: true), to: bench.issues)
        let record = try await bench.store.record(of: "issues", key: "1")
        #expect(
            record.map { String(decoding: $0.body, as: UTF8.self) }
                == #"{"comments":2,"id":1,"locked":true,"title":"a/b"}"#)
        let shown = try await bench.store.read { snapshot in
            try snapshot.query("SELECT title, locked FROM issues") { "\($0.text(0)) \($0.int(1))" }
        }
        #expect(shown == ["a/b 1"])
    }

    @Test func `a sync overwrites what was saved, and saving keeps to the resource's kind of key`() async throws {
        let bench = try await TypedBench()
        try await bench.sync(#"[{"id":1,"title":"theirs","comments":1}]"#)
        try await bench.siding.save(Ticket(id: 1, title: "mine"), to: bench.issues)
        #expect(try await bench.titles() == ["mine"])
        try await bench.sync(#"[{"id":1,"title":"theirs","comments":1}]"#)
        #expect(try await bench.titles() == ["theirs"])
        let named = try Resource<Named>(bench.issues.untyped)
        let outcomes = try await bench.siding.save([Named(id: "x")], to: named)
        guard case .invalid(let reason)? = outcomes.first else { return #expect(Bool(false), "\(outcomes)") }
        #expect(reason == "its key is a string, the resource's keys are an integer")
    }

    private struct Named: Codable, Sendable, Equatable {
        var id: String
    }

    @Test func `a conflict is a value, and the strategy decides`() async throws {
        let bench = try await TypedBench()
        let (stored, incoming) = (Ticket(id: 1, title: "a", comments: 5), Ticket(id: 1, title: "b", comments: 1))
        try await bench.siding.save(stored, to: bench.issues)
        let refused = try await bench.siding.upsert([incoming, Ticket(id: 2)], to: bench.issues, onConflict: .error)
        #expect(refused == [.conflict(stored: stored), .inserted])
        #expect(try await bench.titles() == ["a", ""])
        let merged = try await bench.siding.upsert(
            [incoming], to: bench.issues,
            onConflict: .merge { $1.with(\.comments, $1.comments + $0.comments) })
        #expect(merged == [.updated])
        #expect(try await bench.siding.record(of: bench.issues, key: 1)?.comments == 6)
        let kept = try await bench.siding.upsert(
            [incoming], to: bench.issues, onConflict: .takePreferable { $0.comments > $1.comments ? $0 : $1 })
        #expect(kept == [.unchanged])
        let taken = try await bench.siding.upsert([incoming], to: bench.issues, onConflict: .overwrite)
        #expect(taken == [.updated])
        let same = try await bench.siding.upsert([incoming], to: bench.issues, onConflict: .error)
        #expect(same == [.unchanged])
    }

    @Test func `a stored version never goes backwards`() async throws {
        let bench = try await TypedBench(version: .by(\.version))
        let current = Ticket(id: 1, title: "v5", version: 5)
        try await bench.siding.save(current, to: bench.issues)
        let older = Ticket(id: 1, title: "v4", version: 4)
        let strategies: [ConflictStrategy<Ticket>] = [
            .error, .overwrite, .takePreferable { $1 }, .merge { $1 },
        ]
        for strategy in strategies {
            #expect(
                try await bench.siding.upsert([older], to: bench.issues, onConflict: strategy) == [.skipped(.stale)])
        }
        #expect(try await bench.siding.save(older, to: bench.issues) == .skipped(.stale))
        #expect(try await bench.siding.save(Ticket(id: 1, title: "none"), to: bench.issues) == .skipped(.stale))
        let equal = Ticket(id: 1, title: "v5 too", version: 5)
        #expect(
            try await bench.siding.upsert([equal], to: bench.issues, onConflict: .error)
                == [.conflict(stored: current)])
        let newer = Ticket(id: 1, title: "v6", version: 6)
        #expect(try await bench.siding.upsert([newer], to: bench.issues, onConflict: .error) == [.updated])
        let rescued = try await bench.siding.upsert(
            [older], to: bench.issues,
            onConflict: .merge { $0.with(\.body, $1.title) })
        #expect(rescued == [.updated])
        #expect(try await bench.siding.record(of: bench.issues, key: 1)?.title == "v6")
    }

    @Test func `a merge function is called also where a newer version comes`() async throws {
        let bench = try await TypedBench(version: .by(\.version))
        try await bench.siding.save(Ticket(id: 1, title: "v5", body: "mine", version: 5), to: bench.issues)
        let newer = Ticket(id: 1, title: "v6", version: 6)
        let outcome = try await bench.siding.upsert(
            [newer], to: bench.issues,
            onConflict: .merge { $1.with(\.body, $0.body) })
        #expect(outcome == [.updated])
        let merged = try await bench.siding.record(of: bench.issues, key: 1)
        #expect(merged?.title == "v6")
        #expect(merged?.body == "mine")
        let preferred = try await bench.siding.upsert(
            [Ticket(id: 1, title: "v7", version: 7)], to: bench.issues,
            onConflict: .takePreferable { stored, _ in stored })
        #expect(preferred == [.unchanged])
    }

    @Test func `of several models with one key one is taken, by the rule`() async throws {
        let batch = [
            Ticket(id: 1, title: "first", version: 2), Ticket(id: 1, title: "highest", version: 3),
            Ticket(id: 1, title: "last", version: 1),
        ]
        let wanted: [(DuplicateRule, String)] = [(.first, "first"), (.last, "last"), (.highestVersion, "highest")]
        for (rule, title) in wanted {
            let bench = try await TypedBench(version: .by(\.version))
            let outcomes = try await bench.siding.save(batch, to: bench.issues, duplicates: rule)
            #expect(try await bench.titles() == [title])
            #expect(outcomes.map { $0 == .inserted } == batch.map { $0.title == title })
            #expect(outcomes.count { $0 == .skipped(.duplicate) } == 2)
        }
        let unversioned = try await TypedBench()
        try await unversioned.siding.save(batch, to: unversioned.issues, duplicates: .highestVersion)
        #expect(try await unversioned.titles() == ["last"])
    }

    @Test func `an unstorable record is invalid with its reason, and the others are saved`() async throws {
        let bench = try await TypedBench()
        let outcomes = try await bench.siding.save(
            [Ticket(id: 1, score: .nan), Ticket(id: 2)], to: bench.issues)
        #expect(outcomes.last == .inserted)
        guard case .invalid(let reason)? = outcomes.first else { return #expect(Bool(false), "\(outcomes)") }
        #expect(reason.hasPrefix("it cannot be encoded"))
        struct Refusal: Error {}
        let thrown = try await bench.siding.upsert(
            [Ticket(id: 2, title: "x"), Ticket(id: 3)], to: bench.issues, onConflict: .merge { _, _ in throw Refusal() }
        )
        guard case .invalid(let why)? = thrown.first else { return #expect(Bool(false), "\(thrown)") }
        #expect(why.contains("Refusal"))
        #expect(thrown.last == .inserted)
        let moved = try await bench.siding.upsert(
            [Ticket(id: 2, title: "x")], to: bench.issues, onConflict: .merge { _, _ in Ticket(id: 9) })
        #expect(moved == [.invalid("it was resolved to a model with another key")])
        #expect(try await bench.siding.record(of: bench.issues, key: 9) == nil)
    }

    @Test func `a record that changed while it was merged is merged anew`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save(Ticket(id: 1, comments: 1), to: bench.issues)
        let rival = Rival(bench.store, bench.issues, times: 2)
        let siding = try await Siding(
            store: .store(rival.store), resources: [bench.issues], transports: bench.origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity()))
        let outcomes = try await siding.upsert(
            [Ticket(id: 1, comments: 100)], to: bench.issues,
            onConflict: .merge { $1.with(\.comments, $1.comments + $0.comments) })
        #expect(outcomes == [.updated])
        // 1, twice 10 by the rival between reading and writing, and 100: nothing was lost.
        #expect(try await bench.siding.record(of: bench.issues, key: 1)?.comments == 121)
        #expect(rival.count.value == 3)
    }

    @Test func `a record that never stands still is given up, and nothing is written`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save(Ticket(id: 1, comments: 1), to: bench.issues)
        let rival = Rival(bench.store, bench.issues, times: .max)
        let siding = try await Siding(
            store: .store(rival.store), resources: [bench.issues], transports: bench.origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity()))
        let error = await #expect(throws: StoreError.self) {
            try await siding.upsert([Ticket(id: 1), Ticket(id: 2)], to: bench.issues, onConflict: .merge { $1 })
        }
        #expect(error?.kind == .outdated)
        #expect(try await bench.siding.records(of: bench.issues).count() == 1)
    }

    @Test func `deleting makes tombstones, which a sync or a save brings back`() async throws {
        let bench = try await TypedBench()
        try await bench.siding.save((1...5).map { Ticket(id: $0, comments: $0) }, to: bench.issues)
        #expect(try await bench.siding.deleteLocally(key: "1", from: bench.issues))
        #expect(try await !bench.siding.deleteLocally(key: "1", from: bench.issues))
        #expect(try await bench.siding.deleteLocally(keys: ["2", "9"], from: bench.issues.untyped) == 1)
        #expect(try await bench.siding.deleteLocally(where: \.comments > 4, from: bench.issues) == 1)
        #expect(try await bench.siding.records(of: bench.issues).array().map(\.id) == [3, 4])
        #expect(try await bench.store.count(of: "issues").deleted == 3)
        #expect(try await bench.siding.save(Ticket(id: 1), to: bench.issues) == .inserted)
        try await bench.sync(#"[{"id":2,"title":"back","comments":0}]"#)
        #expect(try await bench.siding.records(of: bench.issues).array().map(\.id) == [1, 2, 3, 4])
    }

    @Test(.timeLimit(.minutes(5)))
    func `many writers that merge lose nothing, in two processes`() async throws {
        let bench = try await TypedBench()
        let other = try await bench.otherProcess()
        let issues = bench.issues
        try await bench.siding.save(Ticket(id: 1), to: issues)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for siding in [bench.siding, other] {
                group.addTask {
                    var done = 0
                    for _ in 0..<20 {
                        let outcome = try? await siding.upsert(
                            [Ticket(id: 1, title: "x", comments: 1)], to: issues,
                            onConflict: .merge { stored, _ in stored.with(\.comments, stored.comments + 1) })
                        if outcome == [.updated] { done += 1 }
                    }
                    return done
                }
            }
            var total = 0
            for try await done in group { total += done }
            #expect(total > 0)
            #expect(try await bench.siding.record(of: issues, key: 1)?.comments == total)
        }
    }
}

/// Changes a record each time somebody has read it and is about to write.
private struct Rival {
    let store: Store
    let count = Mutexed(0)

    init(_ inner: Store, _ issues: Resource<Ticket>, times: Int) {
        let count = count
        var store = inner
        store.probes.didLookUp = { found in
            count.add(1)
            guard count.value <= times, let key = found.first,
                let record = try? await inner.record(of: issues.name, key: key)
            else { return }
            let decoder = RecordDecoder(.standard)
            guard var issue = try? decoder.decode(Ticket.self, record) else { return }
            issue.comments += 10
            let writer = RecordWriter(store: inner, resource: issues, strategy: .overwrite, duplicates: .last)
            _ = try? await writer.save([issue])
        }
        self.store = store
    }
}

extension Ticket {
    fileprivate func with<Value>(_ member: WritableKeyPath<Ticket, Value>, _ value: Value) -> Ticket {
        var changed = self
        changed[keyPath: member] = value
        return changed
    }
}
