// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// One record and the queue, for programs.
@Suite(.timeLimit(.minutes(5))) struct QueueCallsTests {
    @Test func `a record is found by its key, and one that is missing or of a resource without records is not`()
        async throws
    {
        let blog = try await EmbeddedBlog()
        #expect(try await blog.siding.rawRecord(of: blog.posts, key: "1") == nil)
        try await blog.siding.sync(blog.posts)
        #expect(try await blog.siding.rawRecord(of: blog.posts, key: "1")?.key == "1")
        #expect(try await blog.siding.rawRecord(of: blog.posts, key: "99") == nil)
    }

    @Test func `the queue is listed by state and resource, and an entry is found by its id or its beginning`()
        async throws
    {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/orders", .status(.badRequest))
        blog.origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        let parked = try await blog.siding.send(try blog.write())
        blog.time.advance(by: .seconds(1))
        try await blog.siding.sync(blog.posts)
        let (siding, posts) = (blog.siding, blog.posts)
        #expect(try await siding.queueEntries().map(\.kind) == [.write, .fetch])
        #expect(try await siding.queueEntries(limit: 1).map(\.kind) == [.write])
        #expect(try await siding.queueEntries(in: [.parked]).map(\.id) == [parked.id])
        #expect(try await siding.queueEntries(of: posts).map(\.resource) == ["posts"])
        #expect(try await siding.queueEntry(parked.id).state == .parked)
        #expect(try await siding.queueEntry(parked.shortID).id == parked.id)
        let error = await #expect(throws: StoreError.self) { try await siding.queueEntry("zzzzzzzz") }
        #expect(error?.kind == .notFound)
    }

    @Test func `a refused write is sent once a program retries it, and then no action is allowed`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/orders", .status(.badRequest), .status(.created))
        let parked = try await blog.siding.send(try blog.write())
        #expect(parked.reason == .rejected)
        let events = blog.siding.events
        #expect(try await blog.siding.retry(parked).state == .queued)
        for await event in events {
            guard case .entryChanged(let changed) = event else { continue }
            #expect(changed.id == parked.id && changed.state == .queued)
            break
        }
        #expect(try await blog.siding.drain().map(\.state) == [.done])
        let siding = blog.siding
        let actions: [@Sendable () async throws -> Void] = [
            { try await siding.retry(parked) }, { try await siding.hold(parked) },
            { try await siding.release(parked) }, { try await siding.drop(parked) },
        ]
        for action in actions {
            let error = await #expect(throws: StoreError.self) { try await action() }
            #expect(error?.kind == .refused && error?.message.hasPrefix(parked.shortID) == true)
        }
    }

    @Test func `a retry lets a source that waits for a sign-in be tried again, and a release does not`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/orders", .status(.unauthorized))
        let parked = try await blog.siding.send(try blog.write())
        #expect(parked.reason == .signIn)
        try await blog.siding.release(parked)
        #expect(await blog.siding.health.gates.map(\.reason) == [.signIn])
        try await blog.siding.retry(parked)
        #expect(await blog.siding.health.gates.isEmpty)
    }

    @Test func `a held write is not sent until it is released, and a dropped one never`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/orders", .status(.created))
        let entry = try await blog.siding.store.enqueue(try blog.write())
        #expect(try await blog.siding.hold(entry).reason == .held)
        #expect(try await blog.siding.drain().isEmpty)
        #expect(try await blog.siding.release(entry).state == .queued)
        #expect(try await blog.siding.drop(entry).state == .dropped)
        #expect(try await blog.siding.drain().isEmpty)
        #expect(try await blog.siding.queueEntries().isEmpty)
    }

    @Test func `a write in doubt is marked as arrived, and no conflict`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/orders", .status(.init(code: 207)))
        var write = try blog.write()
        write.idempotency = nil
        let doubted = try await blog.siding.send(write)
        #expect(doubted.reason == .uncertain && doubted.mayHaveArrived)
        for resolution in [ConflictResolution.mine, .theirs, .merge([])] {
            let error = await #expect(throws: StoreError.self) { try await blog.siding.resolve(doubted, resolution) }
            #expect(error?.kind == .refused)
        }
        let events = blog.siding.events
        let arrived = try await blog.siding.resolve(doubted, .arrived())
        #expect(arrived.state == .done && arrived.id == doubted.id)
        for await case .entryChanged(let changed) in events {
            #expect(changed.id == arrived.id && changed.state == .done)
            break
        }
        #expect(try await blog.siding.conflict(of: arrived) == nil)
    }

    /// An edit of the first post that the origin refuses as a conflict, once.
    private func conflicting(_ blog: EmbeddedBlog) async throws -> QueueEntry {
        blog.origin.set("/posts/1", .status(.conflict), .status(.ok))
        var write = WriteRequest(
            to: blog.source.name, .patch, try HTTPURL("https://example.com/posts/1"),
            body: Array(#"{"title":"mine"}"#.utf8), idempotency: nil)
        write.edit = WriteEdit(.merge, of: blog.posts, key: "1", conflict: .hold)
        let entry = try await blog.siding.send(write)
        #expect(entry.reason == .conflict)
        return entry
    }

    @Test func `a conflict shows both sides, and is decided`() async throws {
        let blog = try await EmbeddedBlog()
        try await blog.siding.sync(blog.posts)
        let entry = try await conflicting(blog)
        let sides = try #require(try await blog.siding.conflict(of: entry))
        #expect(sides.entry.id == entry.id && sides.change == .merge)
        #expect(sides.mine?.value(at: JSONPath(member: "title"))?.string == "mine")
        #expect(sides.theirs?.value(at: JSONPath(member: "title"))?.string != "mine")
        #expect(sides.theirs == sides.base)
        #expect(try await blog.siding.resolve(entry, .theirs).state == .dropped)
        #expect(try await blog.siding.rawRecord(of: blog.posts, key: "1")?.pending == 0)
    }

    @Test func `a conflict is decided for the own write, or for another body`() async throws {
        let blog = try await EmbeddedBlog()
        try await blog.siding.sync(blog.posts)
        for resolution in [ConflictResolution.mine, .merge(Array(#"{"id":1,"title":"both"}"#.utf8))] {
            let entry = try await conflicting(blog)
            let decided = try await blog.siding.resolve(entry, resolution)
            #expect(decided.state == .queued)
            #expect(try await blog.siding.drain().map(\.id) == [decided.id])
            #expect(try await blog.siding.queueEntry(decided.id).state == .done)
        }
    }
}
