// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding

@Suite struct LeasesLawTests {
    @Test func `a lease has one holder, who is named to everyone else`() async throws {
        let bench = try await StoreBench()
        let outcome = try await bench.store.acquireLease(bench.lease.name, command: "sync again")
        guard case .held(let holder) = outcome else {
            throw ConformanceViolation("it was given twice", line: #line)
        }
        try require(holder.command, is: "sync posts", "what the holder does")
        try require(holder.since, is: bench.time.now, "since when")
    }

    @Test func `a lease that was given back is free, and its token has grown`() async throws {
        let bench = try await StoreBench()
        try await bench.store.releaseLease(bench.lease)
        let next = try await StoreBench.lease(bench.store)
        try require(next.token > bench.lease.token, "the token went from \(bench.lease.token) to \(next.token)")
    }

    @Test func `a lease is given back where the work under it fails, also where its task is cancelled`() async throws {
        let bench = try await StoreBench()
        let store = bench.store
        for isCancelled in [false, true] {
            let work = Task {
                try await store.withLease(ofResource: "comments", command: "sync") { _ throws(StoreError) -> Int in
                    if isCancelled { withUnsafeCurrentTask { $0?.cancel() } }
                    throw StoreError(.full, "no room")
                }
            }
            try await bench.refuses(.full, "the work") { _ = try await work.value }
            try await require(store.leases().map(\.name), is: [bench.lease.name], "what is held")
        }
    }

    @Test func `nothing is done under a lease that another one holds`() async throws {
        let bench = try await StoreBench()
        try await bench.refuses(.leaseLost, "the work") {
            try await bench.store.withLease(ofResource: "posts", command: "state set") { _ throws(StoreError) in
                throw StoreError(.full, "it was done")
            }
        }
    }

    @Test func `leases of different names do not exclude each other`() async throws {
        let bench = try await StoreBench()
        _ = try await StoreBench.lease(bench.store, of: "comments")
    }

    @Test func `giving back a lease that was lost leaves the new holder alone`() async throws {
        var bench = try await StoreBench()
        let lost = bench.lease
        try await bench.nextSync()
        try await bench.store.releaseLease(lost)
        guard case .held = try await bench.store.acquireLease(lost.name, command: "other") else {
            throw ConformanceViolation("the new holder lost it", line: #line)
        }
    }

    @Test func `a claimed fetch is returned with the lease, and no crash is counted`() async throws {
        var bench = try await StoreBench()
        _ = try await bench.open()
        let entry = try await bench.retain()
        for _ in 0..<4 {
            let position = try await bench.open()
            try require(position.entry?.id, is: entry.id, "the entry in hand")
            try await bench.nextSync()
        }
        let back = try await bench.entry(entry.id)
        try require(back.state, is: .queued, "its state")
        try require(back.crashes, is: 0, "its crashes")
    }

    @Test func `the lease of a dead process is taken over, with a newer token`() async throws {
        var bench = try await StoreBench()
        let dead = bench.lease
        try await bench.crash()
        try require(bench.lease.token > dead.token, "the token went from \(dead.token) to \(bench.lease.token)")
    }

    @Test func `a commit under an older token is refused and changes nothing`() async throws {
        var bench = try await StoreBench()
        let position = try await bench.open()
        let old = bench.lease
        try await bench.nextSync()
        var commit = bench.pageCommit(try StoreBench.content(#"[{"id":"a"}]"#), position, etag: "1")
        commit.open.lease = old
        let late = commit
        let store = bench.store
        try await bench.refuses(.leaseLost, "the commit") { _ = try await store.commit(late) }
        try await require(store.count(of: "posts").count, is: 0, "the records")
        try await require(store.storedPage(position.page, of: "posts") == nil, "validators were stored")
        try await require(bench.counters(), is: RunCounters(), "the run's counters")
        try await require(store.resourceStates().first?.checkpoint, is: position.page, "the checkpoint")
    }

    @Test func `a listing is neither opened nor restarted under an older token`() async throws {
        var bench = try await StoreBench()
        let old = bench.lease
        try await bench.nextSync()
        let opening = try bench.opening(lease: old)
        let store = bench.store
        try await bench.refuses(.leaseLost, "opening") { _ = try await store.openListing(opening) }
        try await bench.refuses(.leaseLost, "restarting") {
            _ = try await store.restartListing(opening, because: "no reason")
        }
        try await require(store.resourceStates(), is: [], "the resources")
    }

    @Test func `a fetch is not retained under an older token`() async throws {
        var bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let old = bench.lease
        try await bench.nextSync()
        let late = bench
        try await bench.refuses(.leaseLost, "retaining") { _ = try await late.retain(lease: old) }
        try await require(bench.store.entries(QueueSelection()), is: [], "the queue")
    }

    @Test func `a commit to a listing that is no longer the open one is refused and changes nothing`() async throws {
        let bench = try await StoreBench()
        let old = try await bench.commitFirstPage()
        let anew = try await bench.open(startsAnew: true)
        let late = bench
        try await bench.refuses(.leaseLost, "the commit") {
            try await late.commit(#"[{"id":"z"}]"#, old, page: StoreBench.page(2))
        }
        try await require(bench.store.count(of: "posts").count, is: 1, "the records")
        try await require(bench.store.resourceStates().first?.checkpoint, is: anew.page, "the checkpoint")
    }
}
