// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite(.timeLimit(.minutes(5))) struct EventsTests {
    /// The next `count` events of a reader, in short.
    private static func take(_ count: Int, from events: Siding.Events) async -> [String] {
        var taken: [String] = []
        for await event in events {
            taken.append(text(event))
            if taken.count == count { break }
        }
        return taken
    }

    private static func text(_ event: Siding.Event) -> String {
        switch event {
        case .runBegan(_, let resources): "began \(resources.joined(separator: ","))"
        case .pageSaved(let resource, let page, let counters): "\(resource) page \(page): \(counters.inserted)"
        case .entryChanged(let entry): "\(entry.kind) \(entry.state)"
        case .recordsChanged(let resource): "changed \(resource)"
        case .runEnded(_, let outcome): "ended \(outcome)"
        case .missed(let count): "missed \(count)"
        }
    }

    @Test func `each reader gets the run, its pages and the change of the records, from when it began`() async throws {
        let blog = try await EmbeddedBlog()
        let (first, second) = (blog.siding.events, blog.siding.events)
        try await blog.siding.sync(blog.posts)
        let late = blog.siding.events
        let all = [
            "began posts", "posts page 1: 2", "posts page 2: 4", "posts page 3: 5", "ended saved", "changed posts",
        ]
        #expect(await Self.take(6, from: first) == all)
        #expect(await Self.take(6, from: second) == all)
        try await blog.siding.sync(blog.posts)
        #expect(await Self.take(1, from: late) == ["began posts"])
    }

    @Test func `the numbers of the beginning and the end are those of the run`() async throws {
        let blog = try await EmbeddedBlog()
        let events = blog.siding.events
        try await blog.siding.sync(blog.posts)
        var runs: [RunID] = []
        for await event in events {
            if case .runBegan(let run, _) = event { runs.append(run) }
            guard case .runEnded(let run, _) = event else { continue }
            runs.append(run)
            break
        }
        let stored = try #require(try await blog.siding.store.runs(limit: 1).first)
        #expect(runs == [stored.id, stored.id])
    }

    @Test func `a write is reported as it is accepted and as it is sent`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/orders", .failure(Failure(.noInternetConnection, phase: .notSent)), .status(.created))
        let events = blog.siding.events
        try await blog.siding.send(try blog.write())
        #expect(await Self.take(2, from: events) == ["write queued", "write queued"])
        blog.time.advance(by: .seconds(3_600))
        try await blog.siding.drain()
        #expect(await Self.take(1, from: events) == ["write done"])
    }

    @Test func `a page that is kept for later is reported`() async throws {
        let blog = try await EmbeddedBlog()
        blog.origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        let events = blog.siding.events
        try await blog.siding.sync(blog.posts)
        let expected = ["began posts", "posts page 1: 2", "ended queued", "fetch queued", "changed posts"]
        #expect(await Self.take(5, from: events) == expected)
    }

    @Test func `a slow reader delays nothing, misses the oldest events and gets their number`() async throws {
        let blog = try await EmbeddedBlog()
        let (slow, fast) = (blog.siding.events, blog.siding.events)
        var read: [String] = []
        for number in 1...2_600 {
            blog.siding.activity.events.publish(.runBegan(RunID(number), resources: []))
            read += await Self.take(1, from: fast)
        }
        #expect(read == Array(repeating: "began ", count: 2_600))
        blog.siding.activity.events.close()
        var (missed, runs) = (0, [RunID]())
        for await event in slow {
            if case .missed(let count) = event { missed += count }
            if case .runBegan(let run, _) = event { runs.append(run) }
        }
        #expect(missed > 0 && runs.count <= EventBuffer.limit)
        #expect(runs == Array(RunID(missed + 1)...2_600))
    }

    @Test func `records that another process changes are reported within a second, and only once`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path(of: "blog.db")
        let (blog, other) = (try await EmbeddedBlog(at: path), try await EmbeddedBlog(at: path))
        let events = blog.siding.events
        async let changes = Self.take(2, from: events)
        await blog.clock.sleepers(1)
        try await other.siding.sync(other.posts)
        blog.clock.advance(by: .seconds(1))
        await blog.clock.sleepers(1)
        blog.clock.advance(by: .seconds(1))
        await blog.clock.sleepers(1)
        other.origin.set("/posts?page=3", ScriptedOrigin.page("[5,6]"))
        try await other.siding.sync(other.posts)
        blog.clock.advance(by: .seconds(1))
        #expect(await changes == ["changed posts", "changed posts"])
        await blog.siding.close()
        await other.siding.close()
    }

    @Test func `a reader that is dropped costs nothing more`() async throws {
        let blog = try await EmbeddedBlog()
        do {
            let events = blog.siding.events
            #expect(blog.siding.activity.events.hasReaders)
            _ = events
        }
        #expect(!blog.siding.activity.events.hasReaders)
    }

    @Test func `the events end when their task is cancelled`() async throws {
        let blog = try await EmbeddedBlog()
        let events = blog.siding.events
        let task = Task { await Self.take(1, from: events) }
        await blog.clock.sleepers(1)
        task.cancel()
        #expect(await task.value == [])
    }
}
