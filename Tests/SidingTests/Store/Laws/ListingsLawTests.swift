// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

@Suite struct ListingsLawTests {
    @Test func `a new listing begins at the first page`() async throws {
        let bench = try await StoreBench()
        let position = try await bench.open()
        try require(position.page, is: StoreBench.page(1), "the page")
        try require(!position.isResumed && position.entry == nil, "it counts as resumed")
        try require(position.changedAspects, is: [], "the changed aspects")
    }

    @Test
    func `an ad-hoc listing leaves a changed definition, the checkpoint and the retained fetch for the next sync`()
        async throws
    {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        _ = try await bench.open(path: "/news", isAdHoc: true)
        try await require(bench.entry(entry.id).state, is: .queued, "the entry")
        try await require(
            bench.store.resourceStates().first?.checkpoint, is: StoreBench.page(2), "the checkpoint")
        try await require(bench.open(path: "/news").changedAspects, is: [.path], "what the next sync is told")
    }

    @Test func `names that differ only in case, and names like our own tables', are refused`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.open()
        for name in ["Posts", "siding_posts", "SQLITE_x", ""] {
            let lease = try await StoreBench.lease(bench.store, of: name)
            let opening = try bench.opening(resource: name, lease: lease)
            let store = bench.store
            try await bench.refuses(.invalidName, "the name '\(name)'") { _ = try await store.openListing(opening) }
        }
    }

    @Test func `an open listing continues at its checkpoint, also in another process`() async throws {
        var bench = try await StoreBench()
        let first = try await bench.commitFirstPage()
        try await bench.nextSync()
        let next = try await bench.open()
        try require(next.page, is: StoreBench.page(2), "the page")
        try require(next.listing, is: first.listing, "the listing")
        try require(next.isResumed, "it does not count as resumed")
        try await bench.crash()
        let later = try await bench.open()
        try require(later.page, is: StoreBench.page(2), "the page in another process")
    }

    @Test func `a listing that reached its end is complete, and the next one begins anew`() async throws {
        let bench = try await StoreBench()
        let first = try await bench.commitFirstPage()
        bench.time.advance(by: .seconds(7))
        try await bench.commit("[]", first, page: StoreBench.page(2))
        try await require(bench.store.resourceStates().first?.completedAt, is: bench.time.now, "completedAt")
        let second = try await bench.open()
        try require(second.page, is: StoreBench.page(1), "the page")
        try require(second.listing != first.listing, "the listing has the number of the one before")
    }

    @Test func `the first page opens a listing as of its request, where nothing has to be written before`() async throws
    {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        let first = bench.time.now
        bench.time.advance(by: .seconds(7))
        let second = bench.time.now
        let position = try await bench.unopened()
        try await require(bench.listing(), is: "1 complete \(first.microseconds)", "the listing before its page")
        bench.time.advance(by: .seconds(7))
        try await bench.commit("[]", position, next: .page(StoreBench.page(2)))
        try await require(bench.listing(), is: "2 open \(second.microseconds)", "the listing after its page")
    }

    @Test func `a listing of which no page could be saved is open all the same`() async throws {
        let bench = try await StoreBench()
        try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        let position = try await bench.unopened()
        try await bench.store.openWithoutPage(position)
        try await require(bench.store.resourceStates().first?.checkpoint, is: position.page, "the checkpoint")
        let entry = try await bench.retain(1)
        try await require(bench.open().entry?.id, is: entry.id, "the entry in hand")
    }

    @Test func `a complete listing forgets the pages that it did not see`() async throws {
        let bench = try await StoreBench()
        let first = try await bench.commitFirstPage(etag: "1")
        try await bench.commit("[]", first, etag: "2", page: StoreBench.page(2))
        try await bench.commit("[]", bench.open(), etag: "3")
        let seen = try await bench.store.storedPage(StoreBench.page(1), of: "posts")
        try require(seen?.etag, is: "3", "the page that was seen")
        try await require(
            bench.store.storedPage(StoreBench.page(2), of: "posts") == nil, "a page that was not seen stays")
    }

    @Test func `a listing that was cut is not complete, and forgets no page`() async throws {
        let bench = try await StoreBench()
        let first = try await bench.commitFirstPage(etag: "1")
        try await bench.commit("[]", first, etag: "2", page: StoreBench.page(2))
        let completed = try await bench.store.resourceStates().first?.completedAt
        bench.time.advance(by: .seconds(7))
        try await bench.commit("[]", bench.open(), next: .incomplete("a loop"))
        let state = try await require(bench.store.resourceStates().first, "the state")
        try require(state.completedAt, is: completed, "completedAt")
        try require(state.checkpoint, is: nil, "the checkpoint")
        let unseen = try await bench.store.storedPage(StoreBench.page(2), of: "posts")
        try require(unseen?.etag, is: "2", "the page that was not seen")
    }

    @Test func `the page at which a listing was cut has no validators: a 304 would make it the last`() async throws {
        let bench = try await StoreBench()
        let position = try await bench.open()
        try await bench.commit(#"[{"id":"a"}]"#, position, next: .stopped("max_pages (1) reached"), etag: "1")
        let stored = try await bench.store.storedPage(position.page, of: "posts")
        try require(stored?.etag == nil, "its etag was kept")
    }

    @Test func `an old checkpoint is dropped and reported, a young one is not`() async throws {
        var bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        bench.time.advance(by: .seconds(86_400))
        try await bench.nextSync()
        let young = try await bench.open()
        try require(young.droppedCheckpoint == nil && young.page == StoreBench.page(2), "it was dropped")
        bench.time.advance(by: .seconds(1))
        try await bench.nextSync()
        let old = try await bench.open()
        try require(old.page, is: StoreBench.page(1), "the page")
        try require(old.droppedCheckpoint != nil && !old.isResumed, "it is not told")
        try await require(bench.entry(entry.id).state, is: .done, "the retained fetch")
    }

    @Test func `a page that an operator holds keeps its old checkpoint`() async throws {
        var bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        _ = try await bench.perform(.hold, entry)
        bench.time.advance(by: .seconds(900_000))
        try await bench.nextSync()
        try await require(bench.open().blockedBy?.id, is: entry.id, "what blocks the listing")
    }

    @Test func `a listing that restarts drops the checkpoint and completes the retained fetch`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage()
        let entry = try await bench.retain()
        let position = try await bench.open(startsAnew: true)
        try require(position.page, is: StoreBench.page(1), "the page")
        try require(position.entry == nil && !position.isResumed, "it counts as resumed")
        try await require(bench.entry(entry.id).state, is: .done, "the retained fetch")
        try await require(bench.store.history(of: entry.id).last?.event, is: .superseded, "its last event")
    }

    @Test func `a restarted listing forgets checkpoint, retained fetch, and the next pages of its stored pages`()
        async throws
    {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage(etag: "1")
        let entry = try await bench.retain()
        let resumed = try await bench.open()
        let opening = try bench.opening()
        let position = try await bench.store.restartListing(opening, because: "the origin refused page 2")
        try require(position.page, is: StoreBench.page(1), "the page")
        try require(position.listing != resumed.listing && !position.isResumed, "it is the old listing")
        try require(position.droppedCheckpoint, is: "the origin refused page 2", "what is told")
        try await require(bench.entry(entry.id).state, is: .done, "the retained fetch")
        try await require(
            bench.store.storedPage(StoreBench.page(1), of: "posts") == nil, "a stored page stays")
    }

    @Test func `an ad-hoc listing leaves checkpoint, validators and retained fetch unchanged`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage(etag: "1")
        let entry = try await bench.retain()
        let aside = try await bench.open(isAdHoc: true)
        try require(aside.page, is: StoreBench.page(1), "its page")
        try require(aside.entry == nil && !aside.isResumed, "it took the retained fetch in hand")
        let content = try StoreBench.content(#"[{"id":"x"}]"#)
        let counters = try await bench.store.commit(bench.pageCommit(content, aside, etag: "2", isAdHoc: true))
        try require(counters.inserted, is: 1, "inserted")
        try await require(bench.entry(entry.id), is: entry, "the retained fetch")
        let stored = try await bench.store.storedPage(StoreBench.page(1), of: "posts")
        try require(stored?.etag, is: "1", "the validators")
        let state = try await require(bench.store.resourceStates().first, "the state")
        try require(state.checkpoint, is: StoreBench.page(2), "the checkpoint")
        try require(state.completedAt, is: nil, "completedAt")
    }

    @Test func `an ad-hoc listing creates no listing row`() async throws {
        let bench = try await StoreBench()
        let aside = try await bench.open(isAdHoc: true)
        let content = try StoreBench.content(#"[{"id":"x"}]"#)
        _ = try await bench.store.commit(bench.pageCommit(content, aside, isAdHoc: true))
        let state = try await require(bench.store.resourceStates().first, "the state")
        try require(state.checkpoint == nil && state.completedAt == nil, "it left a listing behind")
    }

    @Test func `a changed definition discards checkpoint, validators and retained fetch, and is reported`()
        async throws
    {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage(etag: "1")
        let entry = try await bench.retain()
        let position = try await bench.open(path: "/news")
        try require(position.changedAspects, is: [.path], "the changed aspects")
        try require(position.page, is: StoreBench.page(1), "the page")
        try require(position.entry == nil && !position.isResumed, "it counts as resumed")
        try await require(
            bench.store.storedPage(StoreBench.page(1), of: "posts") == nil, "validators stay")
        try await require(bench.entry(entry.id).state, is: .done, "the retained fetch")
        try await require(bench.open(path: "/news").changedAspects, is: [], "what is told once more")
    }

    @Test func `the same definition discards nothing`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage(etag: "1")
        let position = try await bench.open()
        try require(position.changedAspects, is: [], "the changed aspects")
        let stored = try await bench.store.storedPage(StoreBench.page(1), of: "posts")
        try require(stored?.etag, is: "1", "the validators")
    }

    @Test func `a changed key is refused while records are stored under the old one, and else frees the key type`()
        async throws
    {
        let bench = try await StoreBench()
        try await bench.commit("[]", bench.open())
        let counters = try await bench.commit(
            #"[{"id":1,"uuid":"x"}]"#, bench.open(key: "uuid"), key: "uuid")
        try require(counters.inserted, is: 1, "inserted")
        try require(counters.quarantined, is: 0, "quarantined")
        try await bench.refuses(.contract, "a key under which nothing is stored") { _ = try await bench.open() }
        try await require(bench.record("x").run, is: bench.run, "what is stored")
    }
}

extension StoreBench {
    /// Number, state and beginning of the listing.
    fileprivate func listing() async throws -> String? {
        try await store.read { snapshot in
            try snapshot.first("SELECT listing || ' ' || state || ' ' || started_at FROM siding_listings") {
                $0.text(0)
            }
        }
    }
}
