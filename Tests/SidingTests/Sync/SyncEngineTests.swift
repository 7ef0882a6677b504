// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import SidingSynchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct SyncEngineTests {
    // MARK: Leases

    @Test func `a resource that another run holds is skipped, and its holder named`() async throws {
        let bench = try await EngineBench()
        let lease = try #require(try await bench.lease())
        let report = try await bench.sync()
        #expect(report.result.outcome == .skipped)
        #expect(report.heldBy?.command == "sync posts")
        #expect(report.result.error?.name == "locked")
        #expect(throws: SyncError.self) { try report.outcome() }
        #expect(bench.origin.takeTargets() == [])
        try await bench.store.releaseLease(lease)
        #expect(try await bench.sync().result.outcome == .saved)
    }

    @Test func `a run may wait for a resource that another one holds`() async throws {
        let bench = try await EngineBench()
        let lease = try #require(try await bench.lease())
        async let report = bench.sync(SyncOptions(lockWait: .seconds(30)))
        await bench.clock.sleepers(1)
        try await bench.store.releaseLease(lease)
        bench.clock.advance(by: .milliseconds(100))
        #expect(try await report.result.outcome == .saved)
    }

    @Test func `the wait for a resource ends`() async throws {
        let bench = try await EngineBench()
        _ = try #require(try await bench.lease())
        async let report = bench.sync(SyncOptions(lockWait: .milliseconds(200)))
        for _ in 0..<2 {
            await bench.clock.sleepers(1)
            bench.clock.advance(by: .milliseconds(100))
        }
        #expect(try await report.result.outcome == .skipped)
    }

    @Test func `a lease is released at any end`() async throws {
        let bench = try await EngineBench()
        for answer in [ScriptedAnswer.status(.internalServerError), .status(.notFound), ScriptedOrigin.page("[1]")] {
            bench.origin.set("/posts", answer)
            _ = try await bench.sync()
            let lease = try #require(try await bench.lease())
            try await bench.store.releaseLease(lease)
        }
    }

    // MARK: Cancellation

    @Test func `a sync that is cancelled releases its lease, and the next one continues at its page`() async throws {
        let (arrived, never) = (Gatepost(), Gatepost())
        let origin = ScriptedOrigin.posts { target in
            guard target == "/posts?page=3" else { return }
            arrived.open()
            await never.pass()
        }
        let bench = try await EngineBench(origin)
        let task = Task { try await bench.sync() }
        await arrived.pass()
        task.cancel()
        let report = try await task.value
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.name == "cancelled")
        #expect(try await bench.lastRun().endedAt != nil)
        #expect(try await bench.keys() == ["1", "2", "3", "4"])
        #expect(try await bench.queue() == [])
        _ = origin.takeTargets()
        never.open()
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(origin.takeTargets() == ["/posts?page=3"])
    }

    @Test func `a retained page that was claimed when the sync was cancelled is queued again`() async throws {
        let (arrived, never) = (Gatepost(), Gatepost())
        let calls = Atomic<Int>(0)
        let origin = ScriptedOrigin.posts { target in
            guard target == "/posts?page=2", calls.add(1, ordering: .relaxed).newValue == 2 else { return }
            arrived.open()
            await never.pass()
        }
        origin.set("/posts?page=2", .status(.internalServerError), ScriptedOrigin.page("[3]"))
        let bench = try await EngineBench(origin)
        let entry = try await bench.entry(bench.sync().result.entry)
        let task = Task { try await bench.sync() }
        await arrived.pass()
        task.cancel()
        _ = try await task.value
        let back = try await bench.entry(entry.id)
        #expect(back.state == .queued)
        #expect(back.attempts == entry.attempts)
        #expect(back.crashes == 0)
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.entry(entry.id).state == .done)
    }

    // MARK: Overlap

    @Test func `the next page is requested while this one is saved, and no page further`() async throws {
        let asked = [Gatepost(), Gatepost(), Gatepost()]
        let targets = ["/posts", "/posts?page=2", "/posts?page=3"]
        let ahead = Mutex<[Int]>([])
        let origin = ScriptedOrigin.posts { target in targets.firstIndex(of: target).map { asked[$0].open() } }
        let bench = try await EngineBench(
            origin,
            probes: StoreProbes(willCommit: { page in
                // The save does not end before the next request has been seen.
                if page < 3 { await asked[page].pass() }
                ahead.withLock { $0.append(origin.waiting) }
            }))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(ahead.withLock { $0 } == [2, 3, 3])
    }

    // MARK: Inline retries

    @Test func `a short wait is kept inside the run, and each request counts`() async throws {
        var bench = try await EngineBench()
        bench.resource.source.retry = RetryPolicy()
        bench.origin.set(
            "/posts", .status(.serviceUnavailable, headerFields: [.retryAfter: "3"]), ScriptedOrigin.page("[1]"))
        let asking = bench
        async let report = asking.sync()
        // The deadline of the request sleeps on the same clock until the answer is there.
        while !bench.clock.waits.contains(.seconds(3)) { await Task.yield() }
        #expect(bench.origin.waiting == 1)
        bench.clock.advance(by: .seconds(3))
        #expect(try await report.result.outcome == .saved)
        #expect(try await report.result.counters.requests == 2)
        #expect(try await bench.store.gates() == [])
    }

    // MARK: Freshness

    @Test func `a resource that is fresh enough is skipped`() async throws {
        let bench = try await EngineBench()
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(59))
        let options = SyncOptions(maxAge: .seconds(60))
        #expect(try await bench.sync(options).outcome() == .skipped)
        bench.time.advance(by: .seconds(1))
        #expect(try await bench.sync(options).result.outcome == .saved)
    }

    @Test func `a completion in the future is not fresh`() async throws {
        let bench = try await EngineBench()
        _ = try await bench.sync()
        bench.time.advance(by: .seconds(-3600))
        #expect(try await bench.sync(SyncOptions(maxAge: .seconds(60))).result.outcome == .saved)
    }

    // MARK: Several resources

    @Test func `a resource that fails leaves the others alone, and the run is partial`() async throws {
        let bench = try await EngineBench()
        bench.origin.set("/comments", ScriptedOrigin.page("[1]"))
        let source = bench.resource.source
        let missing = AnyResource("missing", from: source, at: "/missing", key: "id")
        let comments = AnyResource("comments", from: source, at: "/comments", key: "id")
        let told = Mutex<[String]>([])
        let reports = try await bench.engine().run([missing, comments], command: "sync") { report in
            told.withLock { $0.append(report.result.resource) }
        }
        #expect(reports.map(\.result.outcome) == [.failed, .saved])
        #expect(told.withLock { $0 } == ["missing", "comments"])
        #expect(try await bench.lastRun().outcome == .partial)
        let quick = try await bench.engine().run([missing, comments], options: SyncOptions(failsFast: true))
        #expect(quick.map(\.result.resource) == ["missing"])
        #expect(try await bench.lastRun().outcome == .failed)
    }

    @Test func `a resource whose first URL is not valid fails without a request`() async throws {
        var bench = try await EngineBench()
        bench.resource.path = "/a b"
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(report.result.error?.name == "invalidRequest")
        #expect(bench.origin.takeTargets() == [])
    }

    // MARK: The store fails

    @Test func `where a page cannot be saved the run ends, and the page is requested again`() async throws {
        let isFull = Atomic<Bool>(true)
        let bench = try await EngineBench(
            probes: StoreProbes(willCommit: { page throws(StoreError) in
                guard page == 1 || !isFull.load(ordering: .relaxed) else {
                    throw StoreError(.full, "no room")
                }
            }))
        let error = await #expect(throws: StoreError.self) { try await bench.sync() }
        #expect(error?.kind == .full)
        let run = try await bench.lastRun()
        #expect(run.outcome == .failed)
        let result = try #require(run.resources.first)
        #expect(result.outcome == .failed && result.counters.pages == 1 && result.error?.name == "full")
        #expect(try await bench.store.failures(of: ["posts"])["posts"]?.error.message == "the disk was full")
        isFull.store(false, ordering: .relaxed)
        _ = bench.origin.takeTargets()
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts?page=3"])
    }
}
