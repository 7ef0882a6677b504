// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

@testable import SidingInspection

/// When `siding status` says that the next sync is due.
@Suite struct NextSyncTests {
    /// Answers every request in the same way.
    private struct Origin: TransportFactory {
        let answer: ScriptedAnswer

        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            ScriptedTransport { _ in answer }
        }
    }

    private let time = ManualWallClock()
    private let directory: TemporaryDirectory
    private let store: Store
    private var resource: AnyResource

    init() async throws {
        directory = try TemporaryDirectory()
        store = try await Store.open(at: directory.path(of: "store.db"), clock: time.clock)
        resource = AnyResource("posts", from: try Source(baseURL: "https://example.com"), at: "/posts", key: "id")
        resource.schedule = IntervalSchedule(every: .seconds(900))
    }

    private func sync(_ answer: ScriptedAnswer) async throws {
        let siding = try await Siding(
            store: .store(store), resources: [resource], transports: Origin(answer: answer),
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: time.clock))
        _ = try? await siding.sync(resource)
    }

    /// The moment for programs, and the state for people.
    private func status() async throws -> (due: Timestamp?, state: String) {
        let overview = try await Overview.gather([resource], store, maxAge: nil, now: time.now)
        let line = try #require(overview.resources.first)
        #expect(overview.object.text.contains("\"next_due_at\"") == (line.nextDueAt != nil))
        return (line.nextDueAt, Overview.state(of: line, MessageFormat(now: time.now, isAbsolute: false)))
    }

    @Test func `a resource that was never synced is due`() async throws {
        let status = try await status()
        #expect(status.due == time.now)
        #expect(status.state == "not synced; a sync is due")
    }

    @Test func `a synced resource is due at the next moment of its schedule`() async throws {
        try await sync(.text("[]"))
        time.advance(by: .seconds(300))
        #expect(try await status().due == time.now + .seconds(600))
        #expect(try await status().state == "fresh; next sync in 10 min")
        time.advance(by: .seconds(900))
        #expect(try await status().due == time.now + .seconds(-300))
        #expect(try await status().state == "fresh; a sync is due")
    }

    @Test func `a resource that failed waits for the next moment`() async throws {
        try await sync(.text("[]"))
        time.advance(by: .seconds(1_000))
        try await sync(.status(.forbidden))
        #expect(try await status().due == time.now + .seconds(900))
        #expect(try await status().state.hasSuffix("; next sync in 15 min"))
    }

    @Test func `while a page waits in the queue no other moment is due`() async throws {
        try await sync(.failure(Failure(.cantConnectToHost(.refused), phase: .notSent)))
        #expect(try await status().due == nil)
    }

    @Test func `without a schedule nothing is due`() async throws {
        var other = self
        other.resource.schedule = nil
        let status = try await other.status()
        #expect(status.due == nil)
        #expect(status.state == "not synced")
    }
}
