// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import Testing

@testable import Siding
@testable import SidingTesting

/// A person decides a conflict, also that of a write whose key the caller chose.
@Suite struct ConflictResolutionTests {
    @Test func `mine is sent again under a new key`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#, fields: [.ifMatch: "\"1\""])
        let before = try #require(try await bench.claim(entry.id))
        try await bench.recordResult(before, .parked(.conflict, status: 412, answer: EditBench.theirs))
        let resolved = try await bench.store.resolve(entry.id, as: .mine)
        #expect(resolved.id == entry.id)
        #expect(resolved.state == .queued)
        #expect(try await bench.store.conflict(of: entry.id)?.disagreement == nil)
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.key != before.key)
        #expect(write.headerFields[.ifMatch] == nil)
        try await bench.recordResult(write, .answered(""))
        #expect(try await bench.shown("a") == #"{"id":"a","title":"mine","votes":1}"#)
    }

    @Test func `theirs drops the edit`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull("[\(EditBench.theirs)]")
        #expect(try await bench.store.resolve(entry.id, as: .theirs).state == .dropped)
        #expect(try await bench.shown("a") == EditBench.theirs)
        #expect(try await bench.pending("a") == 0)
    }

    @Test(arguments: [#"{"id":"a","title":"both","votes":3}"#, #"{"title":"both","votes":3}"#])
    func `a merge sends the change from theirs to the wanted record, whose key may be left out`(
        wanted: String
    ) async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull(#"[{"id":"a","title":"theirs","votes":3}]"#)
        let new = try await bench.store.resolve(entry.id, as: .merge(Array(wanted.utf8)))
        #expect(new.replaces == entry.id)
        #expect(new.state == .queued)
        #expect(new.lane == entry.lane)
        #expect(try await bench.shown("a") == #"{"id":"a","title":"both","votes":3}"#)
        #expect(try #require(try await bench.claim(new.id)).text == #"{"title":"both"}"#)
    }

    @Test func `a merge that no merge patch expresses is refused, and nothing changes`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.edit(.merge, "a", #"{"title":"mine"}"#)
        try await bench.pull("[\(EditBench.theirs)]")
        let kind = try await storeErrorKind {
            _ = try await bench.store.resolve(entry.id, as: .merge(Array(#"{"id":"a","title":null}"#.utf8)))
        }
        #expect(kind == .invalidWrite)
        #expect(try await bench.entry(entry.id).reason == .conflict)
    }

    @Test func `a write that is not an edit is resolved as well`() async throws {
        let bench = try await EditBench.conflict()
        let entry = try await bench.send(.post, "/things", "{}")
        try await bench.recordResult(entry, .parked(.conflict, status: 409))
        #expect(try await bench.store.conflict(of: entry.id) == nil)
        let new = try await bench.store.resolve(entry.id, as: .merge(Array("[]".utf8)))
        #expect(try #require(try await bench.claim(new.id)).text == "[]")
    }

    // MARK: The caller's key

    /// Sends a POST that replaces post `a` under the key `k`.
    private func keyed(_ bench: EditBench, _ policy: ConflictPolicy) async throws -> QueueEntry {
        var edit = WriteEdit(.replace, of: try EditBench.posts(), key: "a", conflict: policy)
        edit.ifMatch = true
        return try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .post, try EditBench.url("/posts/a"),
                body: Array(#"{"id":"a","title":"mine","votes":1}"#.utf8), idempotency: Idempotency()
            )
            .with(\.key, "k")
            .with(\.edit, edit))
    }

    @Test(arguments: [ConflictPolicy.mine, .merge, .hold])
    func `a key that the caller chose leads to its entry, after any resolution of the conflict`(
        policy: ConflictPolicy
    ) async throws {
        let bench = try await EditBench.conflict()
        let entry = try await keyed(bench, policy)
        try await bench.recordResult(
            entry, .parked(.conflict, status: 412, answer: #"{"id":"a","title":"old","votes":7}"#))
        if policy == .hold { _ = try await bench.store.resolve(entry.id, as: .mine) }
        let write = try #require(try await bench.claim(entry.id))
        #expect(write.key != "k")
        #expect(try await keyed(bench, policy).id == entry.id)
        try await bench.recordResult(write, .answered(""))
        #expect(try await keyed(bench, policy).state == .done)
        _ = try await bench.store.carryOut(.purge, on: QueueSelection(ids: [entry.id]))
        #expect(try await keyed(bench, policy).id == entry.id)
        #expect(try await bench.waiting().isEmpty)
        let other = try await storeErrorKind { try await bench.send(.post, "/posts/a", "{}", key: "k") }
        #expect(other == .invalidWrite)
    }

    @Test(arguments: [ConflictPolicy.merge, .theirs, .hold])
    func `an edit that was tried, and may have arrived, is not changed by an incoming change`(
        policy: ConflictPolicy
    ) async throws {
        let bench = try await EditBench.conflict()
        let entry = try await keyed(bench, policy)
        let first = try #require(try await bench.claim(entry.id))
        let error = RecordedError(name: "http", message: "the origin said 500", status: 500, phase: "answered")
        try await bench.recordResult(first, .retry(error, isCounted: true, waitsForNetwork: false) { _ in .zero })
        try await bench.pull("[\(EditBench.theirs)]")
        let again = try #require(try await bench.claim(entry.id))
        #expect(again.key == "k" && again.body == first.body)
    }

    @Test(arguments: [429, 503])
    func `an edit that the origin turned away meets its changes as one that was not tried`(status: Int) async throws {
        let bench = try await EditBench.conflict()
        let entry = try await keyed(bench, .hold)
        let error = RecordedError(name: "http", message: "the origin said \(status)", status: status, phase: "answered")
        try await bench.recordResult(entry, .retry(error, isCounted: false, waitsForNetwork: false) { _ in .zero })
        #expect(try await !bench.entry(entry.id).mayHaveArrived)
        try await bench.pull("[\(EditBench.theirs)]")
        #expect(try await bench.entry(entry.id).reason == .conflict)
    }
}
