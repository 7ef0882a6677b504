// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding

@Suite struct CursorsLawTests {
    @Test func `a cursor moves with the page that moves it, and is there for the next listing`() async throws {
        let bench = try await StoreBench()
        let position = try await bench.open()
        try await require(bench.store.cursor(of: "posts") == nil, "there is a cursor before there was any")
        let content = try StoreBench.content(#"[{"id":"a"}]"#)
        let move = CursorMove(reached: "7", moved: nil)
        _ = try await bench.store.commit(
            bench.pageCommit(content, position, next: .page(StoreBench.page(2)), cursor: move))
        try await require(bench.store.cursor(of: "posts") == nil, "it moved without being told to")
        try await require(bench.open().cursor.reached, is: "7", "how far the open listing came")
        bench.time.advance(by: .seconds(3))
        _ = try await bench.store.commit(
            bench.pageCommit(
                content, position, page: StoreBench.page(2), cursor: CursorMove(reached: "9", moved: "9")))
        let stored = try await require(bench.store.cursor(of: "posts"), "the cursor")
        try require(stored.value, is: "9", "the cursor")
        try require(stored.movedAt, is: bench.time.now, "when it moved")
        try require(stored.definition, is: StoreBench.definition(), "its definition")
        try await require(bench.open().cursor.reached, is: nil, "how far a new listing came")
    }

    @Test func `a listing continues with its first cursor, even if a later one would request another`() async throws {
        let bench = try await StoreBench()
        let wanted = ListingCursor(from: "3", moves: true)
        var opening = try bench.opening()
        opening.cursor = wanted
        let position = try await bench.store.openListing(opening)
        try require(position.cursor, is: wanted, "the cursor of a new listing")
        try await bench.commit(#"[{"id":"a"}]"#, position, next: .page(StoreBench.page(2)))
        try await require(bench.open().cursor, is: wanted, "the cursor of the resumed listing")
    }

    @Test func `a listing that waits for its end still waits, and a new one does not`() async throws {
        let bench = try await StoreBench()
        let position = try await bench.open()
        let content = try StoreBench.content(#"[{"id":"a"}]"#)
        let move = CursorMove(reached: nil, moved: nil, waits: true)
        _ = try await bench.store.commit(
            bench.pageCommit(content, position, next: .page(StoreBench.page(2)), cursor: move))
        try await require(bench.open().cursor.waits, is: true, "whether the open listing waits")
        try await require(bench.open(startsAnew: true).cursor.waits, is: false, "whether a new listing waits")
    }

    @Test func `a page at which a listing ends early keeps its next page, and its high-water mark`() async throws {
        let bench = try await StoreBench()
        let position = try await bench.open()
        let next = try StoreBench.page(2)
        var commit = bench.pageCommit(try StoreBench.content(#"[{"id":"a"}]"#), position, etag: "1")
        commit.listed.behind = next
        commit.listed.highWaterMark = "7"
        commit.listed.page.digest = .max
        _ = try await bench.store.commit(commit)
        let stored = try await require(bench.store.storedPage(position.page, of: "posts"), "the page")
        try require(
            stored,
            is: StoredPage(
                etag: "1", lastModified: nil, next: next, recordCount: 1, readAt: bench.time.now, highWaterMark: "7",
                digest: .max), "the page")
        try await require(bench.store.resourceStates().first?.completedAt, is: bench.time.now, "the listing's end")
    }

    @Test func `a definition that changed has no cursor`() async throws {
        let bench = try await StoreBench()
        try await bench.set("5")
        _ = try await bench.open(key: "uuid")
        try await require(bench.store.cursor(of: "posts") == nil, "the cursor is still there")
    }

    @Test func `an operator sets and forgets a cursor; the open listing and its queued page end`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.commitFirstPage(etag: "1")
        let entry = try await bench.retain()
        try await bench.set("5")
        try await require(bench.store.cursor(of: "posts")?.value, is: "5", "the cursor")
        let page = try await bench.store.storedPage(StoreBench.page(1), of: "posts")
        try require(page?.etag == nil, "a 304 could still confirm a page of the listings before")
        try await require(bench.entry(entry.id).state, is: .done, "the entry")
        try await require(bench.open().page, is: StoreBench.page(1), "the page")
        try await bench.set(nil)
        try await require(bench.store.cursor(of: "posts") == nil, "the cursor is still there")
        let store = bench.store
        let lease = try await StoreBench.lease(store, of: "none")
        try await bench.refuses(.notFound, "a resource that was never opened") {
            try await store.setCursor("1", of: "none", lease: lease)
        }
    }

    @Test func `a restart forgets the cursor only where it leads nowhere`() async throws {
        let bench = try await StoreBench()
        try await bench.set("5")
        _ = try await bench.store.restartListing(bench.opening(), because: "a test")
        try await require(bench.store.cursor(of: "posts")?.value, is: "5", "the cursor")
        var opening = try bench.opening()
        opening.forgetsCursor = true
        _ = try await bench.store.restartListing(opening, because: "a test")
        try await require(bench.store.cursor(of: "posts") == nil, "the cursor is still there")
    }
}

extension StoreBench {
    fileprivate func set(_ value: String?) async throws {
        _ = try await open()
        try await store.setCursor(value, of: Self.resource, lease: lease)
    }
}
