// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import Testing

@testable import Siding
@testable import SidingTesting

@Suite struct CoalescingTests {
    private static let post = #"{"id":"a","title":"old","votes":1}"#

    private func bench() async throws -> EditBench { try await EditBench(listing: Self.post) }

    private func merge(_ bench: EditBench, _ key: String, _ body: String) async throws -> QueueEntry {
        try await bench.edit(.merge, key, body) { $0.coalesces = true }
    }

    @Test func `an update is merged into one that was not sent yet`() async throws {
        let bench = try await bench()
        let first = try await merge(bench, "a", #"{"title":"1","votes":null}"#)
        let second = try await merge(bench, "a", #"{"title":"2","new":true}"#)
        #expect(second.id == first.id)
        #expect(try await bench.waiting().count == 1)
        #expect(try await bench.pending("a") == 1)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"2","new":true}"#)
        #expect(try await bench.events(first) == ["accepted", "coalesced"])
        #expect(try await bench.sqlite.rows("SELECT new FROM posts") == [["1"]])
        #expect(try #require(try await bench.claim()).text == #"{"title":"2","votes":null,"new":true}"#)
    }

    @Test func `an entry that a sender claimed is never changed`() async throws {
        let bench = try await bench()
        let first = try await merge(bench, "a", #"{"title":"1"}"#)
        let write = try #require(try await bench.claim(first.id))
        let second = try await merge(bench, "a", #"{"title":"2"}"#)
        #expect(second.id != first.id)
        try await bench.drop(second)
        try await bench.recordResult(write, .released(isUnsent: true))
        #expect(try await bench.entry(first.id).state == .queued)
        #expect(try await merge(bench, "a", #"{"title":"3"}"#).id != first.id)
    }

    @Test func `the replacement of a write that had been sent is never changed`() async throws {
        let bench = try await bench()
        let first = try await merge(bench, "a", #"{"title":"1"}"#)
        let write = try #require(try await bench.claim(first.id))
        try await bench.recordResult(write, .released(isUnsent: false))
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [first.id]))
        let edited = try await bench.store.replace(
            first.id, with: WriteChange(body: Array(#"{"title":"2"}"#.utf8)))
        #expect(try await merge(bench, "a", #"{"title":"3"}"#).id != edited.id)
    }

    @Test func `a held entry, or one without coalescing, is never changed`() async throws {
        let bench = try await bench()
        let held = try await merge(bench, "a", #"{"title":"1"}"#)
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [held.id]))
        let plain = try await bench.edit(.merge, "a", #"{"title":"2"}"#)
        let later = try await merge(bench, "a", #"{"title":"3"}"#)
        #expect(Set([held.id, plain.id, later.id]).count == 3)
    }

    @Test func `a write whose key the caller chose stays as it is`() async throws {
        let bench = try await bench()
        let named = try await bench.edit(.merge, "a", #"{"title":"1"}"#, named: "k1") { $0.coalesces = true }
        let later = try await merge(bench, "a", #"{"title":"2"}"#)
        #expect(later.id != named.id)
        let again = try await bench.edit(.merge, "a", #"{"title":"1"}"#, named: "k1") { $0.coalesces = true }
        #expect(again.id == named.id)
    }

    @Test func `changes that no single merge patch expresses stay two`() async throws {
        let bench = try await bench()
        let first = try await merge(bench, "a", #"{"meta":null}"#)
        let second = try await merge(bench, "a", #"{"meta":{"x":1}}"#)
        #expect(second.id != first.id)
        #expect(try await bench.pending("a") == 2)
    }

    @Test func `something of the lane in between keeps them apart`() async throws {
        let bench = try await bench()
        let first = try await merge(bench, "a", #"{"title":"1"}"#)
        try await bench.send(.post, "/notify", "{}", lane: first.lane)
        #expect(try await merge(bench, "a", #"{"title":"2"}"#).id != first.id)
    }

    @Test func `an update of a record that is not created yet becomes part of the create`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#) { $0.coalesces = true }
        let id = try #require(create.recordKey)
        let update = try await merge(bench, id, #"{"title":"2","n":1}"#)
        #expect(update.id == create.id)
        let whole = try await bench.edit(.replace, id, #"{"id":"\#(id)","title":"3"}"#) { $0.coalesces = true }
        #expect(whole.id == create.id)
        #expect(try await bench.shown(id) == #"{"title":"3","id":"\#(id)"}"#)
        #expect(try #require(try await bench.claim()).text == #"{"title":"3"}"#)
    }

    @Test func `a create and a delete that were not sent cancel each other`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#) { $0.coalesces = true }
        let id = try #require(create.recordKey)
        let delete = try await bench.edit(.delete, id) { $0.coalesces = true }
        #expect(delete.state == .dropped)
        #expect(try await bench.entry(create.id).state == .dropped)
        #expect(try await bench.events(create).last == "cancelled")
        #expect(try await bench.events(delete).last == "cancelled")
        #expect(try await bench.waiting().isEmpty)
        #expect(try await bench.shown(id) == nil)
        #expect(try await bench.bases().isEmpty)
        #expect(try await bench.claim() == nil)
        try await bench.expectSound()
    }

    @Test func `the deletion of a record whose id the program chose is sent, as it may be there already`() async throws
    {
        let bench = try await bench()
        let create = try await bench.edit(.create, "a", #"{"id":"a","title":"new"}"#) { $0.coalesces = true }
        let delete = try await bench.edit(.delete, "a", nil) { $0.coalesces = true }
        #expect(try await bench.waiting().map(\.id) == [create.id, delete.id])
    }

    @Test func `a delete of a record under creation waits for it`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#) { $0.coalesces = true }
        let id = try #require(create.recordKey)
        let write = try #require(try await bench.claim(create.id))
        let delete = try await bench.edit(.delete, id) { $0.coalesces = true }
        #expect(delete.state == .queued)
        try await bench.recordResult(write, .answered(#"{"id":"p7","title":"1"}"#, status: 201))
        #expect(try await bench.shown("p7") == nil)
        let sent = try #require(try await bench.claim())
        #expect(sent.url.path == "/posts/p7")
        try await bench.recordResult(sent, .answered("", status: 204))
        #expect(try await bench.shown("p7") == nil)
        #expect(try await bench.pending("p7") == 0)
    }

    @Test func `a patch of a pending replacement becomes part of it`() async throws {
        let bench = try await bench()
        let put = try await bench.edit(.replace, "a", #"{"id":"a","title":"1"}"#) { $0.coalesces = true }
        #expect(try await merge(bench, "a", #"{"votes":2}"#).id == put.id)
        let write = try #require(try await bench.claim())
        #expect(write.method == .put)
        #expect(write.text == #"{"id":"a","title":"1","votes":2}"#)
    }

    @Test func `dropping a merged entry undoes all of its changes`() async throws {
        let bench = try await bench()
        let entry = try await merge(bench, "a", #"{"title":"1"}"#)
        _ = try await merge(bench, "a", #"{"votes":9}"#)
        try await bench.drop(entry)
        #expect(try await bench.shown("a") == Self.post)
    }
}
