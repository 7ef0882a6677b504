// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingTesting
import Testing

@testable import SidingInspection

/// How far a target is behind, in numbers and in words.
@Suite struct PublicationStateTests {
    private struct Origin: TransportFactory {
        let answer: ScriptedAnswer

        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            ScriptedTransport { _ in answer }
        }
    }

    private let time = ManualWallClock()
    private let directory: TemporaryDirectory
    private let store: Store
    private let resources: [AnyResource]
    private let target = PublishedTarget("fleet", station: "van-1", resources: ["posts", "notes"])

    init() async throws {
        directory = try TemporaryDirectory()
        store = try await Store.open(at: directory.path(of: "store.db"), clock: time.clock)
        let source = try Source(baseURL: "https://example.com")
        resources = target.resources.map { AnyResource($0, from: source, at: "/\($0)", key: "id") }
    }

    /// Syncs a resource, and lets a minute pass.
    private func sync(_ name: String, _ count: Int) async throws {
        let records = (1...count).map { "{\"id\":\($0)}" }.joined(separator: ",")
        let siding = try await Siding(
            store: .store(store), resources: resources, transports: Origin(answer: .text("[\(records)]")),
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: time.clock))
        for resource in resources where resource.name == name { _ = try await siding.sync(resource) }
        time.advance(by: .seconds(60))
    }

    /// Notes that the hub has all of these.
    private func publish(_ names: [String]) async throws {
        var publication = try await store.publication(to: "fleet") ?? Publication(station: "van-1")
        for name in names {
            let published = try #require(try await store.published(name))
            var position = Publication.Position()
            (position.revision, position.number) = (published.revision, published.number)
            position.publishedAt = time.now.microseconds
            publication.positions[name] = position
        }
        try await store.save(publication, to: "fleet")
    }

    private func fail(_ error: RecordedError?, _ resources: [String: RecordedError?] = [:]) async throws {
        var outcome = Publication.Outcome()
        (outcome.error, outcome.resources) = (error, resources)
        try await store.note(outcome, of: "van-1", to: "fleet")
    }

    private static let down = RecordedError(name: Publication.unavailable, message: "no route to the hub")
    private static let refused = RecordedError(name: "foreign", message: "another file", hint: "siding publish --adopt")

    private func state() async throws -> PublicationState {
        try #require(try await PublicationState.gather([target], store).first)
    }

    private func lines() async throws -> [String] {
        try await state().lines(MessageFormat(now: time.now, isAbsolute: false))
    }

    @Test func `before the first publication all records are behind`() async throws {
        #expect(try await lines() == ["target fleet: up to date; never published"])
        try await sync("posts", 3)
        let state = try await state()
        #expect(state.behind == 3 && state.oldestChangeAt == nil && state.publishedAt == nil)
        #expect(state.waitsSince == nil && state.word == "not published")
        #expect(try await lines() == ["target fleet: 3 records behind; never published"])
        let object = #"{"target":"fleet","station":"van-1","behind":3,"resources":[{"resource":"posts","behind":3},"#
        #expect(state.object.text == object + #"{"resource":"notes","behind":0}]}"#)
    }

    @Test func `what has changed since is behind, and the oldest of it has an age`() async throws {
        try await sync("posts", 2)
        try await sync("notes", 1)
        try await publish(["posts", "notes"])
        #expect(try await state().word == "up to date")
        #expect(try await lines() == ["target fleet: up to date; published 0 ms ago"])
        let changed = time.now
        try await sync("posts", 3)
        try await sync("notes", 5)
        let state = try await state()
        #expect(state.behind == 5 && state.resources.map(\.behind) == [1, 4])
        #expect(state.oldestChangeAt == changed && state.waitsSince == changed && state.word == "behind")
        #expect(try await lines() == ["target fleet: 5 records behind, the oldest for 2 min; published 2 min ago"])
        #expect(!state.waitsTooLong(at: changed + .seconds(3_599)) && state.waitsTooLong(at: changed + .seconds(3_600)))
        // The next transaction of a publication that lasts.
        try await publish(["notes"])
        let later = try await self.state()
        #expect(later.behind == 1 && later.oldestChangeAt == changed)
        let known = try await PublicationState.gather([target], store, countsRecords: false)
        #expect(known.first?.behind == 0 && known.first?.waitsSince == changed)
    }

    @Test func `a hub that is down waits, and one that refuses fails, each resource with its own error`() async throws {
        try await sync("posts", 2)
        try await fail(Self.down)
        time.advance(by: .seconds(120))
        #expect(
            try await lines() == [
                "target fleet: 2 records behind; never published",
                "target fleet: waiting for 2 min: no route to the hub",
            ])
        var state = try await state()
        #expect(state.word == "waiting" && state.refusal == nil)
        #expect(state.waitsSince == time.now + .seconds(-120), "a first publication waits since it failed")
        try await publish(["posts"])
        try await fail(nil, ["posts": nil, "notes": Self.refused])
        #expect(
            try await lines() == [
                "target fleet: up to date; published 0 ms ago", "target fleet, notes: failing for 0 ms: another file",
                "  siding publish --adopt",
            ])
        try await fail(Self.down)
        state = try await self.state()
        #expect(state.failures.map(\.resource) == [nil, "notes"] && state.refusal?.resource == "notes")
        #expect(state.word == "failing")
        let stamp = time.now.rfc3339
        #expect(
            state.object.text.contains(
                #""failing_since":"\#(stamp)","error":{"name":"foreign","message":"another file","hint":"siding publish --adopt"}}]"#
            ))
    }

    @Test func `a resource that was forgotten and made again is behind with all its records`() async throws {
        try await sync("posts", 2)
        try await publish(["posts"])
        _ = try await store.forget(resource: "posts")
        try await sync("posts", 3)
        let state = try await state()
        #expect(state.behind == 3 && state.oldestChangeAt == nil)
    }

    @Test func `a target that has left the config is not shown`() async throws {
        try await fail(Self.refused)
        let overview = try await Overview.gather(resources, store, maxAge: nil, now: time.now)
        #expect(overview.targets.isEmpty && !overview.hasTargetInNeed)
        #expect(overview.object.text.contains(#""targets":[],"#))
        #expect(
            try await Overview.gather(resources, targets: [target], store, maxAge: nil, now: time.now).hasTargetInNeed)
    }
}
