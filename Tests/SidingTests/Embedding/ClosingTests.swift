// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain

import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

@Suite(.timeLimit(.minutes(5))) struct ClosingTests {
    @Test func `every call after the close throws that the store is closed`() async throws {
        let blog = try await EmbeddedBlog()
        let (siding, posts) = (blog.siding, blog.posts)
        try await siding.sync(posts)
        let entry = try await siding.store.enqueue(try blog.write())
        await siding.close()
        await siding.close()
        let calls: [@Sendable () async throws -> Void] = [
            { try await siding.run() }, { try await siding.send(try blog.write()) }, { try await siding.drain() },
            { _ = try await siding.rawRecords(of: posts) },
            { _ = try await siding.history(of: posts, key: "1") },
            { _ = try await siding.provenance(of: posts, key: "1") }, { _ = try await siding.schema(of: posts) },
            { _ = try await siding.quarantined() }, { try await siding.retryQuarantined() },
            { _ = try await siding.store.enqueue(try blog.write()) }, { try siding.replace(resources: [posts]) },
            { _ = try await siding.rawRecord(of: posts, key: "1") }, { _ = try await siding.queueEntries() },
            { _ = try await siding.queueEntry(entry.id) }, { try await siding.retry(entry) },
            { try await siding.hold(entry) }, { try await siding.release(entry) }, { try await siding.drop(entry) },
        ]
        for (number, call) in calls.enumerated() {
            let error = await #expect(throws: StoreError.self, "call \(number)") { try await call() }
            #expect(error?.kind == .closed, "call \(number)")
            #expect(error?.message == "the store is closed")
        }
        let error = await #expect(throws: SyncError.self) { try await siding.sync(posts) }
        #expect(error?.storeError?.kind == .closed && error?.cause.message == "the store is closed")
        #expect(await siding.health.storeError?.kind == .closed)
    }

    @Test func `a sync under way is ended and recorded, and its lease is released`() async throws {
        let directory = try TemporaryDirectory()
        let asked = Promise<Void>()
        let origin = ScriptedOrigin.posts { target in
            guard target == "/posts?page=3" else { return }
            asked.resolve(())
            // Until it is cancelled.
            await ChangeSignal().wait(past: 0)
        }
        let path = directory.path(of: "blog.db")
        let blog = try await EmbeddedBlog(origin, at: path)
        let task = Task { try await blog.siding.sync(blog.posts) }
        await asked.value()
        await blog.siding.close()
        await #expect(throws: SyncError.self) { try await task.value }

        let again = try await EmbeddedBlog(at: path)
        let run = try #require(try await again.siding.store.runs(limit: 1).first)
        #expect(run.outcome == .interrupted)
        #expect(try await again.siding.store.leases().isEmpty)
        try await again.siding.sync(again.posts)
        #expect(try await again.keys() == ["1", "2", "3", "4", "5"])
        await again.siding.close()
    }

    @Test func `the service and the readers of events end`() async throws {
        let blog = try await EmbeddedBlog()
        let kernel = try ScriptedKernel()
        defer { withExtendedLifetime(kernel) {} }
        let changes = NetworkChanges(socket: kernel.socket)
        let events = blog.siding.events
        let isReading = Promise<Void>()
        let reading = Task {
            var count = 0
            for await _ in events {
                count += 1
                isReading.resolve(())
            }
            return count
        }
        let service = Task { try await blog.siding.run(wakingOn: changes) }
        await isReading.value()
        await blog.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        async let other: Void = blog.siding.close()
        await blog.siding.close()
        await other
        try await service.value
        #expect(await reading.value > 0)
    }

    @Test func `two instances work side by side, on one file and on two`() async throws {
        let directory = try TemporaryDirectory()
        for paths in [["one.db", "one.db"], ["two.db", "three.db"]] {
            let first = try await EmbeddedBlog(at: directory.path(of: paths[0]))
            let second = try await EmbeddedBlog(at: directory.path(of: paths[1]))
            first.origin.set("/orders", .status(.created))
            second.origin.set("/orders", .status(.created))
            try await first.siding.sync(first.posts)
            // On one file the posts are there already, and are read while the other instance writes.
            async let one = first.siding.send(try first.write())
            async let two = second.siding.sync(second.posts)
            #expect(try await one.state == .done)
            _ = try await two
            await first.siding.close()
            #expect(try await second.keys() == ["1", "2", "3", "4", "5"])
            #expect(try await second.siding.send(try second.write()).state == .done)
            await second.siding.close()
        }
    }
}
