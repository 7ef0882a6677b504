// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct PassesLawTests {
    @Test func `each live record of another resource is due once in a pass`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        try await require(bench.due(pass), is: ["a", "b", "c"], "who is due at first")
        try await bench.list("b", pass)
        try await require(bench.due(pass), is: ["a", "c"], "who is due after one")
        try await require(bench.due(pass, after: "a"), is: ["c"], "who is due behind the first")
        try await bench.nextChildSync()
        let resumed = try await bench.openPass()
        try require(resumed.isResumed && resumed.pass == pass.pass, "the pass does not go on")
        try await require(bench.due(resumed), is: ["a", "c"], "who is due in the next sync")
        try await bench.end(resumed, isComplete: false)
        let next = try await bench.openPass()
        try require(next.pass, is: pass.pass + 1, "the next round")
        try await require(bench.due(next), is: ["a", "b", "c"], "who is due in the next round")
    }

    @Test func `a listing that is not complete stays due, and so does one whose parent changed`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        for key in ["a", "b"] { try await bench.list(key, pass) }
        try await bench.list("c", pass, next: .incomplete("a test"))
        try await require(bench.due(pass), is: [], "who is due in the round")
        try await bench.end(pass, isComplete: false)
        try await bench.changeParents(#"[{"id":"a"},{"id":"b","n":1},{"id":"c"},{"id":"d"}]"#)
        let next = try await bench.openPass()
        try await require(bench.due(next, changed: true), is: ["b", "c", "d"], "who is due")
        let outlook = try await bench.store.outlook(bench.selection(next, changed: true))
        try require(
            outlook, is: ParentOutlook(all: 4, due: 3, new: 1, unfinished: 1, changed: 1), "the outlook")
    }

    @Test func `a pass that is complete makes its resource so, and one that is not does not`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"}]"#)
        try await bench.list("a", pass)
        try await require(bench.childState().completedAt, is: nil, "when it was complete")
        try await bench.end(pass, isComplete: false)
        try await require(bench.childState().completedAt, is: nil, "when it was complete")
        try await require(bench.childState().pass?.isOpen, is: false, "whether the pass goes on")
        let next = try await bench.openPass()
        try await bench.end(next, isComplete: true)
        try await require(bench.childState().completedAt, is: bench.time.now, "when it was complete")
    }

    @Test func `a pass of which nothing was saved for too long is given up`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        bench.time.advance(by: .seconds(80_000))
        try await bench.list("a", pass)
        bench.time.advance(by: .seconds(80_000))
        try await require(bench.openPass().isResumed, "a page was saved, and yet it was given up")
        bench.time.advance(by: .seconds(100_000))
        let next = try await bench.openPass()
        try require(next.pass, is: pass.pass + 1, "the round")
        try require(next.droppedPass, is: "its pass is older than 48 h", "why")
        try await require(bench.due(next), is: ["a", "b"], "who is due")
    }

    @Test func `with a changed definition, or a full pass, every parent is due`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        for key in ["a", "b"] { try await bench.list(key, pass) }
        try await bench.end(pass, isComplete: true)
        let anew = try await bench.openPass(startsAnew: true)
        try require(anew.takesAll, "it does not take all")
        try await require(bench.due(anew), is: ["a", "b"], "who is due")
        let changed = try await bench.openPass(path: "/news")
        try require(changed.changedAspects, is: [.path], "what changed")
        try await require(bench.due(changed, changed: true), is: ["a", "b"], "who is due, as nothing is known")
    }

    @Test func `a retained fetch continues where its parent is requested, and is superseded where it is not`()
        async throws
    {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        var entries: [String: QueueEntry] = [:]
        for key in ["a", "b"] {
            let position = try await bench.open(key, pass)
            entries[key] = try await bench.retain(position.page)
        }
        try require(Set(entries.values.map(\.id)).count, is: 2, "the number of entries")
        try await bench.nextChildSync()
        let next = try await bench.openPass(startsAnew: false)
        let taken = try await bench.open("a", next)
        try require(taken.entry?.id, is: entries["a"]?.id, "the entry that was taken up")
        let other = PassPosition(pass: next.pass + 1, takesAll: false, isResumed: false)
        try await bench.end(other, isComplete: false)
        for entry in entries.values { try await require(bench.entry(entry.id).state, is: .done, "the entry") }
    }

    @Test func `the retained fetch of a parent that is gone meanwhile ends with the pass that has its listing`()
        async throws
    {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        var entries: [QueueEntry] = []
        for key in ["a", "b"] { entries.append(try await bench.retain(bench.open(key, pass).page)) }
        _ = try await bench.store.delete(RecordLookup(resource: StoreBench.resource, keys: ["a"]))
        try await bench.end(pass, isComplete: false)
        try await require(bench.entry(entries[0].id).state, is: .done, "the entry of the one that is gone")
        try await require(bench.entry(entries[1].id).state, is: .queued, "the other one")
    }

    @Test func `each listing has a cursor of its own`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        try await bench.list("a", pass, cursor: CursorMove(reached: "7", moved: "7"))
        bench.time.advance(by: .seconds(1))
        try await bench.list("b", pass, cursor: CursorMove(reached: "3", moved: "3"))
        let child = StoreBench.child
        try await require(bench.store.cursor(of: child, scope: "a")?.value, is: "7", "the first cursor")
        try await require(bench.store.cursor(of: child) == nil, "there is one for all")
        try await require(bench.store.scopedCursors(of: child).map(\.scope), is: ["a", "b"], "whose there are")
    }

    @Test
    func `a record missing from two passes over all parents is a tombstone; a pass without a parent does not count`()
        async throws
    {
        var bench = try await StoreBench()
        var pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        try await require(bench.pass(&pass, ["a": "[1,2]", "b": "[2,3,4]"]), is: 0, "deleted at first")
        // One moves, one goes.
        for _ in 0..<3 { try await require(bench.pass(&pass, ["a": "[1]"]), is: 0, "deleted without the other") }
        try await require(bench.pass(&pass, ["a": "[1]", "b": "[2,3]"]), is: 0, "deleted by one round")
        try await require(bench.pass(&pass, ["a": "[1,3]", "b": "[2]"]), is: 0, "deleted while one moved")
        try await require(bench.pass(&pass, ["a": "[1,3]", "b": "[2]"]), is: 1, "deleted by the third")
        try await require(bench.childKeys(), is: ["1", "2", "3"], "the records")
    }

    @Test func `all listings of a pass have one guard together`() async throws {
        var bench = try await StoreBench()
        var pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        try await require(bench.pass(&pass, ["a": "[1,2,3,4]", "b": "[5,6,7,8]"]), is: 0, "deleted at first")
        for _ in 0..<3 { try await require(bench.pass(&pass, ["a": "[1]", "b": "[]"]), is: 0, "deleted") }
        try await require(bench.lastBlocked(), is: 7, "deletions_blocked")
    }

    @Test func `records of a deleted parent wait until it is back`() async throws {
        var bench = try await StoreBench()
        var pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        try await require(bench.pass(&pass, ["a": "[1,2]", "b": "[3,4]"]), is: 0, "deleted at first")
        _ = try await bench.store.delete(RecordLookup(resource: StoreBench.resource, keys: ["b"]))
        for _ in 0..<3 { try await require(bench.pass(&pass, ["a": "[1,2]"]), is: 0, "deleted without it") }
        try await bench.changeParents(#"[{"id":"a"},{"id":"b","n":1}]"#)
        // Its page was forgotten, so that nobody knows whether records moved.
        for deleted in [0, 0, 1] {
            try await require(bench.pass(&pass, ["a": "[1,2]", "b": "[3]"]), is: deleted, "deleted by three passes")
        }
        try await require(bench.childKeys(), is: ["1", "2", "3"], "the records")
    }

    @Test func `the state of a deleted parent's listing is deleted`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"}]"#)
        for key in ["a", "b"] { try await bench.list(key, pass, cursor: CursorMove(reached: "7", moved: "7")) }
        _ = try await bench.store.delete(RecordLookup(resource: StoreBench.resource, keys: ["a"]))
        try await require(bench.due(pass), is: [], "who is due")
        try await bench.end(pass, isComplete: true)
        try await require(
            bench.store.scopedCursors(of: StoreBench.child).map(\.scope), is: ["b"], "whose cursors are left")
    }

    @Test func `a quarantined answer is deleted with its parent, and a quarantined record is not`() async throws {
        var bench = try await StoreBench()
        let pass = try await bench.parents(#"[{"id":"a"},{"id":"b"},{"id":"c"}]"#)
        try await bench.list("a", pass, StoreBench.content(#"[{"no":1}]"#))
        for key in ["b", "c"] {
            try await bench.list(key, pass, .setAside(Array("{}".utf8), reason: "a test"), next: .incomplete("a test"))
        }
        try await require(bench.childState().quarantined, is: 3, "quarantined")
        _ = try await bench.store.delete(RecordLookup(resource: StoreBench.resource, keys: ["a", "b"]))
        try await bench.end(pass, isComplete: false)
        try await require(bench.childState().quarantined, is: 2, "left in quarantine")
    }
}

extension StoreBench {
    static let child = "comments"

    /// Saves the parents, and opens the first pass over them.
    fileprivate mutating func parents(_ json: String) async throws -> PassPosition {
        try await store.releaseLease(lease)
        try await changeParents(json)
        try await takeChild()
        return try await openPass()
    }

    fileprivate func changeParents(_ json: String) async throws {
        let parents = try await Self.lease(store)
        let opening = try self.opening(lease: parents)
        let position = try await store.openListing(opening)
        var commit = try pageCommit(Self.content(json), position)
        commit.open.lease = parents
        _ = try await store.commit(commit)
        try await store.releaseLease(parents)
    }

    /// The bench's lease is the child's from here on.
    private mutating func takeChild() async throws {
        lease = try await Self.lease(store, of: Self.child)
    }

    /// Gives the child's lease back and takes it again, as its next sync does.
    fileprivate mutating func nextChildSync() async throws {
        try await store.releaseLease(lease)
        run = try await store.beginRun(command: "sync comments")
        try await takeChild()
    }

    fileprivate func childOpening(path: String = "/posts", startsAnew: Bool = false) throws -> ListingOpening {
        var opening = try self.opening(path: path, startsAnew: startsAnew, resource: Self.child)
        opening.parent = ListingParent(resource: Self.resource, revision: 0, pass: nil)
        return opening
    }

    fileprivate func openPass(path: String = "/posts", startsAnew: Bool = false) async throws -> PassPosition {
        try await store.openPass(
            childOpening(path: path, startsAnew: startsAnew))
    }

    fileprivate func selection(_ pass: PassPosition, changed: Bool = false) -> ParentSelection {
        ParentSelection(resource: Self.child, parent: Self.resource, pass: pass.pass, areChanged: changed)
    }

    fileprivate func due(
        _ pass: PassPosition, changed: Bool = false, after: String? = nil
    ) async throws -> [String] {
        var selection = self.selection(pass, changed: changed)
        selection.after = after
        return try await store.parents(selection).map(\.key)
    }

    fileprivate func open(_ key: String, _ pass: PassPosition) async throws -> ListingPosition {
        var opening = try childOpening()
        opening.first.scope = key
        let parent = try await store.record(of: Self.resource, key: key)
        opening.parent = ListingParent(resource: Self.resource, revision: parent?.revision ?? 0, pass: pass.pass)
        return try await opened(opening)
    }

    /// Opens the parent's listing, and commits a page of it.
    fileprivate func list(
        _ key: String, _ pass: PassPosition, _ content: Page.Content? = nil, next: Step = .end,
        cursor: CursorMove? = nil
    ) async throws {
        let position = try await open(key, pass)
        var commit = try pageCommit(
            content ?? Self.content(#"[{"id":"of-\#(key)"}]"#), position, next: next, cursor: cursor)
        commit.open.resource = Self.child
        _ = try await store.commit(commit)
    }

    /// Lists the parents anew and what `pages` says of some of them, and ends the pass; the next one is open then.
    ///
    /// - Returns: how many records were deleted.
    fileprivate mutating func pass(_ pass: inout PassPosition, _ pages: [String: String]) async throws -> Int {
        let living = try await store.records(of: Self.resource, after: nil, limit: 99, deleted: false)
        try await changeParents("[\(living.map { String(decoding: $0.body, as: UTF8.self) }.joined(separator: ","))]")
        for (key, ids) in pages.sorted(by: { $0.key < $1.key }) {
            let position = try await open(key, pass)
            let json = ids.split(whereSeparator: { !$0.isNumber }).map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            var commit = try pageCommit(Self.content("[\(json)]"), position)
            (commit.open.resource, commit.open.deletions) = (
                Self.child, DeletionTerms(rule: Deletions(byAbsence: true))
            )
            _ = try await store.commit(commit)
        }
        var end = PassEnd(
            resource: Self.child, parent: Self.resource, pass: pass.pass, lease: lease, run: run, isComplete: true)
        end.deletions = DeletionTerms(rule: Deletions(byAbsence: true))
        let deleted = try await store.endPass(end).counters.deleted
        time.advance(by: .seconds(1))
        try await nextChildSync()
        pass = try await openPass()
        return deleted
    }

    fileprivate func childKeys() async throws -> [String] {
        try await store.records(of: Self.child, after: nil, limit: 99, deleted: false).map(\.key)
    }

    /// What the run before this one blocked.
    fileprivate func lastBlocked() async throws -> Int? {
        try await store.run(run - 1)?.resources.first { $0.resource == Self.child }?.counters.deletionsBlocked
    }

    fileprivate func retain(_ page: PageRequest) async throws -> QueueEntry {
        let error = RecordedError(name: "timeout", message: "timeout while connecting", phase: "not_sent")
        return try await store.retain(
            FetchRetention(
                resource: Self.child, source: "blog", lease: lease, method: "GET", page: page, error: error,
                isCounted: true, parks: nil, expiry: nil, wait: { _ in .seconds(60) }))
    }

    fileprivate func end(_ pass: PassPosition, isComplete: Bool) async throws {
        try await store.endPass(
            PassEnd(
                resource: Self.child, parent: Self.resource, pass: pass.pass, lease: lease, run: run,
                isComplete: isComplete))
    }

    fileprivate func childState() async throws -> ResourceState {
        let state = try await store.resourceStates().first { $0.resource == Self.child }
        return try require(state, "the state of the child")
    }
}
