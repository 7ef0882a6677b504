// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
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
}
