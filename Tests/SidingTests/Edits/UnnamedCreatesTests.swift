// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// Records that the origin has created under an id that its answer did not name: they stay until a listing shows them.
@Suite struct UnnamedCreatesTests {
    // MARK: Listings

    /// Creates a post, which the origin answers without an id.
    ///
    /// - Returns: its temporary id.
    private func create(in bench: EngineBench) async throws -> String {
        var write = WriteRequest(
            to: "blog", .post, try HTTPURL("https://api.example.org/posts"), body: Array(#"{"title":"1"}"#.utf8))
        write.edit = WriteEdit(.create, of: bench.resource)
        let entry = try await bench.store.enqueue(write)
        let claimed = try #require(
            try await bench.store.claim(ClaimRequest(sources: ["blog": 9], passesGates: true)))
        try await bench.store.recordResult(claimed, WriteResult(.answered("", status: 201), .nothing))
        return try #require(entry.recordKey)
    }

    @Test(arguments: [false, true], [false, true])
    func `the record is deleted as the next listing ends, and does not count as deleted`(
        deletes: Bool, isComplete: Bool
    ) async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1,2]")]))
        bench.resource.deletions = Deletions(byAbsence: deletes)
        for _ in 0..<2 { _ = try await bench.sync() }
        bench.time.advance(by: .seconds(1))
        let id = try await create(in: bench)
        #expect(Set(try await bench.keys()) == ["1", "2", id])
        bench.time.advance(by: .seconds(1))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2,3]", next: isComplete ? nil : "/posts?page=2"))
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[4]"))
        bench.resource.stop.maxPages = isComplete ? nil : 1
        for _ in 0..<2 {
            let report = try await bench.sync()
            #expect(report.result.counters.deleted == 0 && report.result.counters.deletionsBlocked == 0)
            #expect(Set(try await bench.keys()) == ["1", "2", "3"])
        }
        #expect(!bench.origin.takeTargets().contains { $0.contains("tmp-") })
        #expect(try await bench.store.check() == [])
    }

    @Test func `the record stays although its entry is pruned, and is deleted all the same`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]")]))
        _ = try await bench.sync()
        let id = try await create(in: bench)
        bench.time.advance(by: .seconds(400 * 86_400))
        try await bench.store.prune()
        #expect(try await bench.store.entries(QueueSelection(states: [.done])).isEmpty)
        #expect(Set(try await bench.keys()) == ["1", id])
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]"))
        _ = try await bench.sync()
        #expect(Set(try await bench.keys()) == ["1", "2"])
    }

    @Test func `nothing is listed for each record of a resource by a temporary id`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]")]))
        var comments = AnyResource("comments", from: bench.resource.source, at: "/posts/{id}/comments", key: "id")
        comments.forEach = ForEach("posts", bind: ["id": JSONPath(member: "id")])
        bench.origin.set("/posts/1/comments", ScriptedOrigin.page("[11]"))
        _ = try await bench.sync()
        _ = try await create(in: bench)
        _ = bench.origin.takeTargets()
        #expect(try await bench.engine().sync(comments).result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts/1/comments"])
    }

    // MARK: Deliveries

    @Test func `a listing that began before the delivery may not have the record, so it stays`() async throws {
        let bench = try await EditBench()
        try await bench.pull(#"[{"id":"a"}]"#)
        let position = try await bench.sqlite.bench.open()
        bench.time.advance(by: .seconds(1))
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try #require(create.recordKey)
        try await bench.deliver(create, status: 201)
        try await bench.sqlite.bench.commit(#"[{"id":"a"}]"#, position)
        #expect(try await bench.shown(id) != nil)
        bench.time.advance(by: .seconds(1))
        try await bench.pull(#"[{"id":"a"},{"id":"p7","title":"1"}]"#)
        #expect(try await bench.shown(id) == nil)
        #expect(try await bench.shown("p7") == #"{"id":"p7","title":"1"}"#)
        try await bench.expectSound()
    }

    @Test func `a record that is yet to be created outlasts listings`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        bench.time.advance(by: .seconds(1))
        try await bench.pull(#"[{"id":"a"}]"#)
        #expect(try await bench.shown(try #require(create.recordKey)) != nil)
    }

    @Test func `it is deleted with the listing also where an update of it waits for the id`() async throws {
        let bench = try await EditBench()
        let create = try await bench.edit(.create, nil, #"{"title":"1"}"#)
        let id = try #require(create.recordKey)
        let update = try await bench.edit(.merge, id, #"{"title":"2"}"#)
        try await bench.deliver(create, status: 201)
        #expect(try await bench.shown(id) == #"{"title":"2","id":"\#(id)"}"#)
        bench.time.advance(by: .seconds(1))
        try await bench.pull(#"[{"id":"p7","title":"1"}]"#)
        #expect(try await bench.shown(id) == nil)
        #expect(try await bench.entry(update.id).reason == .dependency)
        try await bench.expectSound()
    }
}
