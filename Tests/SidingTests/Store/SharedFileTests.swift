// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingSQLite
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct SharedFileTests {
    @Test func `two stores on one file exclude each other by leases, and see each other's pages`() async throws {
        let bench = try await FileBench()
        let other = try await Store.open(at: bench.path)
        guard case .held(let holder) = try await other.acquireLease("resource:posts", command: "sync posts") else {
            return #expect(Bool(false), "the lease was given twice")
        }
        #expect(holder.command == "sync posts")
        try await bench.commit(#"[{"id":1}]"#)
        #expect(try await other.count(of: "posts").count == 1)
        try await bench.store.releaseLease(bench.bench.lease)
        guard case .acquired = try await other.acquireLease("resource:posts", command: "sync posts") else {
            return #expect(Bool(false), "the lease that was given back is not free")
        }
        await other.close()
    }

    @Test func `a lease whose release failed is taken again by the process that left it, and by no other`()
        async throws
    {
        let bench = try await FileBench()
        let other = try await Store.open(at: bench.path)
        try await bench.execute(
            """
            CREATE TEMP TRIGGER no_room BEFORE UPDATE OF owner ON main.siding_leases WHEN NEW.owner IS NULL
            BEGIN SELECT RAISE(ABORT, 'no room'); END
            """)
        let left = bench.bench.lease
        await #expect(throws: StoreError.self) { try await bench.store.releaseLease(left) }
        try await bench.execute("DROP TRIGGER no_room")
        guard case .held = try await other.acquireLease(left.name, command: "sync") else {
            return #expect(Bool(false), "it was taken from a living process")
        }
        guard case .acquired(let lease) = try await bench.store.acquireLease(left.name, command: "sync") else {
            return #expect(Bool(false), "nobody can take it any more")
        }
        #expect(lease.token > left.token)
        // What was left behind is not given back by those who left it.
        try await bench.store.releaseLease(left)
        guard case .held = try await bench.store.acquireLease(left.name, command: "sync") else {
            return #expect(Bool(false), "it was given twice")
        }
        await other.close()
    }

    @Test func `short commands leave no long log to those who come after`() async throws {
        let bench = try await WriteBench()
        let log = URL(filePath: bench.store.path + "-wal")
        let body = "\"\(String(repeating: "x", count: 500_000))\""
        func enqueue(_ count: Int) async throws -> Int {
            let store = try await bench.another()
            for _ in 0..<count {
                _ = try await store.enqueue(
                    WriteRequest(to: "api", .post, HTTPURL("https://api.test/a"), body: Array(body.utf8)))
            }
            await store.close()
            return try Data(contentsOf: log).count
        }
        await bench.store.close()
        let few = try await enqueue(1)
        #expect(few > 500_000, "a short one is left as it is")
        #expect(try await enqueue(6) == 0)
        // Whoever writes meanwhile is not waited for.
        let writer = try #require(try HeldLock(bench.store.path + ".writer"))
        let store = try await bench.another()
        await store.close()
        writer.die()
    }

    @Test func `a store's living run is not called interrupted by another store`() async throws {
        let bench = try await FileBench()
        let other = try await Store.open(at: bench.path)
        _ = try await other.beginRun(command: "sync")
        #expect(try await bench.store.run(bench.bench.run)?.outcome == nil)
        await other.close()
    }

    @Test func `a run whose store is closed is shown as interrupted, before the next run stores that`() async throws {
        let bench = try await FileBench()
        let other = try await Store.open(at: bench.path)
        let run = try await other.beginRun(command: "sync")
        #expect(try await bench.store.run(run)?.outcome == nil)
        await other.close()
        let shown = try #require(try await bench.store.run(run))
        #expect(shown.outcome == .interrupted && shown.endedAt == nil)
        #expect(try await bench.store.runs(limit: 1).map(\.outcome) == [.interrupted])
    }

    @Test func `an entry that another living store claimed is left alone`() async throws {
        let bench = try await FileBench()
        _ = try await bench.bench.commitFirstPage()
        let entry = try await bench.bench.retain()
        _ = try await bench.bench.open()
        let other = try await Store.open(at: bench.path)
        let change = try await other.perform(.drop, on: QueueSelection(ids: [entry.id]))
        #expect(change.first?.refusal == "it is being sent right now")
        await other.close()
    }

    @Test func `the lease of an unknown owner is taken over`() async throws {
        let bench = try await FileBench()
        try await bench.execute(
            """
            INSERT INTO siding_leases (name, owner, holder, token)
            VALUES ('resource:comments', 'gone', '{}', 41)
            """)
        guard case .acquired(let lease) = try await bench.store.acquireLease("resource:comments", command: "sync")
        else {
            return #expect(Bool(false), "a dead owner holds it")
        }
        #expect(lease.token == 42)
    }

    @Test func `the lease of an owner whose lock is held belongs to it, with any name`() async throws {
        let bench = try await FileBench()
        try await bench.execute(
            """
            INSERT INTO siding_leases (name, owner, holder, token)
            VALUES ('resource:comments', 'living', '{}', 41)
            """)
        let lock = try #require(try HeldLock(bench.path + ".owners/living"))
        let error = await #expect(throws: StoreError.self) {
            try await bench.store.acquireLease("resource:comments", command: "sync")
        }
        #expect(error?.kind == .corrupt && error?.message.contains("'resource:comments'") == true)
        let holder = LeaseHolder(processID: 1, host: "a", command: "sync", since: bench.bench.time.now)
        try await bench.execute("UPDATE siding_leases SET holder = '\(Store.json(holder))'")
        guard case .held(by: holder) = try await bench.store.acquireLease("resource:comments", command: "sync") else {
            return #expect(Bool(false), "it was taken from its living owner")
        }
        lock.die()
        guard case .acquired = try await bench.store.acquireLease("resource:comments", command: "sync") else {
            return #expect(Bool(false), "it was not taken from its dead owner")
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `two stores that commit at once both get through`() async throws {
        let bench = try await FileBench()
        let other = try await Store.open(at: bench.path)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (store, source) in [(try bench.store, "one"), (other, "other")] {
                group.addTask {
                    for number in 0..<40 {
                        try await store.record(.offline(note: ""), of: "\(source) \(number)")
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await other.gates().count == 80)
        await other.close()
    }
}
