// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingCredentials
import SidingJSON
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingNetwork

/// What ``Siding/run()`` does side by side: the writes and the syncs of each source.
@Suite(.timeLimit(.minutes(5))) struct ServiceSourcesTests {
    @Test func `writes are sent while a listing is under way`() async throws {
        let gate = Gatepost()
        let isListing = Promise<Void>()
        let isSent = Mutex(false)
        let origin = ScriptedOrigin.posts { target in
            if target == "/orders" { isSent.withLock { $0 = true } }
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
        // The listing waits for its second page all the while.
        try await running.runs { isSent.withLock { $0 } }
        gate.open()
        try await running.runs { try await running.records() == 5 }
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

    @Test func `a source that does not answer delays of another one only what is listed for each of its records`()
        async throws
    {
        let gate = Gatepost()
        let isHanging = Promise<Void>()
        let asked = Mutex<[String]>([])
        let origin = ScriptedOrigin { target in
            asked.withLock { $0.append(target) }
            guard target == "/users" else { return }
            isHanging.resolve(())
            await gate.pass()
        }
        for target in ["/users", "/posts", "/users/1/likes"] { origin.set(target, ScriptedOrigin.page("[1]")) }
        let (source, other) = (try RunningService.source(), try RunningService.source("other"))
        let users = AnyResource("users", from: other, at: "/users", key: "id")
        var likes = AnyResource("likes", from: source, at: "/users/{id}/likes", key: "id")
        likes.forEach = ForEach("users", bind: ["id": JSONPath(member: "id")])
        let time = ManualWallClock()
        let running = try await RunningService(
            origin, resources: [users, likes, RunningService.posts(from: source)], sources: [], time: time)
        await isHanging.value()
        try await running.runs {
            time.advance(by: .seconds(61))
            return asked.withLock { $0.count { $0 == "/posts" } } >= 3
        }
        #expect(asked.withLock { !$0.contains("/users/1/likes") })
        gate.open()
        try await running.runs { asked.withLock { $0.contains("/users/1/likes") } }
        running.stop()
        try await running.ended()
    }

    @Test func `the limit bounds the number of sources synced at once, and the others follow as soon as one has ended`()
        async throws
    {
        let gate = Gatepost()
        let (isFull, isDone) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex(0)
        let all = SendingOrder.mostSources + 2
        let origin = ScriptedOrigin { _ in
            let count = asked.next()
            if count == SendingOrder.mostSources { isFull.resolve(()) }
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
        #expect(asked.withLock { $0 } == SendingOrder.mostSources)
        gate.open()
        // No clock is moved.
        await isDone.value()
        running.stop()
        try await running.ended()
    }

    @Test func `a write that is not answered delays no write to another source`() async throws {
        let gate = Gatepost()
        let isHanging = Promise<Void>()
        let isSent = Mutex(false)
        let origin = ScriptedOrigin { target in
            if target == "/orders" {
                isSent.withLock { $0 = true }
            } else {
                isHanging.resolve(())
                await gate.pass()
            }
        }
        for target in ["/hung", "/orders"] { origin.set(target, .status(.created)) }
        let sources = try ["blog", "other"].map { try RunningService.source($0) }
        let running = try await RunningService(origin, resources: [], sources: sources, time: ManualWallClock()) {
            siding in
            _ = try await siding.store.enqueue(RunningService.write("/hung"))
        }
        await isHanging.value()
        // It comes while the other one is under way.
        _ = try await running.store.enqueue(RunningService.write("/orders", to: "other"))
        try await running.runs { isSent.withLock { $0 } }
        #expect(origin.takeTargets() == ["/hung", "/orders"])
        gate.open()
        try await running.runs { try await running.store.entries(QueueSelection()).isEmpty }
        running.stop()
        try await running.ended()
    }

    @Test
    func `no writes of more sources than the limit are under way, and those of others follow as soon as one has ended`()
        async throws
    {
        let gate = Gatepost()
        let (isFull, isLast) = (Promise<Void>(), Promise<Void>())
        let asked = Mutex(0)
        let all = SendingOrder.mostSources + 1
        let origin = ScriptedOrigin { _ in
            let count = asked.next()
            if count == SendingOrder.mostSources { isFull.resolve(()) }
            if count == all { isLast.resolve(()) }
            await gate.pass()
        }
        origin.set("/orders", .status(.created))
        let sources = try (0..<all).map { try RunningService.source("s\($0)") }
        let running = try await RunningService(origin, resources: [], sources: sources, time: ManualWallClock()) {
            siding in
            for source in sources {
                _ = try await siding.store.enqueue(RunningService.write("/orders", to: source.name))
            }
        }
        await isFull.value()
        await running.passes()
        #expect(asked.withLock { $0 } == SendingOrder.mostSources)
        gate.open()
        // No clock is moved: the first that ends makes room.
        await isLast.value()
        running.stop()
        try await running.ended()
    }

    @Test func `a secret that is missing keeps back its own writes, until a look finds it`() async throws {
        let isThere = Mutex(false)
        let isSent = Mutex(false)
        let origin = ScriptedOrigin { target in if target == "/bare" { isSent.withLock { $0 = true } } }
        for target in ["/bare", "/orders"] { origin.set(target, .status(.created)) }
        var bare = try RunningService.source("bare")
        bare.authorization = .bearer(
            Secret("env NONE", absence: { isThere.withLock { $0 } ? nil : "it is not set" }) { "value" })
        let running = try await RunningService(
            origin, resources: [], sources: [bare, try RunningService.source()], time: ManualWallClock()
        ) { siding in
            _ = try await siding.store.enqueue(RunningService.write("/bare", to: "bare"))
            _ = try await siding.store.enqueue(RunningService.write("/orders"))
        }
        try await running.runs { try await running.store.entries(QueueSelection()).map(\.source) == ["bare"] }
        #expect(origin.takeTargets() == ["/orders"])
        isThere.withLock { $0 = true }
        try await running.runs { isSent.withLock { $0 } }
        running.stop()
        try await running.ended()
    }

    @Test func `the loop rests though more sources than the limit stay due and the network has changed`() async throws {
        let bench = try await WriteBench(sources: [])
        let kernel = try ScriptedKernel()
        let changes = NetworkChanges(socket: kernel.socket)
        let names = Set((0..<SendingOrder.mostSources * 2 + 8).map { "s\($0)" })
        let most = 50
        let looks = Mutex(0)
        let performed = Mutex<Set<String>>([])
        let rest = Promise<Set<String>>()
        let sender = bench.sender()
        var loop = ServiceLoop(sender: sender, pace: RetryRules.serviceInterval, changes: changes)
        loop.look = { busy throws(StoreError) in
            let count = looks.next()
            // What the first look finds begins with what was known before the change.
            if count == 1 { await kernel.tell(.routes, changes) }
            // They end while this look is under way.
            while !Task.isCancelled, performed.withLock({ !busy.isSubset(of: $0) }) { await Task.yield() }
            // A loop that looks again and again would not rest.
            let due = count < most ? names.subtracting(busy) : []
            performed.withLock { $0.subtract(due) }
            return DueSyncs(
                due.map { name in
                    DueSyncs.SourceSync(name) { () throws(StoreError) in
                        performed.withLock { _ = $0.insert(name) }
                        return nil
                    }
                }, next: nil)
        }
        loop.whenIdle = { _ in rest.resolve(performed.withLock { $0 }) }
        let task = Task { [loop] in try await loop.run() }
        // All have had their turn since a look found them.
        #expect(await rest.value() == names)
        #expect(looks.withLock { $0 } < most)
        task.cancel()
        try await task.value
    }
}
