// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct PendingEditTests {
    private static let post = #"{"id":"a","title":"old","votes":1.50}"#

    private func bench() async throws -> EditBench { try await EditBench(listing: Self.post) }

    @Test func `an edit shows at once, marked, and the origin's bytes are kept`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        #expect(entry.resource == "posts")
        #expect(entry.recordKey == "a")
        #expect(try await bench.shown("a") == #"{"id":"a","title":"new","votes":1.50}"#)
        #expect(try await bench.pending("a") == 1)
        #expect(try await bench.bases() == [["a", Self.post]])
        let rows = try await bench.sqlite.rows("SELECT title, siding_pending FROM posts")
        #expect(rows == [["new", "1"]])
    }

    @Test func `an incoming change never hides a pending edit`() async throws {
        let bench = try await bench()
        try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let counters = try await bench.pull(#"[{"id":"a","title":"old","votes":2}]"#)
        #expect(counters.updated == 1)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"new","votes":2}"#)
        #expect(try await bench.pending("a") == 1)
    }

    @Test func `a page with the origin's former record is unchanged`() async throws {
        let bench = try await bench()
        try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let counters = try await bench.pull("[\(Self.post)]")
        #expect(counters.unchanged == 1)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"new","votes":1.50}"#)
    }

    @Test func `after delivery the record equals the origin's answer`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let answer = #"{"id":"a","title":"NEW","votes":2,"by":"origin"}"#
        try await bench.deliver(entry, answer)
        #expect(try await bench.shown("a") == answer)
        #expect(try await bench.pending("a") == 0)
        #expect(try await bench.bases().isEmpty)
        #expect(try await bench.sqlite.rows("SELECT by, siding_pending FROM posts") == [["origin", "0"]])
    }

    @Test(arguments: ["", "ok", #"{"id":"b"}"#, #"[{"id":"a"}]"#, #"{"title":"x"}"#, #"{"id":1}"#])
    func `an answer that is not the record leaves what the edit made`(answer: String) async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        try await bench.deliver(entry, answer)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"new","votes":1.50}"#)
        #expect(try await bench.pending("a") == 0)
        #expect(try await bench.bases().isEmpty)
    }

    @Test func `dropping the edit restores the origin's bytes exactly`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new","votes":null}"#)
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == Self.post)
        #expect(try await bench.pending("a") == 0)
        #expect(try await bench.bases().isEmpty)
    }

    @Test func `dropping the edit restores the incoming change`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let later = #"{"id":"a","title":"old","votes":3}"#
        try await bench.pull("[\(later)]")
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == later)
    }

    @Test func `several edits lie on each other in their order, and leave one by one`() async throws {
        let bench = try await bench()
        let first = try await bench.edit(.merge, "a", #"{"title":"1","votes":null}"#)
        let second = try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2"}"#)
        #expect(try await bench.pending("a") == 2)
        try await bench.deliver(first, #"{"id":"a","title":"1","seen":true}"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2","seen":true}"#)
        #expect(try await bench.pending("a") == 1)
        try await bench.drop(second)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"1","seen":true}"#)
    }

    @Test func `edits of one record are delivered in order without a lane being named`() async throws {
        let bench = try await bench()
        let first = try await bench.edit(.merge, "a", #"{"title":"1"}"#)
        let second = try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        #expect(first.lane == "posts/a")
        #expect(try await bench.claim(second.id) == nil)
    }

    @Test func `parked edits stay pending`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        try await bench.recordResult(entry, .parked(.rejected))
        #expect(try await bench.pending("a") == 1)
        try await bench.pull(#"[{"id":"a","title":"old","votes":4}]"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"new","votes":4}"#)
    }

    @Test func `a replaced record shows the new body as it was sent`() async throws {
        let bench = try await bench()
        let body = #"{"id":"a" , "title":"whole"}"#
        let entry = try await bench.edit(.replace, "a", body)
        #expect(try await bench.shown("a") == body)
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == Self.post)
    }

    @Test func `a record that is to be deleted is a marked tombstone until the origin answers`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.delete, "a")
        #expect(try await bench.shown("a") == nil)
        #expect(try await bench.pending("a") == 1)
        #expect(try await bench.sqlite.rows("SELECT id FROM posts").isEmpty)
        try await bench.pull(#"[{"id":"a","title":"changed"}]"#)
        #expect(try await bench.shown("a") == nil)
        try await bench.deliver(entry, "", status: 204)
        #expect(try await bench.shown("a") == nil)
        #expect(try await bench.pending("a") == 0)
    }

    @Test func `a dropped delete brings the record back`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.delete, "a")
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == Self.post)
        #expect(try await bench.pending("a") == 0)
    }

    @Test func `a change of a record that is not known shows when it comes`() async throws {
        let bench = try await bench()
        try await bench.edit(.merge, "z", #"{"title":"new"}"#)
        #expect(try await bench.store.record(of: "posts", key: "z") == nil)
        try await bench.pull(#"[{"id":"z","title":"old","votes":0}]"#)
        #expect(try await bench.shown("z") == #"{"id":"z","title":"new","votes":0}"#)
        #expect(try await bench.pending("z") == 1)
    }

    @Test func `an edit of a resource that was never synced makes it known`() async throws {
        let bench = try await EditBench()
        let entry = try await bench.edit(.create, "own", #"{"id":"own","title":"mine"}"#)
        #expect(try await bench.sqlite.rows("SELECT id, title, siding_pending FROM posts") == [["own", "mine", "1"]])
        try await bench.deliver(entry, #"{"id":"own","title":"mine","n":1}"#, status: 201)
        #expect(try await bench.sqlite.rows("SELECT id, n, siding_pending FROM posts") == [["own", "1", "0"]])
    }

    @Test func `a member called like the mark keeps a column of its own`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","siding_pending":"theirs"}]"#)
        try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let rows = try await bench.sqlite.rows("SELECT siding_pending_2, siding_pending FROM posts")
        #expect(rows == [["theirs", "1"]])
    }

    @Test func `a resource that was never edited looks as before`() async throws {
        let bench = try await bench()
        #expect(try await bench.sqlite.columns("posts") == ["id", "title", "votes"])
    }

    @Test func `the file opens again after edits`() async throws {
        let bench = try await bench()
        try await bench.edit(.merge, "a", #"{"body":"new"}"#)
        await bench.store.close()
        let again = try await Store.open(at: bench.sqlite.path)
        #expect(try await again.record(of: "posts", key: "a")?.pending == 1)
        #expect(try await again.check() == [])
    }

    @Test func `an operator's edit of an edit replaces it in the record`() async throws {
        let bench = try await bench()
        let first = try await bench.edit(.merge, "a", #"{"title":"1","votes":2}"#)
        try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        let change = WriteChange(body: Array(#"{"title":"3","votes":4}"#.utf8))
        let edited = try await bench.store.replace(first.id, with: change)
        #expect(edited.replaces == first.id)
        #expect(edited.recordKey == "a")
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2","votes":4}"#)
        #expect(try await bench.pending("a") == 2)
    }

    @Test(arguments: ["", "[1]", "{", #""text""#, #"{"a":1,"a":2}"#])
    func `a body that is not a record is refused`(body: String) async throws {
        let bench = try await bench()
        let kind = try await storeErrorKind { try await bench.edit(.merge, "a", body) }
        #expect(kind == .invalidWrite)
        #expect(try await bench.waiting().isEmpty)
        #expect(try await bench.pending("a") == 0)
    }

    @Test func `watchers see changed records only`() async throws {
        let bench = try await bench()
        let before = try await bench.store.changedKeys(of: "posts", since: 0).revision
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let edited = try await bench.store.changedKeys(of: "posts", since: before)
        #expect(edited.keys == ["a"])
        try await bench.recordResult(entry, .parked(.rejected))
        #expect(try await bench.store.changedKeys(of: "posts", since: edited.revision).keys.isEmpty)
        try await bench.drop(entry)
        #expect(try await bench.store.changedKeys(of: "posts", since: edited.revision).keys == ["a"])
    }

    @Test func `the program's own deletion lies below the edits`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        #expect(try await bench.store.delete(RecordLookup(resource: "posts", keys: ["a"])) == 1)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"new","votes":1.50}"#)
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == nil)
        try await bench.expectSound()
    }

    @Test func `the program's own write lies below the edits`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"new"}"#)
        let body = #"{"id":"a","title":"local","votes":9}"#
        let row = try #require(try StoreBench.content("[\(body)]").slices.first)
        let changes = RecordChanges(
            resource: "posts", source: "blog", definition: try StoreBench.definition(),
            bytes: Array("[\(body)]".utf8),
            rows: [.init(slice: row, expectation: .body(Array(Self.post.utf8)))])
        #expect(try await bench.store.apply(changes) == [.updated])
        #expect(try await bench.shown("a") == #"{"id":"a","title":"new","votes":9}"#)
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == body)
    }

    @Test func `records that are written in one transaction find the table as the one before made it`() async throws {
        let bench = try await EditBench()
        _ = try await bench.sqlite.bench.open()
        let (now, keys) = (bench.time.now, ["1", "x", "2"])
        try await bench.store.write { transaction in
            _ = try Store.records(of: "posts", transaction).fixKeyType(.integer, transaction)
            var projection = try #require(try EditProjection.load("posts", now: now, transaction))
            // The first one makes the table for integers, and the text gives it a column for the keys.
            for key in keys {
                let state = RecordState(body: try JSONDocument(#"{"id":"\#(key)"}"#))
                let copy = ServerCopy(state: state, cause: .local)
                try ServerCopiesTable.save(copy, of: key, in: projection.resource, transaction)
                try projection.rebuild(key, transaction)
            }
        }
        for key in keys { #expect(try await bench.shown(key) == #"{"id":"\#(key)"}"#) }
        try await bench.expectSound()
    }
}

extension Page.Content {
    fileprivate var slices: [RecordSlice] {
        if case .records(_, let slices) = self { slices } else { [] }
    }
}
