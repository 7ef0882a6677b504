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

    private func results() async throws -> RecentResults {
        try #require(try await store.recentResults(of: ["posts", "others"])["posts"])
    }

    @Test func `a resource without runs has no results`() async throws {
        let found = try await results()
        #expect(found.newest == nil && found.failure == nil && found.newestOutcome == nil)
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
        let found = try await results()
        #expect(found.failure?.since == first && found.failure?.endedAt == end)
        #expect(found.failure?.error.name == "newest" && found.failure?.isQueued == false)
        #expect(found.newest?.outcome == .failed && found.newestOutcome == .failed)
        try await run(.saved)
        let after = try await results()
        #expect(after.failure == nil && after.newest?.outcome == .saved && after.newestOutcome == .saved)
    }

    @Test func `a sync that was cancelled on purpose is neither a failure nor an end of one`() async throws {
        try await run(.failed, error: "cancelled")
        #expect(try await results().failure == nil)
        // 'siding sync --failed' goes on with it.
        #expect(try await results().newestOutcome == .failed)
        let first = try await run(.failed, error: "first")
        try await run(.failed, error: "cancelled")
        let found = try await results()
        #expect(found.failure?.since == first && found.failure?.error.name == "first")
        #expect(found.newest?.error?.name == "first")
    }

    @Test func `a sync without an outcome was interrupted if its run has ended, and is under way if not`() async throws
    {
        try await run(.saved)
        let began = try await run(nil)
        let found = try await results()
        #expect(found.failure?.since == began && found.failure?.error.name == "interrupted")
        #expect(found.newest?.outcome == .saved && found.newestOutcome == .interrupted)
        try await run(.saved)
        try await run(nil, ends: false)
        #expect(try await results().failure == nil)
    }
}
