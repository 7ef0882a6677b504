// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// What wakes ``Siding/run()``.
@Suite(.timeLimit(.minutes(5))) struct ServiceLoopTests {
    @Test func `the return of the network ends the wait for a page at once`() async throws {
        let isBack = Promise<Void>()
        let asked = Mutex(0)
        let origin = ScriptedOrigin.posts { target in
            asked.withLock { $0 += 1 }
            if target == "/posts?page=3" { isBack.resolve(()) }
        }
        let source = try RunningService.source()
        let running = try await RunningService(
            origin, resources: [RunningService.posts(from: source)], sources: [source], time: ManualWallClock(),
            isOnline: false
        ) { siding in
            try await RunningService.retainFirstPage(of: RunningService.posts(from: source), in: siding.store)
        }
        await running.passes()
        await running.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        #expect(asked.withLock { $0 } == 0)
        running.connectivity.set(hasUsableRoute: true)
        running.kernel.tell(.routes)
        // No clock was moved.
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test func `a parked page is requested as soon as an operator releases it, though its sync failed`() async throws {
        let asked = Mutex(0)
        let source = try RunningService.source()
        let origin = ScriptedOrigin { _ in asked.withLock { $0 += 1 } }
        origin.set("/posts", .status(.forbidden), ScriptedOrigin.page("[1]"))
        let (posts, time) = (RunningService.posts(from: source), ManualWallClock())
        let running = try await RunningService(origin, resources: [posts], sources: [], time: time) { siding in
            try await RunningService.retainFirstPage(of: posts, in: siding.store)
            time.advance(by: .seconds(60))
        }
        let parked = QueueSelection(states: [.parked], kinds: [.fetch])
        try await running.runs { try await !running.store.entries(parked).isEmpty }
        for _ in 1...3 { await running.passes() }
        #expect(asked.withLock { $0 } == 1)
        let page = try #require(try await running.store.entries(parked).first)
        _ = try await running.siding.release(page)
        // The clock of the store stands still: its schedule does not make it due.
        try await running.runs { asked.withLock { $0 } == 2 }
        running.stop()
        try await running.ended()
    }

    @Test func `the page of any parent is requested as soon as an operator releases it, though the pass failed`()
        async throws
    {
        let asked = Mutex(0)
        let source = try RunningService.source()
        // A 503 closes the gate of the source: a parent whose request had not been sent by then would not be asked at all.
        let arrivals = Mutex(0)
        let bothAreUnderWay = Gatepost()
        let origin = ScriptedOrigin { target in
            guard target.hasSuffix("/comments") else { return }
            if target == "/posts/2/comments" { asked.withLock { $0 += 1 } }
            if arrivals.next() == 2 { bothAreUnderWay.open() }
            await bothAreUnderWay.pass()
        }
        origin.set("/posts", ScriptedOrigin.page("[1,2]"))
        origin.set("/posts/1/comments", .status(.serviceUnavailable), .status(.forbidden))
        origin.set("/posts/2/comments", .status(.serviceUnavailable), .status(.forbidden), ScriptedOrigin.page("[21]"))
        var comments = AnyResource("comments", from: source, at: "/posts/{id}/comments", key: "id")
        comments.forEach = ForEach("posts", bind: ["id": JSONPath(member: "id")])
        comments.maxAge = .seconds(86_400)
        let time = ManualWallClock()
        let running = try await RunningService(origin, resources: [comments], sources: [], time: time) { siding in
            let engine = SyncEngine(
                store: siding.store, transports: origin,
                environment: RuntimeEnvironment(connectivity: TestConnectivity(), jitter: .none, wallClock: time.clock))
            _ = try await engine.sync(RunningService.posts(from: source))
            _ = try await engine.sync(comments)
            time.advance(by: .seconds(60))
        }
        let parked = QueueSelection(states: [.parked], kinds: [.fetch])
        try await running.runs { try await running.store.entries(parked).count == 2 }
        let pages = try await running.store.entries(parked)
        let page = try #require(pages.first { $0.url.hasSuffix("/posts/2/comments") })
        _ = try await running.siding.release(page)
        try await running.runs { asked.withLock { $0 } == 3 }
        running.stop()
        try await running.ended()
    }

    @Test func `a write that fails after the network has changed is sent again at once`() async throws {
        let gate = Gatepost()
        let (arrived, isBack) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex(0)
        let origin = ScriptedOrigin { _ in
            let count = asked.next()
            guard count == 1 else {
                isBack.resolve(())
                return
            }
            arrived.resolve(())
            await gate.pass()
        }
        origin.set("/orders", .failure(Failure(.noInternetConnection, phase: .notSent)), .status(.created))
        let source = try RunningService.source()
        let running = try await RunningService(origin, resources: [], sources: [source], time: ManualWallClock()) {
            siding in
            _ = try await siding.store.enqueue(RunningService.write("/orders"))
        }
        await arrived.value()
        await running.announce(.routes)
        // The loop has heard of it: the other part has looked again, and the next pause is one of its own.
        await running.passes()
        await running.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        gate.open()
        // The clock of the store stands still: the wait for the network would not end by itself.
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test(arguments: ["/orders", "/posts"])
    func `a retry is sent when it is due, not with the next poll`(path: String) async throws {
        let asked = Mutex(0)
        let isBack = Promise<Void>()
        let origin = ScriptedOrigin { target in
            guard target == path else { return }
            let count = asked.next()
            if count == 2 { isBack.resolve(()) }
        }
        origin.set(
            path, .status(.serviceUnavailable, headerFields: [.retryAfter: "2"]),
            path == "/orders" ? .status(.created) : ScriptedOrigin.page("[1]"))
        let (source, time) = (try RunningService.source(), ManualWallClock())
        let posts = path == "/posts" ? [RunningService.posts(from: source)] : []
        let running = try await RunningService(origin, resources: posts, sources: [source], time: time) { siding in
            if path == "/orders" { _ = try await siding.store.enqueue(RunningService.write("/orders")) }
        }
        await running.clock.sleepers(1, waiting: .seconds(2))
        time.advance(by: .seconds(2))
        running.clock.advance(by: .seconds(2))
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test func `a page that becomes due while another listing is under way is requested as soon as that has ended`()
        async throws
    {
        let gate = Gatepost()
        let (isListing, isBack) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex(0)
        let origin = ScriptedOrigin { target in
            if target == "/comments" {
                isListing.resolve(())
                await gate.pass()
            } else {
                let count = asked.next()
                if count == 2 { isBack.resolve(()) }
            }
        }
        origin.set(
            "/posts", .status(.serviceUnavailable, headerFields: [.retryAfter: "2"]), ScriptedOrigin.page("[1]"))
        origin.set("/comments", ScriptedOrigin.page("[1]"))
        let (source, other) = (try RunningService.source(), try RunningService.source("other"))
        let time = ManualWallClock()
        let comments = AnyResource("comments", from: other, at: "/comments", key: "id")
        let running = try await RunningService(
            origin, resources: [RunningService.posts(from: source), comments], sources: [], time: time)
        await isListing.value()
        while try await running.store.entries(QueueSelection(kinds: [.fetch])).isEmpty { try Task.checkCancellation() }
        time.advance(by: .seconds(5))
        gate.open()
        // Nobody moves the clock of the pauses.
        await isBack.value()
        running.stop()
        try await running.ended()
    }

    @Test(arguments: [true, false])
    func `an entry that an earlier service kept for lack of a network is sent at the start, if there is one`(
        isOnline: Bool
    ) async throws {
        let isSent = Promise<Void>()
        let origin = ScriptedOrigin { _ in isSent.resolve(()) }
        origin.set("/orders", .status(.created))
        let source = try RunningService.source()
        let running = try await RunningService(
            origin, resources: [], sources: [source], time: ManualWallClock(), isOnline: isOnline
        ) { siding in
            _ = try await siding.store.enqueue(RunningService.write("/orders"))
            try await siding.store.record(.offline(note: "no route"), of: "blog")
        }
        // No clock is moved.
        if isOnline {
            await isSent.value()
        } else {
            await running.clock.sleepers(1, waiting: RetryRules.serviceInterval)
        }
        #expect(origin.waiting == (isOnline ? 1 : 0))
        running.stop()
        try await running.ended()
    }
}
