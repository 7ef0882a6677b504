// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// A page counts as of the moment it was requested: it changes no record whose own write was delivered since.
@Suite(.timeLimit(.minutes(5))) struct OvertakenPageTests {
    private static let old = #"{"id":"a","title":"old"}"#
    private static let new = #"{"id":"a","title":"new"}"#

    private func bench() async throws -> EditBench {
        let bench = try await EditBench()
        try await bench.pull("[\(Self.old)]")
        return bench
    }

    /// Requests a page, does `meanwhile`, and saves the page.
    private func page(
        _ json: String, _ bench: EditBench, etag: String? = nil, cursor: CursorMove? = nil, next: Step = .end,
        meanwhile: () async throws -> Void
    ) async throws -> RunCounters {
        let position = try await bench.sqlite.bench.open()
        let newest = try await bench.sqlite.bench.newestRequest()
        try await meanwhile()
        var commit = bench.sqlite.bench.pageCommit(
            try StoreBench.content(json), position, next: next, etag: etag, cursor: cursor)
        commit.listed.page.requestedAfter = newest
        return try await bench.store.commit(commit)
    }

    private func isLive(_ bench: EditBench) async throws -> Bool { try await bench.shown("a") != nil }

    @Test(arguments: WriteEdit.Change.allCases, [true, false])
    func `the effect of an own write stays, for any change and with or without the record in its answer`(
        change: WriteEdit.Change, isAnswered: Bool
    ) async throws {
        let bench = try await bench()
        let key = change == .create ? nil : "a"
        let body = change == .create ? #"{"title":"new"}"# : change == .delete ? nil : Self.new
        if change == .create { try await bench.deliver(bench.edit(.delete, "a"), status: 204) }
        let entry = try await bench.edit(change, key, body)
        let counters = try await page("[\(Self.old)]", bench) {
            try await bench.deliver(entry, change != .delete && (isAnswered || change == .create) ? Self.new : "")
        }
        #expect(try await bench.shown("a") == (change == .delete ? nil : Self.new))
        #expect(counters.stale == 1 && counters.changed == 0)
        try await bench.expectSound()
        // A page that is requested after the delivery is news again.
        #expect(try await bench.pull("[\(Self.old)]").stale == 0)
        #expect(try await bench.shown("a") == Self.old)
    }

    @Test func `a page stays older than a write though the newest requests were forgotten in between`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", Self.new)
        try await bench.sqlite.execute(
            """
            INSERT INTO siding_provenance (resource, id, cause, run, method, url, at)
            VALUES (1, 77, 'page', 1, 'GET', 'x', 0);
            UPDATE siding_resources SET requests = 77;
            """)
        _ = try await page("[\(Self.old)]", bench) {
            try await bench.sqlite.execute("DELETE FROM siding_provenance WHERE url = 'x'")
            try await bench.deliver(entry, Self.new)
        }
        #expect(try await bench.shown("a") == Self.new)
    }

    /// Saves a page that was requested just now.
    private func latePage(_ json: String, _ bench: EditBench, cursor: CursorMove? = nil) async throws -> RunCounters {
        try await page(json, bench, cursor: cursor) {}
    }

    @Test(arguments: [WriteEdit.Change.merge, .replace, .delete], [true, false])
    func `a replica that lags behind an own write brings back nothing`(
        change: WriteEdit.Change, isAnswered: Bool
    ) async throws {
        let bench = try await bench()
        let entry = try await bench.edit(change, "a", change == .delete ? nil : Self.new)
        try await bench.deliver(entry, change != .delete && isAnswered ? Self.new : "")
        #expect(try await latePage("[\(Self.old)]", bench).stale == 1)
        #expect(try await bench.shown("a") == (change == .delete ? nil : Self.new))
        try await bench.expectSound()
        // Something else than what the write replaced is news.
        #expect(try await latePage(#"[{"id":"a","title":"theirs"}]"#, bench).stale == 0)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"theirs"}"#)
    }

    @Test func `a replica that lags behind two own writes brings back neither record`() async throws {
        let bench = try await bench()
        try await bench.deliver(bench.edit(.merge, "a", Self.new), Self.new)
        try await bench.deliver(bench.edit(.merge, "a", #"{"title":"newest"}"#), "")
        for page in [Self.old, Self.new] {
            #expect(try await latePage("[\(page)]", bench).stale == 1)
            #expect(try await bench.shown("a") == #"{"id":"a","title":"newest"}"#)
        }
    }

    @Test func `a replica that lags changes nothing after another one has shown the write`() async throws {
        let bench = try await bench()
        try await bench.deliver(bench.edit(.merge, "a", Self.new), "")
        let fresh = #"{"id":"a","title":"new","updated":2}"#
        #expect(try await latePage("[\(fresh)]", bench).changed == 1)
        #expect(try await latePage("[\(Self.old)]", bench).stale == 1)
        #expect(try await bench.shown("a") == fresh)
    }

    @Test func `a clock that was set back makes no write recent`() async throws {
        let bench = try await bench()
        try await bench.deliver(bench.edit(.merge, "a", Self.new), Self.new)
        bench.time.advance(by: .seconds(-86_400))
        #expect(try await latePage("[\(Self.old)]", bench).stale == 0)
    }

    @Test func `a record set back to its state before an own write is accepted when no replica lags that much`()
        async throws
    {
        let bench = try await bench()
        try await bench.deliver(bench.edit(.merge, "a", Self.new), Self.new)
        bench.time.advance(by: OvertakenPage.longestLag)
        #expect(try await latePage("[\(Self.old)]", bench).stale == 0)
        #expect(try await bench.shown("a") == Self.old)
    }

    @Test(arguments: ConflictPolicy.allCases, [true, false])
    func `a replica that lags decides no conflict of the next edit`(
        policy: ConflictPolicy, isHeld: Bool
    ) async throws {
        let bench = try await bench()
        try await bench.deliver(bench.edit(.merge, "a", #"{"title":"new"}"#) { $0.conflict = policy }, "")
        let next = try await bench.edit(.merge, "a", #"{"title":"newest"}"#) { $0.conflict = policy }
        let one = QueueSelection(ids: [next.id])
        if isHeld { _ = try await bench.store.perform(.hold, on: one) }
        #expect(try await latePage("[\(Self.old)]", bench).stale == 1)
        if isHeld { _ = try await bench.store.perform(.release, on: one) }
        #expect(try await bench.entry(next.id).state == .queued)
        #expect(try await bench.claim(next.id) != nil)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"newest"}"#)
    }

    @Test(arguments: ConflictPolicy.allCases)
    func `the next edit is neither dropped nor parked for the page`(policy: ConflictPolicy) async throws {
        let bench = try await bench()
        let first = try await bench.edit(.merge, "a", #"{"title":"new"}"#) { $0.conflict = policy }
        let second = try await bench.edit(.merge, "a", #"{"title":"newest"}"#) { $0.conflict = policy }
        let counters = try await page("[\(Self.old)]", bench) { try await bench.deliver(first, Self.new) }
        #expect(counters.stale == 1)
        #expect(try await bench.entry(second.id).state == .queued)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"newest"}"#)
        #expect(try await bench.bases() == [["a", Self.new]])
    }

    @Test func `a page requested after the delivery is a change of the origin, also for the next edit`() async throws {
        let bench = try await bench()
        let first = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let second = try await bench.edit(.merge, "a", #"{"title":"newest"}"#)
        try await bench.deliver(first, Self.new)
        let counters = try await page(#"[{"id":"a","title":"theirs"}]"#, bench) {}
        #expect(counters.stale == 0)
        #expect(try await bench.entry(second.id).reason == .conflict)
    }

    @Test func `the page is requested whole next time, and its 304 restores no validator`() async throws {
        let bench = try await bench()
        let store = bench.sqlite.bench
        func etag() async throws -> String? {
            try await bench.store.storedPage(StoreBench.page(1), of: "posts")?.etag
        }
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        _ = try await page("[\(Self.old)]", bench, etag: "\"1\"") { try await bench.deliver(entry, Self.new) }
        #expect(try await etag() == nil)
        try await store.commit("[\(Self.old)]", store.open(), etag: "\"1\"")
        #expect(try await etag() == "\"1\"")
        let position = try await store.open()
        try await bench.deliver(bench.edit(.merge, "a", #"{"title":"newer"}"#))
        #expect(try await etag() == nil)
        _ = try await bench.store.commit(store.pageCommit(.notModified(recordCount: 1), position, etag: "\"1\""))
        #expect(try await etag() == nil)
    }

    @Test func `the cursor does not pass a skipped record, in this listing nor by a later page`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let next = try StoreBench.page(2)
        _ = try await page(
            "[\(Self.old)]", bench, cursor: CursorMove(reached: "7", moved: "7"), next: .page(next)
        ) {
            try await bench.deliver(entry, Self.new)
            try await bench.sqlite.execute("UPDATE siding_listings SET cursor = json_set(cursor, '$.moves', 1)")
        }
        #expect(try await bench.store.cursor(of: "posts") == nil)
        let resumed = try await bench.sqlite.bench.open()
        let content = try StoreBench.content(#"[{"id":"b"}]"#)
        let move = CursorMove(reached: "9", moved: "9")
        _ = try await bench.store.commit(bench.sqlite.bench.pageCommit(content, resumed, page: next, cursor: move))
        #expect(try await bench.store.cursor(of: "posts") == nil)
        _ = try await bench.store.commit(
            bench.sqlite.bench.pageCommit(content, bench.sqlite.bench.open(), cursor: move))
        #expect(try await bench.store.cursor(of: "posts")?.value == "9")
    }

    /// How far a write of the record is when a page shows it.
    private enum Stage: CaseIterable { case queued, underWay, inDoubt, completed }

    @Test(arguments: Stage.allCases, [true, false])
    private func `the cursor passes no record whose own write is under way or uncertain`(
        _ stage: Stage, isOpen: Bool
    ) async throws {
        let bench = try await bench()
        let store = bench.sqlite.bench
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#) { $0.conflict = .mine }
        let write = stage == .queued ? nil : try await bench.claim(entry.id)
        switch stage {
        case .queued, .underWay: break
        case .inDoubt: try await bench.recordResult(#require(write), .parked(.uncertain))
        case .completed: try await bench.recordResult(#require(write), .answered(""))
        }
        let position = try await store.open()
        try await bench.sqlite.execute("UPDATE siding_listings SET cursor = json_set(cursor, '$.moves', 1)")
        let second = try StoreBench.page(2)
        func list(_ json: String, at page: PageRequest? = nil, next: Step) async throws {
            let move = CursorMove(reached: "9", moved: next == .end ? "9" : nil)
            let content = try StoreBench.content(json)
            _ = try await bench.store.commit(
                store.pageCommit(content, position, next: next, etag: "\"1\"", page: page, cursor: move))
        }
        try await list(#"[{"id":"a","title":"theirs"}]"#, next: isOpen ? .page(second) : .end)
        let isDoubtful = stage == .underWay || stage == .inDoubt
        #expect(try await bench.store.storedPage(StoreBench.page(1), of: "posts")?.etag == (isDoubtful ? nil : "\"1\""))
        if stage == .underWay { try await bench.recordResult(#require(write), .answered(Self.new)) }
        if isOpen { try await list(#"[{"id":"b"}]"#, at: second, next: .end) }
        #expect(try await bench.store.cursor(of: "posts")?.value == (isDoubtful ? nil : "9"))
        try await bench.expectSound()
    }

    @Test func `a record that is deleted before any page showed it does not come with a page requested before`()
        async throws
    {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"b"}]"#)
        let entry = try await bench.edit(.delete, "a")
        let counters = try await page("[\(Self.old)]", bench) { try await bench.deliver(entry, status: 204) }
        #expect(try await bench.shown("a") == nil && counters.stale == 1)
        try await bench.expectSound()
        try await bench.pull("[\(Self.old)]")
        #expect(try await bench.shown("a") == Self.old)
    }

    @Test func `a cursor that is reset returns to its former value, and an ad-hoc listing stays one`() async throws {
        let bench = try await bench()
        let store = bench.sqlite.bench
        let first = try StoreBench.content("[\(Self.old)]")
        let move = CursorMove(reached: "3", moved: "3")
        _ = try await bench.store.commit(store.pageCommit(first, store.open(), cursor: move))
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let back = CursorMove(from: "3", reached: nil, moved: "3", takesBack: true, waits: true)
        _ = try await page("[\(Self.old)]", bench, cursor: back, next: .page(try StoreBench.page(2))) {
            try await bench.deliver(entry, Self.new)
            try await bench.sqlite.execute(
                "UPDATE siding_listings SET cursor = json_set(cursor, '$.moves', 0), parent_revision = 5")
        }
        #expect(try await bench.store.cursor(of: "posts")?.value == "3")
        // The parent of the listing stays due, and a listing that began beyond the cursor does not count as all of it.
        let listing = try await bench.sqlite.rows("SELECT cursor ->> 'moves', parent_revision FROM siding_listings")
        #expect(listing == [["0", nil]])
    }

    @Test func `a page that is under way while a write is delivered leaves its record alone, in a sync`() async throws {
        let gate = Gatepost()
        let bench = try await EngineBench(
            ScriptedOrigin(["/posts/1": .text(#"{"id":1,"title":"new"}"#)]) { if $0 == "/posts" { await gate.pass() } })
        bench.origin.set("/posts", .text(#"[{"id":1,"title":"old"}]"#))
        async let report = bench.sync()
        while bench.origin.waiting == 0 { await Task.yield() }
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .put, try HTTPURL("https://api.example.org/posts/1"), body: Array(#"{"title":"new"}"#.utf8)
            )
            .with(\.edit, WriteEdit(.replace, of: bench.resource, key: "1")))
        let sender = WriteSender(
            store: bench.store, sources: [bench.resource.source], transports: bench.origin,
            environment: RuntimeEnvironment(connectivity: bench.connectivity, wallClock: bench.time.clock))
        #expect(try await sender.send(entry.id)?.state == .done)
        gate.open()
        #expect(try await report.result.counters.stale == 1)
        let record = try await bench.store.record(of: "posts", key: "1")
        #expect(record.map { String(decoding: $0.body, as: UTF8.self) } == #"{"id":1,"title":"new"}"#)
    }
}
