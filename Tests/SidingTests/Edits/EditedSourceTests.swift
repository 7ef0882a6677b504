// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// What waits for the origin, and what the config makes of its resource meanwhile.
@Suite struct EditedSourceTests {
    private static func bench() async throws -> (EngineBench, Store) {
        let bench = try await EngineBench()
        _ = try await bench.sync()
        return (bench, bench.store)
    }

    private static func write(
        _ change: WriteEdit.Change, of resource: AnyResource, key: String? = nil, to store: Store
    ) async throws -> QueueEntry {
        try await store.enqueue(
            WriteRequest(
                to: resource.source.name, change == .create ? .post : .patch,
                try HTTPURL("https://api.example.org/posts\(key.map { "/\($0)" } ?? "")"), body: Array(#"{"x":1}"#.utf8)
            )
            .with(\.edit, WriteEdit(change, of: resource, key: key)))
    }

    private static func source(_ name: String, _ url: String = "https://api.example.org") throws -> Source {
        var source = Source(name: name, baseURL: try HTTPURL(url))
        source.retry = RetryPolicy(retries: 0)
        return source
    }

    @Test func `edits follow their resource to the new name of its source, and are sent under it`() async throws {
        var (bench, store) = try await Self.bench()
        let entry = try await Self.write(.merge, of: bench.resource, key: "1", to: store)
        let other = try await store.enqueue(
            WriteRequest(to: "blog", .post, try HTTPURL("https://api.example.org/log"), body: Array("{}".utf8)))
        bench.resource.source = try Self.source("journal")
        _ = try await bench.sync()
        #expect(try await store.entries(QueueSelection(ids: [entry.id])).first?.source == "journal")
        // What belongs to no resource was given to a name.
        #expect(try await store.entries(QueueSelection(ids: [other.id])).first?.source == "blog")
        let claimed = try await store.claim(ClaimRequest(sources: ["journal": 4]))
        #expect(claimed?.entry.id == entry.id)
    }

    @Test func `edits are not given to another origin that takes the place of theirs`() async throws {
        var (bench, store) = try await Self.bench()
        let entry = try await Self.write(.merge, of: bench.resource, key: "1", to: store)
        bench.resource.source = try Self.source("staging", "https://api.example.org/staging")
        bench.origin.set("/staging/posts", ScriptedOrigin.page("[1,2,3,4,5]"))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await store.entries(QueueSelection(ids: [entry.id])).first?.source == "blog")
    }

    @Test func `a record that is yet to be created is not a parent, and delays no deletion`() async throws {
        let (bench, store) = try await Self.bench()
        var comments = bench.resource
        (comments.name, comments.path) = ("comments", "/posts/{post}/comments")
        comments.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")])
        comments.deletions = Deletions(byAbsence: true)
        for post in 1...5 {
            bench.origin.set("/posts/\(post)/comments", ScriptedOrigin.page("[\(post * 10),\(post * 10 + 1)]"))
        }
        let created = try await Self.write(.create, of: bench.resource, to: store)
        _ = bench.origin.takeTargets()
        func sync() async throws -> SyncReport {
            bench.time.advance(by: .seconds(60))
            return try #require(try await bench.engine().run([bench.resource, comments]).last)
        }
        let first = try await sync()
        #expect(first.result.outcome == .saved && first.result.counters.inserted == 10 && first.warnings == [])
        let asked = bench.origin.takeTargets().filter { $0.hasSuffix("/comments") }
        #expect(asked.sorted() == (1...5).map { "/posts/\($0)/comments" })
        #expect(try await store.record(of: "posts", key: try #require(created.recordKey)) != nil)
        bench.origin.set("/posts/5/comments", ScriptedOrigin.page("[50]"))
        // An own edit may lead to another address than the origin's; one that is completed does not.
        let edit = try await Self.write(.merge, of: bench.resource, key: "2", to: store)
        for _ in 0..<3 { #expect(try await sync().result.counters.deleted == 0) }
        _ = try await store.perform(.drop, on: QueueSelection(ids: [edit.id]))
        let told = try await sync()
        #expect(try await told.result.counters.deleted + sync().result.counters.deleted == 1)
    }
}
