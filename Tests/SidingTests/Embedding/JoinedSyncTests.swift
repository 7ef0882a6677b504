// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// Two syncs of one resource in one process.
@Suite(.timeLimit(.minutes(5))) struct JoinedSyncTests {
    private let gate = Gatepost()
    private let asked = Promise<Void>()

    /// An origin whose answers wait for ``gate``.
    private func origin() -> ScriptedOrigin {
        .posts { [gate, asked] _ in
            asked.resolve(())
            await gate.pass()
        }
    }

    /// Returns when a call waits for a sync of the posts.
    private func joined(_ siding: Siding) async throws {
        while siding.activity.syncs.waiting(for: "posts") == 0 {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `a second sync joins the first, and has its outcome`() async throws {
        let blog = try await EmbeddedBlog(origin())
        async let first = blog.siding.sync(blog.posts)
        await asked.value()
        async let second = blog.siding.sync(blog.posts, options: SyncOptions(lockWait: .seconds(1)))
        try await joined(blog.siding)
        gate.open()
        let (one, other) = (try await first, try await second)
        guard case .saved(let counters) = one else {
            Issue.record("\(one)")
            return
        }
        #expect(counters.inserted == 5 && other == one)
        #expect(blog.origin.takeTargets() == ["/posts", "/posts?page=2", "/posts?page=3"])
        #expect(try await blog.siding.store.runs(limit: 9).map(\.outcome) == [.saved])
        guard case .saved = try await blog.siding.sync(blog.posts) else {
            Issue.record("the next sync did not begin")
            return
        }
        #expect(blog.origin.takeTargets().count == 3)
    }

    @Test func `a sync of another Siding on the same file begins when the first has ended`() async throws {
        let directory = try TemporaryDirectory()
        let blog = try await EmbeddedBlog(origin(), at: directory.path(of: "blog.db"))
        let other = try await EmbeddedBlog(origin(), at: directory.path(of: "blog.db"))
        async let first = blog.siding.sync(blog.posts)
        await asked.value()
        async let second = other.siding.sync(other.posts)
        try await joined(other.siding)
        gate.open()
        for outcome in [try await first, try await second] {
            if case .saved = outcome {} else { Issue.record("\(outcome)") }
        }
        #expect(try await blog.siding.store.runs(limit: 9).map(\.outcome) == [.saved, .saved])
        // Each file has its own.
        let apart = try await EmbeddedBlog()
        #expect(apart.siding.activity.syncs !== other.siding.activity.syncs)
        #expect(blog.siding.activity.syncs === other.siding.activity.syncs)
    }

    @Test func `a sync with other options begins when the first has ended`() async throws {
        let blog = try await EmbeddedBlog(origin())
        async let first = blog.siding.sync(blog.posts)
        await asked.value()
        async let full = blog.siding.sync(blog.posts, options: SyncOptions(isFull: true))
        try await joined(blog.siding)
        gate.open()
        _ = (try await first, try await full)
        #expect(blog.origin.takeTargets().count == 6)
        #expect(try await blog.siding.store.runs(limit: 9).map(\.outcome) == [.saved, .saved])
    }

    @Test func `every joined caller gets the error of the first, too`() async throws {
        let blog = try await EmbeddedBlog(origin())
        blog.origin.set("/posts", .status(.notFound))
        let first = Task { try await blog.siding.sync(blog.posts) }
        await asked.value()
        let second = Task { try await blog.siding.sync(blog.posts) }
        try await joined(blog.siding)
        gate.open()
        let errors = [
            await #expect(throws: SyncError.self) { try await first.value },
            await #expect(throws: SyncError.self) { try await second.value },
        ]
        #expect(errors.map { $0?.failure?.status } == [404, 404])
        #expect(blog.origin.takeTargets() == ["/posts"])
    }

    @Test func `cancelling the first lets the joined callers continue`() async throws {
        let blog = try await EmbeddedBlog(origin())
        let first = Task { try await blog.siding.sync(blog.posts) }
        await asked.value()
        let second = Task { try await blog.siding.sync(blog.posts) }
        try await joined(blog.siding)
        first.cancel()
        let error = await #expect(throws: SyncError.self) { try await first.value }
        #expect(error?.failure?.reason == .cancelled)
        gate.open()
        _ = try await second.value
        #expect(try await blog.keys() == ["1", "2", "3", "4", "5"])
    }

    @Test func `cancelling a joined caller ends its wait at once, and leaves the first alone`() async throws {
        let blog = try await EmbeddedBlog(origin())
        async let first = blog.siding.sync(blog.posts)
        await asked.value()
        let second = Task { try await blog.siding.sync(blog.posts) }
        try await joined(blog.siding)
        second.cancel()
        let error = await #expect(throws: SyncError.self) { try await second.value }
        #expect(error?.failure?.reason == .cancelled)
        #expect(blog.siding.activity.syncs.waiting(for: "posts") == 0)
        gate.open()
        guard case .saved(let counters) = try await first else {
            Issue.record("the first was not saved")
            return
        }
        #expect(counters.inserted == 5)
    }

    @Test func `closing ends those who joined, too`() async throws {
        let blog = try await EmbeddedBlog(origin())
        let first = Task { try await blog.siding.sync(blog.posts) }
        await asked.value()
        let second = Task { try await blog.siding.sync(blog.posts) }
        try await joined(blog.siding)
        await blog.siding.close()
        await #expect(throws: SyncError.self) { try await first.value }
        await #expect(throws: SyncError.self) { try await second.value }
    }

    @Test func `a call joins the sync of the service`() async throws {
        let source = try RunningService.source()
        let (origin, posts) = (origin(), RunningService.posts(from: source))
        let running = try await RunningService(origin, resources: [posts], sources: [], time: ManualWallClock())
        await asked.value()
        async let outcome = running.siding.sync(posts)
        try await joined(running.siding)
        gate.open()
        guard case .saved(let counters) = try await outcome else {
            Issue.record("nothing was saved")
            return
        }
        #expect(counters.inserted == 5)
        #expect(origin.takeTargets().count == 3)
        running.stop()
        try await running.ended()
    }

    @Test func `the service leaves a resource to the call that syncs it`() async throws {
        let blog = try await EmbeddedBlog(origin())
        let kernel = try ScriptedKernel()
        defer { withExtendedLifetime(kernel) {} }
        let changes = NetworkChanges(socket: kernel.socket)
        let first = Task { try await blog.siding.sync(blog.posts) }
        await asked.value()
        let isIdle = Promise<Void>()
        let service = Task { try await blog.siding.run(wakingOn: changes) { _ in isIdle.resolve(()) } }
        await isIdle.value()
        await blog.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        gate.open()
        _ = try await first.value
        #expect(blog.origin.takeTargets().count == 3)
        await blog.siding.close()
        try await service.value
    }
}
