// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

@Suite struct SidingServiceTests {
    private let resource: AnyResource
    private let origin = ScriptedOrigin.posts()
    private let clock = AdjustableClock()

    init() throws {
        var resource = AnyResource("posts", from: try Source(baseURL: "https://example.com"), at: "/posts", key: "id")
        resource.maxAge = .seconds(60)
        self.resource = resource
    }

    private func siding(_ store: Store) async throws -> Siding {
        try await Siding(
            store: .store(store), resources: [resource], transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: clock.wallClock))
    }

    @Test func `a program syncs and reads its records`() async throws {
        let siding = try await siding(try await Store.temporary(clock: clock.wallClock))
        guard case .saved(let counters) = try await siding.sync(resource) else {
            Issue.record("the records were not saved")
            return
        }
        #expect(counters.inserted == 5)
        let records = try await siding.rawRecords(of: resource, limit: 2)
        #expect(records.map(\.key) == ["1", "2"])
    }

    @Test func `all records are read unless a limit is given`() async throws {
        let siding = try await siding(try await Store.temporary(clock: clock.wallClock))
        let ids = (1...1_001).map(String.init).joined(separator: ",")
        origin.set("/posts", ScriptedOrigin.page("[\(ids)]"))
        try await siding.sync(resource)
        #expect(try await siding.rawRecords(of: resource).count == 1_001)
        #expect(try await siding.rawRecords(of: resource, after: "1000", limit: 9).map(\.key) == ["1001"])
    }

    @Test func `kept for later is an outcome, refused for good is an error`() async throws {
        let siding = try await siding(try await Store.temporary(clock: clock.wallClock))
        origin.set("/posts", .failure(Failure(.noInternetConnection, phase: .notSent)), .status(.forbidden))
        guard case .queued = try await siding.sync(resource) else {
            Issue.record("nothing was queued")
            return
        }
        await #expect(throws: SyncError.self) { try await siding.sync(resource) }
    }

    @Test func `the service requests resources older than their age, and leaves fresh ones alone`() async throws {
        let siding = try await siding(try await Store.temporary(clock: clock.wallClock))
        #expect(try await siding.dueResources().map(\.name) == ["posts"])
        try await siding.sync(resource)
        #expect(try await siding.dueResources().isEmpty)
        clock.advance(by: .seconds(61))
        #expect(try await siding.dueResources().map(\.name) == ["posts"])
    }

    @Test func `a retained page is due when its time has come, not before`() async throws {
        let siding = try await siding(try await Store.temporary(clock: clock.wallClock))
        origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        _ = try await siding.sync(resource)
        #expect(try await siding.dueResources().isEmpty)
        clock.advance(by: .seconds(31))
        #expect(try await siding.dueResources().map(\.name) == ["posts"])
    }

    @Test func `a page that is refused for good is tried again once it is as old as the resource may be`() async throws
    {
        let store = try await Store.temporary(clock: clock.wallClock)
        let siding = try await siding(store)
        let lost = ScriptedAnswer.failure(Failure(.noInternetConnection, phase: .notSent))
        let large = ScriptedAnswer.failure(Failure(.tooLarge(limit: 9), phase: .answered))
        origin.set("/posts?page=2", lost, large, ScriptedOrigin.page("[3]"))
        _ = try await siding.sync(resource)
        await #expect(throws: SyncError.self) { try await siding.sync(resource) }
        #expect(try await store.entries(QueueSelection()).map(\.reason) == [.rejected])
        #expect(try await siding.dueResources().isEmpty)
        clock.advance(by: .seconds(61))
        #expect(try await siding.dueResources().map(\.name) == ["posts"])
        try await siding.sync(resource)
        #expect(try await store.entries(QueueSelection()).isEmpty)
    }

    @Test func `a page that an operator holds waits for that operator`() async throws {
        let store = try await Store.temporary(clock: clock.wallClock)
        let siding = try await siding(store)
        origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        _ = try await siding.sync(resource)
        _ = try await store.perform(.hold, on: QueueSelection())
        clock.advance(by: .seconds(3_600))
        #expect(try await siding.dueResources().isEmpty)
    }

    @Test func `a page that was kept, and a listing that ended, while the clock stood ahead are due`() async throws {
        let store = try await Store.temporary(clock: clock.wallClock)
        let siding = try await siding(store)
        let year = Duration.seconds(31_536_000)
        clock.advance(by: year)
        try await siding.sync(resource)
        clock.advance(by: .zero - year)
        #expect(try await siding.dueResources().map(\.name) == ["posts"])
        clock.advance(by: year)
        origin.set("/posts?page=2", .failure(Failure(.noInternetConnection, phase: .notSent)))
        _ = try await siding.sync(resource)
        #expect(try await siding.dueResources().isEmpty)
        clock.advance(by: .zero - year)
        #expect(try await siding.dueResources().map(\.name) == ["posts"])
    }

    @Test func `a pass in which some parents failed does not restart at once`() async throws {
        var comments = resource
        (comments.name, comments.path) = ("comments", "/posts/{post}/comments")
        comments.forEach = ForEach("posts", bind: ["post": JSONPath(member: "id")])
        let siding = try await Siding(
            store: .store(try await Store.temporary(clock: clock.wallClock)), resources: [comments, resource],
            transports: origin,
            environment: RuntimeEnvironment(connectivity: TestConnectivity(), wallClock: clock.wallClock))
        for number in 1...4 { origin.set("/posts/\(number)/comments", ScriptedOrigin.page("[\(number)]")) }
        try await siding.sync(resource)
        guard case .saved(let counters) = try await siding.sync(comments) else {
            Issue.record("the records were not saved")
            return
        }
        #expect(counters.inserted == 4)
        #expect(try await siding.dueResources().isEmpty)
        clock.advance(by: .seconds(61))
        #expect(try await siding.dueResources().map(\.name) == ["comments", "posts"])
    }
}

/// A wall clock that stands still until it is told to go on.
private final class AdjustableClock: Sendable {
    private let now = Mutex(Timestamp(microseconds: 1_700_000_000_000_000))

    var wallClock: WallClock { WallClock { [self] in now.withLock { $0 } } }

    func advance(by duration: Duration) {
        now.withLock { $0 = $0 + duration }
    }
}
