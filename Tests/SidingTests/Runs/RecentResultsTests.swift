// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

/// What is shown of a resource by its newest syncs.
@Suite struct RecentResultsTests {
    private let time = ManualWallClock()
    private let store: Store

    init() async throws {
        store = try await .temporary(clock: time.clock)
    }

    /// Stores a run of a minute with this result.
    ///
    /// - Returns: when it began.
    @discardableResult
    private func run(_ outcome: RunOutcome?, error: String? = nil, ends: Bool = true) async throws -> Timestamp {
        time.advance(by: .seconds(60))
        let began = time.now
        let run = try await store.beginRun(command: "sync")
        var result = RunResource(resource: "posts", outcome: outcome)
        result.error = error.map { RecordedError(name: $0, message: "why") }
        try await store.endResource(result, in: run)
        time.advance(by: .seconds(60))
        if ends { try await store.endRun(run, outcome: outcome ?? .interrupted) }
        return began
    }

    /// Asked together with a resource that has no runs.
    private func outcome() async throws -> RunOutcome? {
        try await store.newestOutcomes(of: ["others", "posts"])["posts"]
    }

    private func newest() async throws -> RunResource? {
        try await store.newestResults(of: ["others", "posts"])["posts"]
    }

    private func failure() async throws -> FailureStreak? {
        try await store.failures(of: ["others", "posts"])["posts"]
    }

    @Test func `a resource without runs has no results`() async throws {
        #expect(try await newest() == nil)
        #expect(try await failure() == nil)
        #expect(try await outcome() == nil)
    }

    @Test func `each resource has the results of its own runs`() async throws {
        let first = try await run(.failed, error: "old")
        try await run(.failed, error: "newest")
        let others = try await store.beginRun(command: "sync")
        try await store.endResource(RunResource(resource: "others", outcome: .saved), in: others)
        try await store.endRun(others, outcome: .saved)
        let names = ["posts", "others", "none"]
        #expect(try await store.newestOutcomes(of: names) == ["posts": .failed, "others": .saved])
        #expect(
            try await store.newestResults(of: names).mapValues(\.resource) == ["posts": "posts", "others": "others"])
        let failures = try await store.failures(of: names)
        #expect(failures.mapValues(\.since) == ["posts": first] && failures["posts"]?.error.name == "newest")
    }

    @Test func `the failures begin with the first one since the last success, and end with the newest`() async throws {
        try await run(.failed, error: "old")
        try await run(.notModified)
        try await run(.skipped)
        let first = try await run(.queued, error: "first")
        try await run(.skipped)
        try await run(.failed, error: "newest")
        let end = time.now
        try await run(.skipped)
        let streak = try await failure()
        #expect(streak?.since == first && streak?.endedAt == end)
        #expect(streak?.error.name == "newest" && streak?.isQueued == false)
        #expect(try await newest()?.outcome == .failed)
        #expect(try await outcome() == .failed)
        try await run(.saved)
        #expect(try await failure() == nil)
        #expect(try await newest()?.outcome == .saved)
        #expect(try await outcome() == .saved)
    }

    @Test func `a sync that was cancelled on purpose is neither a failure nor an end of one`() async throws {
        try await run(.failed, error: "cancelled")
        #expect(try await failure() == nil)
        // 'siding sync --failed' goes on with it.
        #expect(try await outcome() == .failed)
        let first = try await run(.failed, error: "first")
        try await run(.failed, error: "cancelled")
        let streak = try await failure()
        #expect(streak?.since == first && streak?.error.name == "first")
        #expect(try await newest()?.error?.name == "first")
    }

    @Test func `a sync without an outcome was interrupted if its run has ended, and is under way if not`() async throws
    {
        try await run(.saved)
        let began = try await run(nil)
        let streak = try await failure()
        #expect(streak?.since == began && streak?.error.name == "interrupted")
        #expect(try await newest()?.outcome == .saved)
        #expect(try await outcome() == .interrupted)
        try await run(.saved)
        try await run(nil, ends: false)
        #expect(try await failure() == nil)
    }
}
