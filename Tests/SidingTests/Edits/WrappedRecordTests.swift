// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// Where bodies and answers hold the record, and how much of it they say.
@Suite struct WrappedRecordTests {
    private static let post = #"{"id":"a","title":"old","votes":1}"#

    private func bench() async throws -> EditBench { try await EditBench(listing: Self.post) }

    /// Accepts a write whose body and answer hold the record in `post`.
    private func wrapped(
        _ bench: EditBench, _ change: WriteEdit.Change, _ key: String?, _ body: String,
        _ adjust: (inout WriteEdit) -> Void = { _ in }
    ) async throws -> QueueEntry {
        try await bench.edit(change, key, body) { edit in
            edit.record = JSONPath(member: "post")
            adjust(&edit)
        }
    }

    // MARK: Wrapped

    @Test func `a wrapped body shows without its wrapper, is sent as it is, and so is its answer stored`() async throws
    {
        let bench = try await bench()
        let body = #"{"post":{"title":"1"},"notify":false}"#
        let entry = try await wrapped(bench, .merge, "a", body)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"1","votes":1}"#)
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.text == body)
        try await bench.recordResult(write, .answered(#"{"post":{"id":"a","title":"1","votes":2},"audit":{"id":9}}"#))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"1","votes":2}"#)
        let columns = try await bench.sqlite.rows("SELECT name FROM pragma_table_info('posts')").flatMap { $0 }
        #expect(columns.contains("title") && !columns.contains("post") && !columns.contains("audit"))
        try await bench.expectSound()
    }

    @Test func `an answer without the record leaves the edited record`() async throws {
        for answer in ["", "{}", #"{"post":null}"#, #"{"post":{"id":"b"}}"#, #"{"post":{"title":"x"}}"#] {
            let bench = try await bench()
            let entry = try await wrapped(bench, .merge, "a", #"{"post":{"title":"1"}}"#)
            try await bench.deliver(entry, answer, status: answer.isEmpty ? 204 : 200)
            #expect(try await bench.shown("a") == #"{"id":"a","title":"1","votes":1}"#, "\(answer)")
            #expect(try await bench.pending("a") == 0)
        }
    }

    @Test func `a created record has its key where its answer wraps it`() async throws {
        let bench = try await EditBench()
        let create = try await wrapped(bench, .create, nil, #"{"post":{"title":"new"}}"#)
        let id = try #require(create.recordKey)
        #expect(try await bench.shown(id) == #"{"title":"new","id":"\#(id)"}"#)
        try await bench.deliver(create, #"{"post":{"id":"p7","title":"new"},"audit":{}}"#, status: 201)
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"new"}"#)
        try await bench.expectSound()
    }

    @Test func `the id of a created record is searched from the answer's root at the declared path`() async throws {
        let bench = try await EditBench()
        let create = try await wrapped(bench, .create, nil, #"{"post":{"title":"new"}}"#) { edit in
            edit.idPath = JSONPath(members: ["made", "id"])
        }
        try await bench.deliver(create, #"{"made":{"id":"p7"}}"#, status: 201)
        #expect(try await bench.shown("p7") == #"{"title":"new","id":"p7"}"#)
    }

    @Test func `a body or an answer that wraps nothing is the record`() async throws {
        let bench = try await bench()
        let bare = try await wrapped(bench, .merge, "a", #"{"title":"1"}"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"1","votes":1}"#)
        try await bench.deliver(bare, #"{"post":{"id":"a","title":"2","votes":2}}"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2","votes":2}"#)
        let wrapped = try await wrapped(bench, .merge, "a", #"{"post":{"title":"3"}}"#)
        try await bench.deliver(wrapped, #"{"id":"a","title":"3","votes":3}"#)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"3","votes":3}"#)
    }

    @Test func `a wrapped value that is not an object is refused`() async throws {
        let bench = try await bench()
        let kind = try await storeErrorKind { _ = try await wrapped(bench, .merge, "a", #"{"post":5}"#) }
        #expect(kind == .invalidWrite)
        #expect(try await bench.waiting().isEmpty)
    }

    // MARK: Conflicts

    @Test func `a merged record is sent in its wrapper`() async throws {
        let bench = try await bench()
        let body = #"{"notify":true,"post":{"id":"a","title":"mine","votes":1}}"#
        let entry = try await wrapped(bench, .replace, "a", body) { $0.conflict = .merge }
        try await bench.pull(#"[{"id":"a","title":"old","votes":7}]"#)
        let text = try #require(try await bench.claim(entry.id)).text
        #expect(text == #"{"notify":true,"post":{"id":"a","title":"mine","votes":7}}"#)
    }

    @Test func `a conflict consists of records, and is resolved by one`() async throws {
        let bench = try await bench()
        let entry = try await wrapped(bench, .merge, "a", #"{"post":{"title":"mine"},"notify":true}"#)
        let theirs = #"{"post":{"id":"a","title":"theirs","votes":1}}"#
        try await bench.recordResult(entry, .parked(.conflict, status: 409, answer: theirs))
        let report = try #require(try await bench.store.conflict(of: entry.id))
        #expect(report.mine == (try JSONDocument(#"{"id":"a","title":"mine","votes":1}"#)))
        #expect(report.theirs == (try JSONDocument(#"{"id":"a","title":"theirs","votes":1}"#)))
        let both = Array(#"{"id":"a","title":"both","votes":1}"#.utf8)
        let merged = try await bench.store.resolve(entry.id, as: .merge(both))
        #expect(try #require(try await bench.claim(merged.id)).text == #"{"post":{"title":"both"},"notify":true}"#)
    }

    // MARK: Coalescing

    @Test func `wrapped updates are made one in their wrapper, and not with one that has none`() async throws {
        let bench = try await bench()
        let first = try await wrapped(bench, .merge, "a", #"{"post":{"title":"1"}}"#) { $0.coalesces = true }
        let second = try await wrapped(bench, .merge, "a", #"{"post":{"votes":2}}"#) { $0.coalesces = true }
        let bare = try await wrapped(bench, .merge, "a", #"{"title":"2"}"#) { $0.coalesces = true }
        #expect(second.id == first.id && bare.id != first.id)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2","votes":2}"#)
        #expect(try #require(try await bench.claim(first.id)).text == #"{"post":{"title":"1","votes":2}}"#)
    }

    @Test func `a create that takes in a later update does not send its temporary id`() async throws {
        let bench = try await EditBench()
        let create = try await wrapped(bench, .create, nil, #"{"post":{"title":"1"}}"#) { $0.coalesces = true }
        let id = try #require(create.recordKey)
        let whole = try await wrapped(bench, .replace, id, #"{"post":{"id":"\#(id)","title":"2"}}"#) { edit in
            edit.coalesces = true
        }
        #expect(whole.id == create.id)
        #expect(try #require(try await bench.claim(create.id)).text == #"{"post":{"title":"2"}}"#)
    }

    // MARK: Parts

    @Test func `an answer with a part of the record is laid over the edited record`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"1"}"#) { $0.answersPart = true }
        var answer = WriteAnswer(
            status: 200, contentType: "application/json", body: Array(#"{"id":"a","votes":5}"#.utf8))
        answer.etag = "\"v2\""
        try await bench.recordResult(entry, .delivered(answer))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"1","votes":5}"#)
        // It came with the whole record, which is not what is known.
        #expect(try await bench.sqlite.rows("SELECT etag FROM siding_records_posts") == [[nil]])
        try await bench.expectSound()
    }

    @Test func `a part of the answer to a create leaves the rest as it was sent`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"new"}"#) { $0.answersPart = true }
        try await bench.deliver(create, #"{"id":"p7","self":"/p7"}"#, status: 201)
        #expect(try await bench.shown("p7") == #"{"title":"new","id":"p7","self":"/p7"}"#)
        try await bench.expectSound()
    }

    @Test func `a part of a record that is not known does not count as a record`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "z", #"{"title":"1"}"#) { $0.answersPart = true }
        try await bench.deliver(entry, #"{"id":"z","votes":5}"#)
        #expect(try await bench.shown("z") == nil)
        try await bench.expectSound()
    }

    @Test func `a refusal with a part of the server copy is laid over the rest`() async throws {
        let bench = try await bench()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) { $0.answersPart = true }
        try await bench.recordResult(entry, .parked(.conflict, status: 409, answer: #"{"id":"a","title":"theirs"}"#))
        let report = try #require(try await bench.store.conflict(of: entry.id))
        #expect(report.theirs == (try JSONDocument(#"{"id":"a","title":"theirs","votes":1}"#)))
    }

    // MARK: Marks

    @Test func `the mark that a probe searches is sent in the record`() async throws {
        let bench = try await EditBench()
        let probe = WriteProbe("/posts?ref={entry}", mark: JSONPath(member: "ref"), record: JSONPath(member: "post"))
        for (body, isWrapped) in [(#"{"post":{"a":1},"b":2}"#, true), (#"{"a":1}"#, false)] {
            let entry = try await bench.store.enqueue(
                WriteRequest(to: "blog", .post, try EditBench.url("/posts"), body: Array(body.utf8))
                    .with(\.probe, probe))
            let text = try #require(try await bench.claim(entry.id)).text
            let mark = #""ref":"\#(entry.id)""#
            #expect(text == (isWrapped ? #"{"post":{"a":1,\#(mark)},"b":2}"# : #"{"a":1,\#(mark)}"#))
        }
        let taken = try await storeErrorKind {
            _ = try await bench.store.enqueue(
                WriteRequest(to: "blog", .post, try EditBench.url("/posts"), body: Array(#"{"post":{"ref":1}}"#.utf8))
                    .with(\.probe, probe))
        }
        #expect(taken == .invalidWrite)
    }
}
