// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// A pull finds that somebody else changed what an edit is made for.
@Suite struct ConflictTests {
    @Test func `an incoming change of the same member parks the edit and keeps all three versions`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull("[\(EditBench.theirs)]")
        let parked = try await bench.entry(entry.id)
        #expect(parked.reason == .conflict)
        #expect(try await bench.store.history(of: entry.id).last?.detail == "the origin has changed $.title")
        let report = try #require(try await bench.store.conflict(of: entry.id))
        #expect(report.base == (try JSONDocument(EditBench.post)))
        #expect(report.mine == (try JSONDocument(#"{"id":"a","title":"mine","votes":1}"#)))
        #expect(report.theirs == (try JSONDocument(EditBench.theirs)))
        #expect(report.difference?.conflicts.map(\.description) == ["$.title"])
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":1}"#)
        #expect(try await bench.pending("a") == 1)
    }

    @Test func `an incoming change of other members is not a conflict`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull(#"[{"id":"a","title":"old","votes":2}]"#)
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test func `an incoming change with the edit's own effect does not conflict with it`() async throws {
        let bench = try await EditBench.conflict()
        let first = try await bench.edit(.merge, "a", #"{"title":"1"}"#)
        let second = try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        // The first one arrived, and its answer was lost.
        try await bench.pull(#"[{"id":"a","title":"1","votes":1}]"#)
        #expect(try await bench.entry(first.id).state == .queued)
        #expect(try await bench.entry(second.id).state == .queued)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2","votes":1}"#)
    }

    @Test func `an edit behind one that was delivered is made for its answer`() async throws {
        let bench = try await EditBench.conflict()
        let first = try await bench.edit(.merge, "a", #"{"title":"1"}"#)
        let second = try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        try await bench.deliver(first, #"{"id":"a","title":"1!","votes":1}"#)
        try await bench.pull(#"[{"id":"a","title":"1!","votes":5}]"#)
        #expect(try await bench.entry(second.id).state == .queued)
        #expect(try await bench.store.conflict(of: second.id)?.disagreement == nil)
    }

    @Test func `a record that the origin deleted is in conflict with an edit`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.store.write { transaction in
            let projection = try #require(try EditProjection.load("posts", now: bench.time.now, transaction))
            let gone = RecordState(body: try JSONDocument(EditBench.post), deletedAt: bench.time.now)
            try projection.setBase(of: "a", to: ServerCopy(state: gone, cause: .missing), transaction)
        }
        let report = try #require(try await bench.store.conflict(of: entry.id))
        #expect(report.theirs == nil)
        #expect(report.disagreement == "the origin has deleted the record")
    }

    @Test func `where the origin is to win, the edit is dropped and its record is the origin's`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .theirs }
        try await bench.pull("[\(EditBench.theirs)]")
        #expect(try await bench.entry(entry.id).state == .dropped)
        #expect(try await bench.shown("a") == EditBench.theirs)
        #expect(try await bench.pending("a") == 0)
        #expect(try await bench.bases().isEmpty)
        try await bench.expectSound()
    }

    @Test func `where the edit is to win, it stays`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .mine }
        try await bench.pull("[\(EditBench.theirs)]")
        #expect(try await bench.entry(entry.id).state == .queued)
    }

    @Test func `where both are to be merged, a whole record takes over what only the origin changed`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.replace, "a", #"{"id":"a","title":"mine","votes":1}"#) { edit in
            (edit.conflict, edit.ifMatch) = (.merge, true)
        }
        try await bench.pull(#"[{"id":"a","title":"old","votes":7}]"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":7}"#)
        #expect(try await bench.sqlite.rows("SELECT sent_as <> key FROM siding_idempotency_keys") == [["1"]])
        #expect(try #require(try await bench.claim(entry.id)).text == #"{"id":"a","title":"mine","votes":7}"#)
    }

    @Test func `a whole record with a condition is in conflict with any change, without one only with the same`()
        async throws
    {
        for isConditional in [true, false] {
            let bench = try await EditBench.conflict()
            let entry = try await bench.edit(.replace, "a", #"{"id":"a","title":"mine","votes":1}"#) { edit in
                edit.ifMatch = isConditional
            }
            try await bench.pull(#"[{"id":"a","title":"old","votes":7}]"#)
            #expect(try await bench.entry(entry.id).state == (isConditional ? .parked : .queued))
        }
    }

    @Test func `a delete with a condition is in conflict with any change, without one with none`() async throws {
        for isConditional in [true, false] {
            let bench = try await EditBench.conflict()
            let entry = try await bench.edit(.delete, "a") { $0.ifMatch = isConditional }
            try await bench.pull("[\(EditBench.theirs)]")
            #expect(try await bench.entry(entry.id).state == (isConditional ? .parked : .queued))
            #expect(try await bench.shown("a") == nil)
        }
    }

    @Test func `an entry that is being sent is left alone`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.conflict = .theirs }
        let write = try #require(try await bench.claim(entry.id))
        try await bench.pull("[\(EditBench.theirs)]")
        #expect(try await bench.entry(entry.id).state == .sending)
        try await bench.recordResult(write, .answered(#"{"id":"a","title":"mine","votes":1}"#))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":1}"#)
    }
}

extension EditBench {
    /// Post `a`, as the origin had it before others changed its title; a bench where it is stored.
    static let post = #"{"id":"a","title":"old","votes":1}"#
    static let theirs = #"{"id":"a","title":"theirs","votes":1}"#

    static func conflict() async throws -> EditBench {
        let bench = try await EditBench()
        try await bench.pull("[\(post)]")
        return bench
    }
}
