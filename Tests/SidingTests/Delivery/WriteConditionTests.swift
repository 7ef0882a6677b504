// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// Where the ETag that an edit sends in `If-Match` comes from.
@Suite struct WriteConditionTests {
    private func condition(
        _ bench: EditBench, at path: String? = "$._rev", _ change: WriteEdit.Change = .merge
    ) async throws -> (entry: QueueEntry, etag: String?) {
        let path = try path.map { try JSONPath(parsing: $0) }
        let entry = try await bench.edit(change, "a", change == .delete ? nil : #"{"title":"mine"}"#) {
            ($0.ifMatch, $0.etagPath) = (true, path)
        }
        return (entry, try #require(try await bench.claim(entry.id, knowsRecord: true)).headerFields[.ifMatch])
    }

    @Test(arguments: [
        (#""1-abc""#, "$._rev", #""1-abc""#), (#""\"7\"""#, "$._rev", #""7""#), (#""W/\"8\"""#, "$._rev", #"W/"8""#),
        ("12", "$._rev", #""12""#), (#"{"tag":"x"}"#, "$._rev.tag", #""x""#), ("null", "$._rev", nil),
        (#""""#, "$._rev", nil),
        (#""a b""#, "$._rev", nil), (#""x""#, "$.other", nil), (#""x""#, nil, nil),
    ])
    func `it is the member that the config names, quoted where it is a bare revision`(
        member: String, path: String?, etag: String?
    ) async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":\#(member)}]"#)
        #expect(try await condition(bench, at: path).etag == etag)
    }

    @Test func `a strong ETag from a header field comes before the member`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"1"}]"#)
        let (first, _) = try await condition(bench)
        let answer = WriteAnswer(
            status: 200, contentType: nil, etag: "\"h\"", body: Array(#"{"id":"a","title":"mine","_rev":"2"}"#.utf8))
        try await bench.store.recordResult(
            #require(try await claimed(first, bench)), WriteResult(.delivered(answer), .nothing))
        #expect(try await condition(bench).etag == "\"h\"")
    }

    private func claimed(_ entry: QueueEntry, _ bench: EditBench) async throws -> ClaimedWrite? {
        try await bench.sqlite.execute(
            "UPDATE siding_outbox SET state = 'queued', owner = NULL WHERE id = '\(entry.id)'")
        return try await bench.claim(entry.id)
    }

    @Test func `a delivery whose answer has no version member removes the old one, and reports that`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"1"}]"#)
        let (first, _) = try await condition(bench)
        try await bench.recordResult(#require(try await claimed(first, bench)), .answered("", status: 204))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","_rev":"1"}"#)
        let (second, etag) = try await condition(bench)
        #expect(etag == nil)
        #expect(
            try await bench.store.history(of: second.id).last?.detail
                == "no strong ETag of the record is known, nor is there one at $._rev: it is sent without If-Match")
    }

    @Test func `a record keeps its ETag as a member, and a page makes it usable again`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"1"}]"#)
        let (entry, _) = try await condition(bench)
        let write = try #require(try await claimed(entry, bench))
        // The origin acted, its answer was late, and no later page of changes would show the record again.
        try await bench.pull(#"[{"id":"a","title":"mine","_rev":"2"}]"#)
        try await bench.recordResult(write, .answered("", status: 204))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","_rev":"2"}"#)
        try await bench.pull(#"[{"id":"a","title":"mine","_rev":"2"}]"#)
        #expect(try await condition(bench).etag == #""2""#)
    }

    /// Only a page with the record says what its ETag is: a 304 must not keep it away.
    @Test(arguments: [true, false])
    func `where the ETag of a record is unknown, its page is requested whole`(isRefused: Bool) async throws {
        let bench = try await EditBench()
        let store = bench.sqlite.bench
        try await store.commit(#"[{"id":"a","title":"mine","_rev":"1"}]"#, store.open(), etag: "\"p\"")
        let (entry, _) = try await condition(bench)
        let write = try #require(try await claimed(entry, bench))
        try await bench.recordResult(write, isRefused ? .parked(.conflict, status: 412) : .answered("", status: 204))
        #expect(try await bench.store.storedPage(StoreBench.page(1), of: "posts")?.etag == nil)
    }

    @Test func `an ETag that a page has brought while another was refused is sent`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"1"}]"#)
        let (entry, _) = try await condition(bench)
        let write = try #require(try await claimed(entry, bench))
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"9"}]"#)
        try await bench.recordResult(write, .parked(.conflict, status: 412))
        _ = try await bench.store.resolve(entry.id, as: .mine)
        #expect(try await bench.claim(entry.id)?.headerFields[.ifMatch] == "\"9\"")
    }

    @Test(arguments: [WriteEdit.Change.replace, .delete])
    func `the ETag of an own delivery does not count as a change at the origin for the next edit`(
        change: WriteEdit.Change
    ) async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"1"}]"#)
        let path = try JSONPath(parsing: "$._rev")
        let first = try await bench.edit(.replace, "a", #"{"id":"a","title":"one"}"#) {
            ($0.ifMatch, $0.etagPath, $0.conflict) = (true, path, .theirs)
        }
        let body = change == .delete ? nil : #"{"id":"a","title":"two"}"#
        let second = try await bench.edit(change, "a", body) {
            ($0.ifMatch, $0.etagPath, $0.conflict) = (true, path, .theirs)
        }
        try await bench.deliver(first, "", status: 204)
        try await bench.pull(#"[{"id":"a","title":"one","_rev":"2"}]"#)
        #expect(try await bench.claim(second.id)?.headerFields[.ifMatch] == "\"2\"")
    }

    @Test func `a refused ETag is not sent again, be it from a header field or a member`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"1"}]"#)
        let path = try JSONPath(parsing: "$._rev")
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#) {
            ($0.ifMatch, $0.etagPath, $0.conflict) = (true, path, .mine)
        }
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.headerFields[.ifMatch] == "\"1\"")
        #expect(try await bench.recordResult(write, .parked(.conflict, status: 412)).state == .queued)
        bench.time.advance(by: .seconds(3_600))
        #expect(try #require(try await bench.claim(entry.id)).headerFields[.ifMatch] == nil)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","_rev":"1"}"#)
    }

    @Test func `the ETag of an answer to a PUT without a record belongs to the sent record`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old","_rev":"1"}]"#)
        let put = try await bench.edit(.replace, "a", #"{"id":"a","title":"new"}"#)
        let answer = WriteAnswer(status: 201, contentType: nil, etag: "\"2\"", body: Array(#"{"ok":true}"#.utf8))
        try await bench.recordResult(put, .delivered(answer))
        #expect(try await condition(bench, .delete).etag == "\"2\"")
    }

    @Test(arguments: [
        (#"{"id":"a","title":"old"}"#, true), (" \n{\"id\":\"a\"}\n", true), (#"[{"id":"a"}]"#, false),
        (#"{"items":[{"id":"a"}]}"#, false),
    ])
    func `the ETag of a page that is one record is that of the record`(page: String, isRecord: Bool) async throws {
        for isEdited in [false, true] {
            let bench = try await EditBench()
            try await bench.pull(#"[{"id":"a","title":"first"}]"#)
            if isEdited { try await bench.edit(.merge, "a", #"{"votes":1}"#, lane: "other") }
            let records =
                page.contains("items") ? try JSONPath(parsing: "$.items[*]") : page.hasPrefix("[") ? nil : .root
            let bytes = Array(page.utf8)
            let contents = try bytes.withUnsafeBytes { page in
                try PageReader(records: records, key: [JSONPath(member: "id")]).read(page)
            }
            let store = bench.sqlite.bench
            var commit = try await store.pageCommit(.records(bytes, contents.records), store.open(), etag: "\"p\"")
            commit.listed.page.isOneRecord = contents.isOneRecord
            _ = try await bench.store.commit(commit)
            #expect(try await condition(bench, at: nil).etag == (isRecord ? "\"p\"" : nil), "\(isEdited)")
        }
    }

    @Test func `a conflict has its own explanation`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a","title":"old"}]"#)
        func why(_ entry: QueueEntry) async throws -> String {
            QueueExplanation(try await bench.entry(entry.id), gate: nil, keep: KeepRules(), now: bench.time.now).why
        }
        let wanting = try await bench.edit(.merge, "a", #"{"title":"1"}"#, lane: "l1")
        try await bench.recordResult(wanting, .parked(.conflict, status: 428))
        #expect(
            try await why(wanting).hasPrefix("the origin requires the record's ETag (If-Match), and none"))
        let refused = try await bench.edit(.merge, "a", #"{"title":"1"}"#, lane: "l2")
        try await bench.recordResult(refused, .parked(.conflict, status: 412))
        #expect(try await why(refused).hasPrefix("the origin refused it because of the record's present state there."))
        let overtaken = try await bench.edit(.merge, "a", #"{"votes":3}"#, lane: "l3")
        try await bench.pull(#"[{"id":"a","title":"old","votes":9}]"#)
        #expect(try await why(overtaken).hasPrefix("the record changed at the origin while this write waited."))
    }
}
