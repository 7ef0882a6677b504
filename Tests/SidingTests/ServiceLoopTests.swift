import Foundation
import HTTPTypes
import Logging
import SidingChain
import SidingJSON
import SidingSynchronization
import SidingTesting
import TestSupport
import Testing

@testable import Siding
@testable import SidingNetwork

/// What ``Siding/run()`` does side by side, what wakes it, and what ends it.
@Suite(.timeLimit(.minutes(5))) struct ServiceLoopTests {
    @Test func `writes go out while a listing is under way`() async throws {
        let gate = Gatepost()
        let (isListing, isSent) = (Promise<Void>(), Promise<Void>())
        let origin = ScriptedOrigin.posts { target in
            if target == "/orders" { isSent.resolve(()) }
            guard target == "/posts?page=2" else { return }
            isListing.resolve(())
            await gate.pass()
        }
        origin.set("/orders", .status(.created))
        let source = try RunningService.source()
        let running = try await RunningService(
            origin, resources: [RunningService.posts(from: source)], sources: [source], time: ManualWallClock())
        await isListing.value()
        _ = try await running.store.enqueue(RunningService.write("/orders"))
        await running.passes()
        // The listing waits for its second page all the while.
        await isSent.value()
        gate.open()
        try await running.runs { try await running.records() == 5 }
        running.stop()
        try await running.ended()
    }

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

    @Test func `a parked page is asked for as soon as a person releases it, though its sync failed`() async throws {
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

    @Test func `the page of any parent is asked for as soon as a person releases it, though the pass failed`()
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
                environment: Environment(connectivity: TestConnectivity(), jitter: .none, wallClock: time.clock))
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
    func `what is to be tried again goes out when it is due, not with the next look`(path: String) async throws {
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

    @Test func `a page that becomes due while another listing is under way is asked for as soon as that has ended`()
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

    @Test func `a source that does not answer delays no resource of another one`() async throws {
        let gate = Gatepost()
        let isHanging = Promise<Void>()
        let asked = Mutex(0)
        let origin = ScriptedOrigin { target in
            guard target == "/comments" else {
                _ = asked.next()
                return
            }
            isHanging.resolve(())
            await gate.pass()
        }
        for target in ["/posts", "/comments"] { origin.set(target, ScriptedOrigin.page("[1]")) }
        let (source, other) = (try RunningService.source(), try RunningService.source("other"))
        let time = ManualWallClock()
        let comments = AnyResource("comments", from: other, at: "/comments", key: "id")
        let running = try await RunningService(
            origin, resources: [comments, RunningService.posts(from: source)], sources: [], time: time)
        await isHanging.value()
        try await running.runs {
            time.advance(by: .seconds(61))
            return asked.withLock { $0 } >= 3
        }
        gate.open()
        running.stop()
        try await running.ended()
    }

    @Test func `no more sources than the limit are synced at once, and the others follow as soon as one has ended`()
        async throws
    {
        let gate = Gatepost()
        let (isFull, isDone) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex(0)
        let all = SyncOrder.mostSources + 2
        let origin = ScriptedOrigin { _ in
            let count = asked.next()
            if count == SyncOrder.mostSources { isFull.resolve(()) }
            if count == all { isDone.resolve(()) }
            await gate.pass()
        }
        let resources = try (0..<all).map { number in
            AnyResource("r\(number)", from: try RunningService.source("s\(number)"), at: "/r\(number)", key: "id")
        }
        for resource in resources { origin.set("/\(resource.name)", ScriptedOrigin.page("[1]")) }
        let running = try await RunningService(origin, resources: resources, sources: [], time: ManualWallClock())
        await isFull.value()
        await running.passes()
        #expect(asked.withLock { $0 } == SyncOrder.mostSources)
        gate.open()
        // No clock is moved.
        await isDone.value()
        running.stop()
        try await running.ended()
    }

    @Test(arguments: [true, false])
    func `what an earlier service kept for lack of a network goes out at the start, if there is one`(
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

    // MARK: Failures of the store

    @Test func `a failure that may heal is logged once and shown until it is over, and the work goes on`() async throws
    {
        let isFull = Mutex(true)
        let tries = Mutex(0)
        let probes = StoreProbes(willCommit: { _ throws(StoreError) in
            tries.withLock { $0 += 1 }
            if isFull.withLock({ $0 }) { throw StoreError(.full, "the disk is full") }
        })
        let source = try RunningService.source()
        let running = try await RunningService(
            .posts(), resources: [RunningService.posts(from: source)], sources: [], time: ManualWallClock(),
            probes: probes)
        try await running.runs { tries.withLock { $0 } >= 3 }
        #expect(running.log.lines.compactMap { $0.metadata["kind"] } == ["full"])
        #expect(await running.siding.health.storeFailure?.kind == .full)
        isFull.withLock { $0 = false }
        try await running.runs {
            let isShown = await running.siding.health.storeFailure != nil
            return try await running.records() == 5 && !isShown
        }
        running.stop()
        try await running.ended()
        #expect(running.log.lines.compactMap { $0.metadata["kind"] } == ["full"])
    }

    @Test func `a file that was removed or replaced ends the service`() async throws {
        let source = try RunningService.source()
        let running = try await RunningService(
            .posts(), resources: [RunningService.posts(from: source)], sources: [], time: ManualWallClock())
        try await running.runs { (try? await running.records()) == 5 }
        try FileManager.default.removeItem(atPath: running.store.path)
        // The next look comes at once, if there has been none since.
        running.kernel.tell(.routes)
        let error = await #expect(throws: StoreError.self) { try await running.ended() }
        #expect(error?.kind == .foreign)
    }

    @Test func `a failure that cannot heal ends the service`() async throws {
        let probes = StoreProbes(willCommit: { _ throws(StoreError) in throw StoreError(.corrupt, "malformed") })
        let source = try RunningService.source()
        let running = try await RunningService(
            .posts(), resources: [RunningService.posts(from: source)], sources: [], time: ManualWallClock(),
            probes: probes)
        await #expect { try await running.ended() } throws: { ($0 as? StoreError)?.kind == .corrupt }
    }

    // MARK: Stopping

    @Test(arguments: [true, false])
    func `a write that may not be sent twice has some time for its answer when the service is stopped`(
        isAnswered: Bool
    ) async throws {
        let gate = Gatepost()
        let arrived = Promise<Void>()
        let origin = ScriptedOrigin { _ in
            arrived.resolve(())
            await gate.pass()
        }
        origin.set("/orders", .status(.created))
        let source = try RunningService.source()
        let running = try await RunningService(origin, resources: [], sources: [source], time: ManualWallClock()) {
            siding in
            _ = try await siding.store.enqueue(RunningService.write("/orders", isKeyed: false))
        }
        await arrived.value()
        running.stop()
        await running.clock.sleepers(1, waiting: RetryRules.stopWait)
        if isAnswered { gate.open() } else { running.clock.advance(by: RetryRules.stopWait) }
        try await running.ended()
        let all = QueueSelection(states: QueueEntry.State.allCases)
        let entry = try #require(try await running.store.entries(all).first)
        #expect(entry.state == (isAnswered ? .done : .parked))
        #expect(entry.reason == (isAnswered ? nil : .uncertain))
    }
}
