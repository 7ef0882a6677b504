// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

@Suite(.timeLimit(.minutes(5))) struct HealthTests {
    @Test func `a resource is stale before its first sync and after its age, and well between`() async throws {
        let blog = try await EmbeddedBlog()
        let before = try #require(await blog.siding.health.resources.first)
        #expect(before.name == "posts" && before.isStale && !before.isWell && before.completedAt == nil)
        try await blog.siding.sync(blog.posts)
        let after = try #require(await blog.siding.health.resources.first)
        #expect(after.isWell && after.completedAt == blog.time.now)
        blog.time.advance(by: .seconds(61))
        #expect(await blog.siding.health.resources.first?.isStale == true)
    }

    @Test
    func `the next sync is due at once, then by the age, then when the page is, or never while a person holds it`()
        async throws
    {
        let blog = try await EmbeddedBlog()
        func next() async -> Timestamp? { await blog.siding.health.resources.first?.nextSync }
        #expect(await next() == blog.time.now)
        try await blog.siding.sync(blog.posts)
        let due = blog.time.now + .seconds(60)
        #expect(await next() == due)
        blog.time.advance(by: .seconds(61))
        #expect(await next() == due)
        let wait = ScriptedAnswer.text("", status: .serviceUnavailable, headerFields: [.retryAfter: "120"])
        blog.origin.set("/posts", wait)
        _ = try await blog.siding.sync(blog.posts)
        #expect(await next() == blog.time.now + .seconds(120))
        for entry in try await blog.siding.queueEntries() { try await blog.siding.hold(entry) }
        #expect(await next() == nil)
    }

    @Test func `a failing resource has the start and the reason, and its source has the reason of its gate`()
        async throws
    {
        let blog = try await EmbeddedBlog()
        try await blog.siding.sync(blog.posts)
        let since = blog.time.now
        blog.origin.set("/posts", .status(.unauthorized))
        _ = try? await blog.siding.sync(blog.posts)
        blog.time.advance(by: .seconds(10))
        let health = await blog.siding.health
        #expect(health.storeError == nil)
        #expect(health.resources.first?.failingSince == since)
        #expect(health.resources.first?.error?.status == 401)
        #expect(health.gates.map(\.source) == ["blog"])
        #expect(health.gates.map(\.reason) == [.signIn])
    }

    @Test func `a resource fails since its first failure, over any number of runs of others`() async throws {
        let blog = try await EmbeddedBlog()
        let since = blog.time.now
        blog.origin.set("/posts", .status(.notFound))
        for _ in 1...2 {
            await #expect(throws: SyncError.self) { try await blog.siding.sync(blog.posts) }
            blog.time.advance(by: .seconds(10))
        }
        for _ in 1...102 {
            let run = try await blog.siding.store.beginRun(command: "sync others")
            try await blog.siding.store.endRun(run, outcome: .saved)
        }
        let resource = try #require(await blog.siding.health.resources.first)
        #expect(resource.failingSince == since && resource.error?.status == 404 && !resource.isWell)
    }

    @Test func `a resource without an age is not well before its first complete listing`() async throws {
        let blog = try await EmbeddedBlog()
        var posts = blog.posts
        posts.maxAge = nil
        try blog.siding.replace(resources: [posts])
        #expect(await blog.siding.health.resources.map(\.isWell) == [false])
        try await blog.siding.sync(posts)
        #expect(await blog.siding.health.resources.map(\.isWell) == [true])
    }

    @Test func `a due write is due since its time, and one that waits or is sent is not`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/orders", .status(.created))
        #expect(await blog.siding.health.dueSince == nil)
        _ = try await blog.siding.store.enqueue(try blog.write())
        let since = blog.time.now
        blog.time.advance(by: .seconds(30))
        #expect(await blog.siding.health.dueSince == since)
        try await blog.siding.drain()
        #expect(await blog.siding.health.dueSince == nil)
        blog.origin.set("/orders", .status(.serviceUnavailable))
        try await blog.siding.send(try blog.write())
        #expect(await blog.siding.health.dueSince == nil)
    }

    @Test func `the last look is that of the loop`() async throws {
        let blog = try await EmbeddedBlog()
        try await blog.siding.sync(blog.posts)
        #expect(await blog.siding.health.lastPoll == nil && !blog.siding.hasPolled(within: .seconds(1)))
        let kernel = try ScriptedKernel()
        defer { withExtendedLifetime(kernel) {} }
        let changes = NetworkChanges(socket: kernel.socket)
        let isIdle = Promise<Void>()
        let service = Task { try await blog.siding.run(wakingOn: changes) { _ in isIdle.resolve(()) } }
        // A sleeper alone may be the pause of one part, while the other one has not looked yet.
        await isIdle.value()
        await blog.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        #expect(blog.siding.lastPoll == blog.time.now && blog.siding.hasPolled(within: .seconds(1)))
        blog.time.advance(by: RetryRules.serviceInterval)
        #expect(
            !blog.siding.hasPolled(within: .seconds(1)) && blog.siding.hasPolled(within: RetryRules.serviceInterval))
        #expect(await blog.siding.health.lastPoll != blog.time.now)
        blog.clock.advance(by: RetryRules.serviceInterval)
        await blog.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        #expect(await blog.siding.health.lastPoll == blog.time.now)
        await blog.siding.close()
        try await service.value
    }
}
