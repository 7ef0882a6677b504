// SPDX-License-Identifier: Apache-2.0
import Foundation
import PostgreSQLTestSupport
import SidingChain
import SidingCredentials
import SidingInspection
import SidingNotifications
import SidingSynchronization
import SidingTesting
import TestSupport
import Testing

@testable import Siding
@testable import SidingHub

/// A service whose hub is down, by a simulated clock, and what its hooks are notified of.
@Suite(.timeLimit(.minutes(5))) struct HubOutageTests {
    /// A station beside a hub that can be taken away.
    private final class Outage: Sendable {
        let time = ManualWallClock()
        let clock = ManualClock()
        let log = RecordedLog()
        let bench: HubBench
        let target: HubTarget
        private let directory: TemporaryDirectory
        private let hook = Hook()

        init() async throws {
            var bench = try await HubBench(clock: time.clock)
            directory = try TemporaryDirectory()
            // libpq takes a directory for a host.
            bench.target.address = "host=\(directory.path) dbname=postgres user=siding"
            (self.bench, target) = (bench, bench.target)
        }

        /// Brings the hub back, or takes it away.
        func set(isUp: Bool) throws {
            let socket = directory.path(of: ".s.PGSQL.5432")
            if isUp {
                try FileManager.default.createSymbolicLink(
                    atPath: socket, withDestinationPath: "\(bench.server.directory)/.s.PGSQL.5432")
            } else {
                try FileManager.default.removeItem(atPath: socket)
            }
        }

        /// Runs `body` while a service publishes.
        func serving(_ body: () async throws -> Void) async throws {
            let watch = HubWatch(bench.store, clock: clock, logger: log.logger) { [target] in [target] }
            try await withThrowingTaskGroup { group in
                group.addTask { try await watch.run() }
                try await body()
                group.cancelAll()
            }
        }

        func pass(_ span: Duration) async {
            await clock.sleepers(1)
            time.advance(by: span)
            clock.advance(by: span)
        }

        /// Lets minutes pass until it holds; publications themselves take their own time.
        func pass(until holds: () async throws -> Bool) async throws {
            while try await !holds() { await pass(.seconds(60)) }
        }

        func failure() async throws -> Publication.Failure? { try await bench.store.publication(to: "fleet")?.failure }

        func state() async throws -> PublicationState {
            let published = PublishedTarget(target.name, station: target.station, resources: target.resources)
            return try #require(try await PublicationState.gather([published], bench.store).first)
        }

        /// What hooks are notified of now: `queued_too_long publish:fleet`.
        func notified() async throws -> [String] {
            let published = PublishedTarget(target.name, station: target.station, resources: target.resources)
            try await Notifier(
                hooks: [NotificationHook(.url(Secret(plain: "http://127.0.0.1:1/hook", "url"), headers: []))],
                resources: target.resources, targets: [published], store: bench.store,
                call: HookCall(transports: hook, clock: ManualClock(), variables: [:]), wallClock: time.clock,
                host: "van"
            ) { Issue.record("\($0)") }.notify()
            return hook.take()
        }

        func lines(_ message: String) -> [RecordedLog.Line] { log.lines.filter { $0.message.hasPrefix(message) } }
    }

    private final class Hook: TransportFactory {
        private struct Event: Decodable {
            var event, kind, subject: String
        }

        private let events = Mutex<[Event]>([])

        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            ScriptedTransport { [self] asked in
                let event = try? JSONDecoder().decode(Event.self, from: Data(asked.body))
                events.withLock { $0 += [event].compactMap(\.self) }
                return .text("")
            }
        }

        func take() -> [String] {
            events.exchange([]).map { event in
                let words = [event.event == event.kind ? nil : event.event, event.kind, event.subject]
                return words.compactMap(\.self).joined(separator: " ")
            }
        }
    }

    private static func records(_ count: Int) -> String {
        "[\((1...count).map { #"{"id":\#($0),"title":"t","price":1}"# }.joined(separator: ","))]"
    }

    @Test func `a hub that is down for a day costs one notification and no sync, and all arrives afterwards`()
        async throws
    {
        let outage = try await Outage()
        let bench = outage.bench
        try outage.set(isUp: true)
        try await bench.sync(Self.records(1))
        try await outage.serving {
            try await outage.pass { try await outage.state().publishedAt != nil }
            #expect(try await outage.notified() == [])
            try outage.set(isUp: false)
            try await bench.sync(Self.records(2))
            try await outage.pass { try await outage.failure() != nil }
            let failure = try #require(try await outage.failure())
            var notified: [String] = []
            for step in 1...288 {
                await outage.pass(.seconds(300))
                if step.isMultiple(of: 12) { try await bench.sync(Self.records(2 + step / 12)) }
                notified += try await outage.notified()
            }
            #expect(notified == ["queued_too_long publish:fleet"])
            #expect(try await outage.failure() == failure, "what has not changed is not stored again")
            #expect(failure.error.name == "unavailable")
            let state = try await outage.state()
            #expect(state.behind == 25 && state.refusal == nil)
            #expect(try #require(state.oldestChangeAt) <= Timestamp(microseconds: failure.since))

            try outage.set(isUp: true)
            try await outage.pass { try await outage.failure() == nil }
            #expect(try await bench.living().count == 26)
            #expect(try await outage.notified() == ["recovered queued_too_long publish:fleet"])
            #expect(try await outage.notified() == [])
            let after = try await outage.state()
            #expect(after.behind == 0 && after.failures.isEmpty && after.oldestChangeAt == nil)
            // The service logs after it has stored.
            try await outage.pass { !outage.lines("publishes again").isEmpty }
            #expect(outage.lines("cannot publish").count == 1 && outage.lines("publishes again").count == 1)
        }
    }

    @Test func `while another process publishes a problem is neither over nor new`() async throws {
        let outage = try await Outage()
        try await outage.bench.sync(Self.records(1))
        try await outage.serving {
            try await outage.pass { !outage.lines("cannot publish").isEmpty }
            // The service may have it at this moment.
            var taken: Lease?
            while taken == nil {
                let outcome = try await outage.bench.store.acquireLease("publish:fleet", command: "publish fleet")
                if case .acquired(let lease) = outcome { taken = lease }
            }
            let lease = try #require(taken)
            try await outage.pass { !outage.lines("another process publishes").isEmpty }
            try await outage.bench.store.releaseLease(lease)
            #expect(outage.lines("publishes again").isEmpty)
            try outage.set(isUp: true)
            try await outage.pass { !outage.lines("publishes again").isEmpty }
            #expect(outage.lines("cannot publish").count == 1)
        }
    }
}
