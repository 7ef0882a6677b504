// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingInspection
import SidingTesting
import Testing

@testable import SidingNotifications

/// What happens to a target of `publish:`, step by step, and what a hook is notified of after each.
@Suite struct TargetIncidentTests {
    enum Step: Sendable {
        /// A record of the resource changes.
        case changes
        /// A publication of all changes.
        case publishes
        case isDown, isRefused, passes(minutes: Int)
        /// A publication that has sent something, and goes on.
        case sends
    }

    struct Sequence: Sendable, CustomTestStringConvertible {
        var title: String
        var steps: [(Step, [String])]
        var testDescription: String { title }

        init(_ title: String, _ steps: (Step, [String])...) { (self.title, self.steps) = (title, steps) }
    }

    private static let waits = "queued_too_long publish:fleet"
    private static let fails = "failed publish:fleet"

    static let sequences = [
        Sequence(
            "all is well", (.changes, []), (.publishes, []), (.passes(minutes: 600), []), (.changes, []),
            (.publishes, [])),
        Sequence(
            "a hub that is down is notified once changes have waited for an hour",
            (.changes, []), (.publishes, []), (.isDown, []), (.passes(minutes: 600), []), (.changes, []),
            (.passes(minutes: 59), []), (.isDown, []), (.passes(minutes: 1), [waits]), (.changes, []),
            (.passes(minutes: 1_440), []), (.isDown, []), (.publishes, ["recovered \(waits)"]), (.isDown, [])),
        Sequence(
            "changes that nobody publishes wait as well",
            (.changes, []), (.publishes, []), (.changes, []), (.passes(minutes: 60), [waits]),
            (.publishes, ["recovered \(waits)"])),
        Sequence(
            "a first publication is not late while it goes on, nor before it begins",
            (.changes, []), (.passes(minutes: 600), []), (.sends, []), (.passes(minutes: 59), []), (.sends, []),
            (.passes(minutes: 59), []), (.publishes, [])),
        Sequence(
            "a first publication that never reaches the hub", (.changes, []), (.passes(minutes: 600), []),
            (.isDown, []),
            (.passes(minutes: 60), [waits])),
        Sequence(
            "a hub that refuses is notified at once, and of nothing else",
            (.changes, []), (.publishes, []), (.changes, []), (.isRefused, [fails]), (.passes(minutes: 600), []),
            (.isRefused, []), (.publishes, ["recovered \(fails)"])),
        Sequence(
            "a hub that is down, and then refuses",
            (.changes, []), (.publishes, []), (.changes, []), (.isDown, []), (.passes(minutes: 60), [waits]),
            (.isRefused, [fails]), (.isDown, []), (.publishes, ["recovered \(waits)", "recovered \(fails)"])),
    ]

    /// The station of a sequence.
    private struct Station {
        let bench: NotifyBench
        let target = PublishedTarget("fleet", station: "van-1", resources: ["posts"])
        private var records = 0

        init() async throws { bench = try await NotifyBench() }

        mutating func perform(_ step: Step) async throws {
            bench.time.advance(by: .seconds(1))
            switch step {
            case .changes:
                records += 1
                let items = (1...records).map { "{\"id\":\($0)}" }.joined(separator: ",")
                try await bench.sync(.text("[\(items)]"))
            case .publishes:
                let published = try #require(try await bench.store.published("posts"))
                try await publish(to: published.revision, published.number)
                try await end(nil, ["posts": nil])
            case .sends:
                try await publish(to: 0, try #require(try await bench.store.published("posts")).number)
            case .isDown: try await end(RecordedError(name: Publication.unavailable, message: "no route"))
            case .isRefused: try await end(nil, ["posts": RecordedError(name: "foreign", message: "another file")])
            case .passes(let minutes): bench.time.advance(by: .seconds(60 * minutes))
            }
        }

        private func publish(to revision: Int64, _ number: Int64) async throws {
            var publication = try await bench.store.publication(to: "fleet") ?? Publication(station: "van-1")
            var position = Publication.Position()
            (position.revision, position.number, position.publishedAt) = (
                revision, number, bench.time.now.microseconds
            )
            publication.positions["posts"] = position
            try await bench.store.save(publication, to: "fleet")
        }

        private func end(_ error: RecordedError?, _ resources: [String: RecordedError?] = [:]) async throws {
            var outcome = Publication.Outcome()
            (outcome.error, outcome.resources) = (error, resources)
            try await bench.store.note(outcome, of: "van-1", to: "fleet")
        }
    }

    @Test(arguments: sequences) func `each condition of a target is notified once, and once when it is over`(
        _ sequence: Sequence
    ) async throws {
        var station = try await Station()
        for (index, (step, notifications)) in sequence.steps.enumerated() {
            try await station.perform(step)
            // Most looks find nothing new.
            for _ in 1...2 { try await station.bench.notifier([NotifyBench.hook()], [station.target]).notify() }
            let taken = try station.bench.taken()
            #expect(taken.sorted() == notifications.sorted(), "step \(index): \(taken)")
        }
        #expect(station.bench.reported == [])
    }

    @Test func `a notification has the error, and names the command that shows more`() async throws {
        var station = try await Station()
        for step in [Step.changes, .isRefused] { try await station.perform(step) }
        try await station.bench.notifier([NotifyBench.hook()], [station.target]).notify()
        let event = try SentEvent(try #require(station.bench.receiver.take().first).body)
        #expect(event.subject == "publish:fleet" && event.kind == "failed")
        #expect(event.message == "posts: another file" && event.hint == "siding status")
        #expect(event.text == "siding on kiosk: 'publish:fleet' fails: posts: another file")
        for step in [Step.publishes, .changes, .passes(minutes: 60)] { try await station.perform(step) }
        try await station.bench.notifier([NotifyBench.hook()], [station.target]).notify()
        let late = try #require(try station.bench.receiver.take().map { try SentEvent($0.body) }.last)
        #expect(late.event == "queued_too_long" && late.hint == "siding status")
        #expect(late.message == "changes wait for 60 min, and no publication has failed")
    }

    @Test func `each hook has its own bound for changes that wait`() async throws {
        var station = try await Station()
        for step in [Step.changes, .publishes, .changes, .passes(minutes: 30)] { try await station.perform(step) }
        var (soon, late) = (NotifyBench.hook(), NotifyBench.hook("http://127.0.0.1:2/hook"))
        (soon.queuedLongerThan, late.queuedLongerThan) = (.seconds(60), .seconds(7_200))
        try await station.bench.notifier([soon, late], [station.target]).notify()
        #expect(try station.bench.taken() == [Self.waits])
        try await station.perform(.passes(minutes: 90))
        try await station.bench.notifier([soon, late], [station.target]).notify()
        #expect(try station.bench.taken() == [Self.waits])
    }

    @Test func `a target that has left the config has recovered, unless another config may have it`() async throws {
        var station = try await Station()
        for step in [Step.changes, .isRefused] { try await station.perform(step) }
        try await station.bench.notifier([NotifyBench.hook()], [station.target]).notify()
        #expect(try station.bench.taken() == [Self.fails])
        try await station.bench.notifier([]).notify()
        #expect(try await station.bench.store.incidents().map(\.endedAt) == [nil])
        try await station.bench.notifier().notify()
        #expect(try station.bench.taken() == ["recovered \(Self.fails)"])
    }
}
