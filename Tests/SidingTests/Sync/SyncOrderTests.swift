// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding

/// Sources are synced side by side, and the resources of each one after the other.
@Suite(.timeLimit(.minutes(5))) struct SyncOrderTests {
    private static func resource(_ name: String, of source: String, parent: String? = nil) throws -> AnyResource {
        let source = Source(
            name: source, baseURL: try HTTPURL("https://example.com"), retry: RetryPolicy(retries: 0))
        var resource = AnyResource(name, from: source, at: "/\(name)", key: "id")
        resource.forEach = parent.map { ForEach($0, bind: ["id": JSONPath(member: "id")]) }
        return resource
    }

    // MARK: The order

    @Test func `a source has one resource at a time, a child waits for its parent, and reports keep their order`()
        throws
    {
        var order = SyncOrder([
            try Self.resource("a1", of: "a"), try Self.resource("b1", of: "b", parent: "a1"),
            try Self.resource("b2", of: "b"), try Self.resource("a2", of: "a"),
        ])
        #expect(order.next() == "a1")
        #expect(order.next() == "b2")
        #expect(order.next() == nil)
        #expect(order.end(SyncReport("b2", .saved)).isEmpty)
        #expect(order.next() == nil, "one waits for its source, the other one for its parent")
        #expect(order.end(SyncReport("a1", .failed)).map(\.result.resource) == ["a1"])
        #expect(order.next() == "b1")
        #expect(order.next() == "a2")
        #expect(order.end(SyncReport("a2", .saved)).isEmpty)
        #expect(order.end(SyncReport("b1", .saved)).map(\.result.resource) == ["b1", "b2", "a2"])
        #expect(order.endAll().isEmpty)
        #expect(order.reports.map(\.result.resource) == ["a1", "b1", "b2", "a2"])
    }

    @Test func `the writes of a source come before its resources, and reports wait for the last writes`() throws {
        var order = SyncOrder(
            [
                try Self.resource("a1", of: "a"), try Self.resource("a2", of: "a"),
                try Self.resource("b1", of: "b", parent: "a1"),
            ], sending: ["a", "b"])
        #expect(order.next() == "writes of a")
        #expect(order.next() == "writes of b")
        #expect(order.next() == nil)
        #expect(order.endWrites(of: "b", due: []).isEmpty)
        #expect(order.next() == nil, "it waits for its parent")
        #expect(order.endWrites(of: "a", due: ["b"]).isEmpty)
        #expect(order.next() == "writes of b", "some of them waited for those of the other source")
        #expect(order.next() == "a1")
        #expect(order.end(SyncReport("a1", .saved)).isEmpty)
        #expect(order.next() == "a2")
        #expect(order.next() == nil)
        #expect(order.endWrites(of: "b", due: []).map(\.result.resource) == ["a1"])
        #expect(order.next() == "b1")
        #expect(order.end(SyncReport("b1", .saved)).isEmpty)
        #expect(order.end(SyncReport("a2", .saved)).map(\.result.resource) == ["a2", "b1"])
        #expect(order.next() == nil)
    }

    @Test func `writes that became due follow a resource, but not those of a source of which one failed`() throws {
        var order = SyncOrder(
            [
                try Self.resource("a1", of: "a"), try Self.resource("b1", of: "b"), try Self.resource("a2", of: "a"),
                try Self.resource("a3", of: "a"),
            ], sending: ["a", "b"])
        for source in ["a", "b"] { #expect(order.next() == "writes of \(source)") }
        for source in ["a", "b"] { _ = order.endWrites(of: source, due: []) }
        #expect(order.next() == "a1")
        #expect(order.next() == "b1")
        #expect(order.end(SyncReport("a1", .saved), due: ["a"]).isEmpty, "it waits for the writes")
        #expect(order.next() == "writes of a")
        #expect(order.endWrites(of: "a", due: [], hasFailed: true).map(\.result.resource) == ["a1"])
        #expect(order.next() == "a2")
        #expect(order.end(SyncReport("b1", .saved), due: ["b"]).isEmpty)
        #expect(order.next() == "writes of b")
        // Neither those of another source, nor another answer lead to a further try.
        #expect(order.endWrites(of: "b", due: ["a"]).map(\.result.resource) == ["b1"])
        #expect(order.next() == nil)
        #expect(order.end(SyncReport("a2", .saved), due: ["a"]).map(\.result.resource) == ["a2"])
        #expect(order.next() == "a3")
    }

    @Test func `a run of one resource at a time sends all writes before, those of the sources side by side`() throws {
        var order = SyncOrder(
            [try Self.resource("a1", of: "a"), try Self.resource("b1", of: "b")], sending: ["a", "b"], most: 1)
        for source in ["a", "b"] { #expect(order.next() == "writes of \(source)") }
        for source in ["a", "b"] {
            #expect(order.next() == nil)
            #expect(order.endWrites(of: source, due: []).isEmpty)
        }
        #expect(order.next() == "a1")
        #expect(order.next() == nil)
        #expect(order.end(SyncReport("a1", .saved)).count == 1)
        #expect(order.next() == "b1")
    }

    @Test func `a resource that waited for one that never began is reported at the end`() throws {
        var order = SyncOrder([
            try Self.resource("a1", of: "a"), try Self.resource("a2", of: "a"), try Self.resource("b1", of: "b"),
        ])
        #expect(order.next() == "a1")
        #expect(order.next() == "b1")
        #expect(order.end(SyncReport("b1", .saved)).isEmpty)
        #expect(order.end(SyncReport("a1", .saved)).map(\.result.resource) == ["a1"])
        #expect(order.endAll().map(\.result.resource) == ["b1"])
        #expect(order.reports.map(\.result.resource) == ["a1", "b1"])
    }

    @Test func `the number of sources at once has a limit, and a circle of parents does not wait for itself`() throws {
        var many = SyncOrder(try (0..<20).map { try Self.resource("r\($0)", of: "s\($0)") })
        var begun = 0
        while many.next() != nil { begun += 1 }
        #expect(begun == SendingOrder.mostSources)
        var circle = SyncOrder([
            try Self.resource("a", of: "a", parent: "b"), try Self.resource("b", of: "b", parent: "a"),
        ])
        #expect(circle.next() == "a")
        #expect(circle.next() == nil)
        _ = circle.end(SyncReport("a", .failed))
        #expect(circle.next() == "b")
    }

    @Test
    func `in a service a child waits for a parent of another source that is due and tried, and nothing else does`()
        throws
    {
        let now = ManualWallClock().now
        func outlook(_ resource: AnyResource, isDue: Bool = true) -> ResourceOutlook {
            (resource, isDue ? .now : .at(now + .seconds(60)), [])
        }
        let children = [
            outlook(try Self.resource("b1", of: "b", parent: "a1")), outlook(try Self.resource("b2", of: "b")),
            outlook(try Self.resource("c1", of: "c", parent: "b1")),
            outlook(try Self.resource("a2", of: "a", parent: "a1")),
            outlook(try Self.resource("d1", of: "d", parent: "elsewhere")),
        ]
        let parent = try Self.resource("a1", of: "a")
        func due(_ syncs: [ResourceOutlook], isTried: Bool = true) -> [String] {
            syncs.due(at: now) { $0.name != "a1" || isTried }.map(\.resource.name)
        }
        #expect(due(children + [outlook(parent)]) == ["b2", "a2", "d1", "a1"])
        // One that is put off, as it failed, or that is not due, is not waited for.
        #expect(due(children + [outlook(parent)], isTried: false) == ["b1", "b2", "a2", "d1", "a1"])
        #expect(due(children + [outlook(parent, isDue: false)]) == ["b1", "b2", "a2", "d1"])
        let circle = [
            outlook(try Self.resource("a", of: "a", parent: "b")),
            outlook(try Self.resource("b", of: "b", parent: "a")),
        ]
        #expect(due(circle).count == 1)
    }

    // MARK: Runs

    @Test func `a source that does not answer holds up none of the others, and reports keep the order`() async throws {
        let others = Gatepost()
        let count = Mutex(0)
        let origin = ScriptedOrigin { target in
            // In a run that asks one after the other it would be never answered.
            if target == "/r0" { await others.pass() } else if count.next() == 3 { others.open() }
        }
        for number in 0..<4 { origin.set("/r\(number)", ScriptedOrigin.page("[1]")) }
        let bench = try await EngineBench(origin)
        let told = Mutex<[String]>([])
        let reports = try await bench.engine().run(try (0..<4).map { try Self.resource("r\($0)", of: "s\($0)") }) {
            report in told.withLock { $0.append(report.result.resource) }
        }
        #expect(reports.map(\.result.outcome) == Array(repeating: .saved, count: 4))
        #expect(reports.map(\.result.resource) == ["r0", "r1", "r2", "r3"])
        #expect(told.withLock { $0 } == ["r0", "r1", "r2", "r3"])
        #expect(try await bench.lastRun().outcome == .saved)
    }

    private static func write(_ number: Int, after: [String] = []) throws -> WriteRequest {
        var write = WriteRequest(
            to: "s\(number)", .post, try HTTPURL("https://example.com/w\(number)"), body: Array("{}".utf8),
            idempotency: Idempotency())
        write.after = after
        return write
    }

    private static func engine(_ bench: EngineBench, sendingFor resources: [AnyResource]) -> SyncEngine {
        var engine = bench.engine()
        engine.sender = WriteSender(
            store: bench.store, sources: resources.map(\.source), transports: bench.origin,
            environment: engine.environment)
        return engine
    }

    @Test func `a write that is not answered holds up its own source alone, and is reported before all resources`()
        async throws
    {
        let others = Gatepost()
        let asked = Mutex<[String]>([])
        let origin = ScriptedOrigin { target in
            // In a run that sends all writes first it would be never answered.
            if target == "/w0" { await others.pass() }
            let areOthersSynced = asked.withLock { asked in
                asked.append(target)
                return asked.count { $0.hasPrefix("/r") } == 3
            }
            if areOthersSynced { others.open() }
        }
        let bench = try await EngineBench(origin)
        let resources = try (0..<4).map { try Self.resource("r\($0)", of: "s\($0)") }
        for number in 0..<4 {
            origin.set("/w\(number)", .status(.created))
            origin.set("/r\(number)", ScriptedOrigin.page("[1]"))
            _ = try await bench.store.enqueue(Self.write(number))
        }
        let told = Mutex<[String]>([])
        var engine = Self.engine(bench, sendingFor: resources)
        engine.delivered = { entry in told.withLock { $0.append(entry.state.rawValue) } }
        let reports = try await engine.run(resources) { report in told.withLock { $0.append(report.result.resource) } }
        #expect(reports.map(\.result.outcome) == Array(repeating: .saved, count: 4))
        let order = asked.withLock { $0 }
        #expect(order.suffix(2) == ["/w0", "/r0"])
        for number in 1..<4 {
            #expect(try #require(order.firstIndex(of: "/w\(number)")) < #require(order.firstIndex(of: "/r\(number)")))
        }
        #expect(told.withLock { $0 } == Array(repeating: "done", count: 4) + ["r0", "r1", "r2", "r3"])
    }

    @Test func `a write that waits for one to another source is sent in the same run`() async throws {
        let origin = ScriptedOrigin(["/w1": .status(.created), "/w2": .status(.created)])
        let bench = try await EngineBench(origin)
        let resources = try (1...2).map { try Self.resource("r\($0)", of: "s\($0)") }
        for number in 1...2 { origin.set("/r\(number)", ScriptedOrigin.page("[1]")) }
        let parent = try await bench.store.enqueue(Self.write(2))
        let child = try await bench.store.enqueue(Self.write(1, after: [parent.id]))
        _ = try await Self.engine(bench, sendingFor: resources).run(resources)
        #expect(try await bench.entry(child.id).state == .done)
        #expect(try await bench.queue() == [])
    }

    /// The first due time of a write whose origin was down is later than the next sync, whose page shows that it is back.
    @Test func `a write that waited for the end of an outage is sent in the run that meets it`() async throws {
        let down = ScriptedAnswer.failure(Failure(.cantConnectToHost(.refused), phase: .notSent))
        let origin = ScriptedOrigin(["/w0": down, "/r0": down])
        let bench = try await EngineBench(origin)
        let resources = [try Self.resource("r0", of: "s0")]
        let write = try await bench.store.enqueue(Self.write(0))
        let engine = Self.engine(bench, sendingFor: resources)
        for _ in 1...2 {
            #expect(try await engine.run(resources).map(\.result.outcome) == [.queued])
            #expect(try await bench.entry(write.id).state == .queued)
        }
        origin.set("/w0", .status(.created))
        origin.set("/r0", ScriptedOrigin.page("[1]"))
        #expect(try await engine.run(resources).map(\.result.outcome) == [.saved])
        #expect(try await bench.entry(write.id).state == .done)
    }

    @Test func `a write that fails is tried once in a run, however many resources are answered`() async throws {
        let origin = ScriptedOrigin(["/w0": .failure(Failure(.timeout(.response), phase: .maybeSent))])
        let names = (0..<4).map { "r\($0)" }
        for name in names { origin.set("/\(name)", ScriptedOrigin.page("[1]")) }
        let bench = try await EngineBench(origin)
        let resources = try names.map { try Self.resource($0, of: "s0") }
        let write = try await bench.store.enqueue(Self.write(0))
        let engine = Self.engine(bench, sendingFor: resources)
        for run in 1...3 {
            _ = try await engine.run(resources)
            #expect(try await bench.entry(write.id).attempts == run)
        }
    }

    @Test func `a run with a limit of bytes, or one that ends at a failure, requests one source after the other`()
        async throws
    {
        var metered = SyncOptions()
        metered.maxBytes = 1_000_000
        for options in [SyncOptions(failsFast: true), metered] {
            let underWay = Mutex(0)
            let most = Mutex(0)
            let origin = ScriptedOrigin { _ in
                let now = underWay.next()
                most.withLock { $0 = max($0, now) }
                await Task.yield()
                underWay.withLock { $0 -= 1 }
            }
            for number in 0..<4 { origin.set("/r\(number)", ScriptedOrigin.page("[1]")) }
            let bench = try await EngineBench(origin)
            let resources = try (0..<4).map { try Self.resource("r\($0)", of: "s\($0)") }
            #expect(try await bench.engine().run(resources, options: options).count == 4)
            #expect(most.withLock { $0 } == 1)
        }
    }

    @Test func `a cancelled run ends all of its sources`() async throws {
        let (gate, bothAsked) = (Gatepost(), Promise<Void>())
        let count = Mutex(0)
        let origin = ScriptedOrigin { _ in
            if count.next() == 2 { bothAsked.resolve(()) }
            await gate.pass()
        }
        for number in 0..<2 { origin.set("/r\(number)", ScriptedOrigin.page("[1]")) }
        let bench = try await EngineBench(origin)
        let resources = try ["r0", "r1"].map { try Self.resource($0, of: $0) } + [Self.resource("r2", of: "r0")]
        let engine = bench.engine()
        let task = Task { try await engine.run(resources) }
        await bothAsked.value()
        task.cancel()
        let reports = try await task.value
        #expect(reports.map(\.failure?.reason) == [.cancelled, .cancelled])
        #expect(reports.map(\.result.resource) == ["r0", "r1"])
        #expect(try await bench.lastRun().outcome == .interrupted)
    }
}

extension SyncOrder {
    /// The name of what begins next.
    fileprivate mutating func next() -> String? {
        switch begin() {
        case .writes(of: let source)?: "writes of \(source)"
        case .resource(let resource)?: resource.name
        case nil: nil
        }
    }
}
