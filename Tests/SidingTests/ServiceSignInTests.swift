// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// What ``Siding/run()`` tries again when credentials change, and what it does not.
@Suite(.timeLimit(.minutes(5))) struct ServiceSignInTests {
    @Test func `a page that waits for a sign-in is requested once the credentials have changed, and not before`()
        async throws
    {
        let token = Mutex("old")
        let asked = Mutex(0)
        var source = try RunningService.source()
        source.authorization = .bearer(Secret("test") { token.withLock { $0 } })
        let origin = ScriptedOrigin.posts { target in
            if target == "/posts?page=2" { asked.withLock { $0 += 1 } }
        }
        let lost = ScriptedAnswer.failure(Failure(.noInternetConnection, phase: .notSent))
        origin.set("/posts?page=2", lost, .status(.unauthorized))
        let posts = RunningService.posts(from: source)
        let running = try await RunningService(origin, resources: [posts], sources: [], time: ManualWallClock()) {
            siding in
            _ = try await siding.sync(posts)
            await #expect(throws: SyncError.self) { try await siding.sync(posts) }
        }
        // A program that was started anew does not know what was tried before, and tries all credentials once or twice.
        try await running.runs { asked.withLock { $0 } >= 3 }
        for _ in 0..<20 { await running.passes() }
        try await running.runs { try await running.store.entries(QueueSelection()).map(\.reason) == [.signIn] }
        #expect(asked.withLock { $0 } <= 4)
        origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        token.withLock { $0 = "new" }
        try await running.runs { try await running.store.entries(QueueSelection()).isEmpty }
        running.stop()
        try await running.ended()
    }

    @Test func `a first page that was refused is requested again with other credentials, or once its time has come`()
        async throws
    {
        let token = Mutex("old")
        let asked = Mutex<[Timestamp]>([])
        let time = ManualWallClock()
        var source = try RunningService.source()
        source.authorization = .bearer(Secret("test") { token.withLock { $0 } })
        let origin = ScriptedOrigin { _ in asked.withLock { $0.append(time.now) } }
        origin.set("/posts", .status(.unauthorized))
        let running = try await RunningService(
            origin, resources: [RunningService.posts(from: source)], sources: [], time: time)
        try await running.runs {
            guard asked.withLock({ $0.count }) >= 3 else {
                time.advance(by: .seconds(20))
                return false
            }
            // Its refusal is recorded.
            return try await running.store.runs(limit: 1).first?.endedAt != nil
        }
        let moments = asked.withLock { $0 }
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $1 - $0 >= .seconds(60) }, "\(moments)")
        token.withLock { $0 = "new" }
        // No clock is moved from here on.
        try await running.runs { asked.withLock { $0.count } > 3 }
        running.stop()
        try await running.ended()
    }

    @Test
    func `a page that is refused with the old credentials after the change is requested with the new ones`()
        async throws
    {
        let token = Mutex("old")
        let gate = Gatepost()
        let asked = Mutex(0)
        var source = try RunningService.source()
        source.authorization = .bearer(Secret("test") { token.withLock { $0 } })
        let origin = ScriptedOrigin { _ in
            let count = asked.next()
            if count == 1 { await gate.pass() }
        }
        origin.set("/posts", .status(.unauthorized), ScriptedOrigin.page("[1]"))
        let posts = RunningService.posts(from: source)
        let time = ManualWallClock()
        let running = try await RunningService(origin, resources: [posts], sources: [], time: time) { siding in
            try await RunningService.retainFirstPage(of: posts, in: siding.store)
            time.advance(by: .seconds(60))
            try await siding.store.record(.signIn(note: "401"), of: "blog")
        }
        try await running.runs { asked.withLock { $0 > 0 } }
        token.withLock { $0 = "new" }
        // Two looks, which find the new token while the page is under way.
        for _ in 1...2 { await running.passes() }
        await running.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        gate.open()
        // The clock of the store stands still: its schedule does not make it due.
        try await running.runs { asked.withLock { $0 > 1 } }
        running.stop()
        try await running.ended()
    }

    @Test(arguments: [["/orders"], ["/posts"], ["/orders", "/posts"]])
    func `a token that is renewed and refused again and again is not renewed at each look`(paths: [String]) async throws
    {
        let renewals = Mutex(0)
        let store = InMemoryCredentialStore()
        try await store.save(Credential(accessToken: "first", refreshToken: "r"), of: "blog")
        let refresher = TokenRefresherNode { _, _ in
            let number = renewals.next()
            return TokenGrant(accessToken: "token-\(number)", refreshToken: "r")
        }
        var source = try RunningService.source()
        source.authorization = .refreshed(
            AccessSafety(AccessSettings(account: "blog", store: store, refresher: refresher)))
        let origin = ScriptedOrigin { _ in }
        for path in paths { origin.set(path, .status(.unauthorized)) }
        let posts = paths.contains("/posts") ? [RunningService.posts(from: source)] : []
        let running = try await RunningService(
            origin, resources: posts, sources: [source], time: ManualWallClock()
        ) { siding in
            if paths.contains("/orders") { _ = try await siding.store.enqueue(RunningService.write("/orders")) }
        }
        try await running.runs { renewals.withLock { $0 } > 0 }
        for _ in 1...50 { await running.passes() }
        running.stop()
        try await running.ended()
        #expect(renewals.withLock { $0 } <= 3 * paths.count)
    }

    @Test(arguments: ["/orders", "/posts"], [HTTPResponse.Status.unauthorized, .notFound])
    func `a secret that is another one at each reading is not tried at each look`(
        path: String, status: HTTPResponse.Status
    ) async throws {
        let asked = Mutex(0)
        let readings = Mutex(0)
        var source = try RunningService.source()
        source.authorization = .bearer(Secret("test") { "token-\(readings.next())" })
        let origin = ScriptedOrigin { _ in asked.withLock { $0 += 1 } }
        origin.set(path, .status(status))
        let posts = path == "/posts" ? [RunningService.posts(from: source)] : []
        let running = try await RunningService(
            origin, resources: posts, sources: [source], time: ManualWallClock()
        ) { siding in
            if path == "/orders" { _ = try await siding.store.enqueue(RunningService.write(path)) }
        }
        // Six new secrets after the first. A write that was not found is parked for another reason.
        let most = path == "/orders" && status == .notFound ? 1 : 7
        try await running.runs { asked.withLock { $0 } >= most }
        for _ in 1...50 { await running.passes() }
        running.stop()
        try await running.ended()
        #expect(asked.withLock { $0 } == most)
    }

    @Test func `resources whose credentials were refused are not requested again with the same ones`() async throws {
        var source = try RunningService.source()
        source.authorization = .bearer(Secret("test") { "wrong" })
        let origin = ScriptedOrigin()
        let names = ["albums", "photos", "todos"]
        for name in names { origin.set("/\(name)", .status(.unauthorized)) }
        let running = try await RunningService(
            origin, resources: names.map { AnyResource($0, from: source, at: "/\($0)", key: "id") }, sources: [],
            time: ManualWallClock())
        try await running.runs { origin.waiting >= names.count }
        for _ in 1...20 { await running.passes() }
        running.stop()
        try await running.ended()
        #expect(origin.takeTargets().sorted() == ["/albums", "/photos", "/todos"])
    }
}
