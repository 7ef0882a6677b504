// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNotifications

/// What happens to a store, step by step, and what a hook is notified of after each.
@Suite struct IncidentSequenceTests {
    enum Step: Sendable {
        case works, isForbidden, isOffline, isIncomplete
        /// A run in which so many deletions were blocked.
        case blocks(Int)
        /// A run in which the listing did not change.
        case isUnchanged
        case enqueues, drops
        /// Enqueues a write that expires in an hour.
        case enqueuesForAnHour
        case passes(minutes: Int)
    }

    struct Sequence: Sendable, CustomTestStringConvertible {
        var title: String
        var steps: [(Step, [String])]
        var testDescription: String { title }

        init(_ title: String, _ steps: (Step, [String])...) { (self.title, self.steps) = (title, steps) }
    }

    static let sequences = [
        Sequence("nothing is wrong", (.works, []), (.works, []), (.enqueues, []), (.drops, [])),
        Sequence(
            "a failure is notified once, and so is its end",
            (.works, []), (.isForbidden, ["failed posts"]), (.isForbidden, []), (.passes(minutes: 600), []),
            (.isForbidden, []), (.works, ["recovered failed posts"]), (.works, []),
            (.isForbidden, ["failed posts"]), (.works, ["recovered failed posts"])),
        Sequence(
            "a page that waits in the queue is no failure until it waits for too long",
            (.works, []), (.isOffline, []), (.passes(minutes: 59), []), (.isOffline, []),
            (.passes(minutes: 2), ["queued_too_long blog"]), (.isOffline, []),
            (.works, ["recovered queued_too_long blog"])),
        Sequence(
            "a failure that the queue continues is neither over nor new",
            (.isForbidden, ["failed posts"]), (.isOffline, []), (.isOffline, []), (.works, ["recovered failed posts"])),
        Sequence(
            "a write waits for too long",
            (.enqueues, []), (.passes(minutes: 59), []), (.passes(minutes: 1), ["queued_too_long blog"]),
            (.enqueues, []), (.passes(minutes: 600), []), (.drops, ["recovered queued_too_long blog"])),
        Sequence(
            "a write is parked",
            (.enqueuesForAnHour, []), (.passes(minutes: 61), ["queued_too_long blog"]),
            (.works, ["parked blog", "recovered queued_too_long blog"]), (.works, []),
            (.drops, ["recovered parked blog"])),
        Sequence(
            "a listing is incomplete",
            (.isIncomplete, ["incomplete posts"]), (.isIncomplete, []), (.works, ["recovered incomplete posts"])),
        Sequence(
            "an incomplete listing fails, and is complete again",
            (.isIncomplete, ["incomplete posts"]), (.isForbidden, ["failed posts"]), (.isForbidden, []),
            (.works, ["recovered incomplete posts", "recovered failed posts"])),
        Sequence(
            "deletions are blocked",
            (.works, []), (.blocks(9), ["deletions_blocked posts"]), (.blocks(12), []),
            (.isForbidden, ["failed posts"]),
            (.works, ["recovered deletions_blocked posts", "recovered failed posts"])),
    ]

    @Test(arguments: sequences) func `each condition is notified once when it begins and once when it is over`(
        _ sequence: Sequence
    ) async throws {
        let bench = try await NotifyBench()
        for (index, (step, notifications)) in sequence.steps.enumerated() {
            try await perform(step, bench)
            try await bench.notifier().notify()
            let taken = try bench.taken()
            #expect(Set(taken) == Set(notifications) && taken.count == notifications.count, "step \(index): \(taken)")
        }
        #expect(bench.reported == [])
    }

    private func perform(_ step: Step, _ bench: NotifyBench) async throws {
        bench.time.advance(by: .seconds(1))
        switch step {
        case .works: try await bench.sync(.text(#"{"items":[{"id":1}],"has_more":false}"#))
        case .isForbidden: try await bench.sync(.status(.forbidden))
        case .isOffline:
            bench.time.advance(by: .seconds(1))
            try await bench.sync(.failure(Failure(.noInternetConnection, phase: .notSent)))
        case .isIncomplete: try await bench.sync(.text(#"{"items":[{"id":1}],"has_more":true}"#))
        case .blocks(let count): try await bench.run(.saved, blocked: count)
        case .isUnchanged: try await bench.run(.notModified)
        case .enqueues: try await bench.enqueue()
        case .enqueuesForAnHour: try await bench.enqueue(expiry: .seconds(3600))
        case .drops: _ = try await bench.store.perform(.drop, on: QueueSelection())
        case .passes(let minutes): bench.time.advance(by: .seconds(60 * minutes))
        }
    }

    @Test func `a failure and its end are notified over any number of runs of others`() async throws {
        let bench = try await NotifyBench()
        let since = bench.time.now
        try await bench.run(.failed, error: "403")
        bench.time.advance(by: .seconds(60))
        for _ in 1...101 { try await bench.run(.saved, of: "others") }
        try await bench.notifier(of: ["posts", "others"]).notify()
        let event = try SentEvent(try #require(bench.receiver.take().first).body)
        #expect(event.event == "failed" && event.subject == "posts" && event.since == since.rfc3339)
        try await bench.run(.saved)
        for _ in 1...101 { try await bench.run(.saved, of: "others") }
        try await bench.notifier().notify()
        #expect(try bench.taken() == ["recovered failed posts"])
    }

    @Test func `a sync that was cancelled on purpose or skipped changes nothing`() async throws {
        let bench = try await NotifyBench()
        for outcome in [RunOutcome.failed, .skipped] {
            let run = try await bench.store.beginRun(command: "sync posts")
            var result = RunResource(resource: "posts", outcome: outcome)
            result.error = RecordedError(name: "cancelled", message: "stopped")
            try await bench.store.endResource(result, in: run)
            try await bench.store.endRun(run, outcome: outcome)
        }
        try await bench.notifier().notify()
        #expect(try bench.taken() == [])
    }
}
