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
        #expect(order.begin()?.name == "a1")
        #expect(order.begin()?.name == "b2")
        #expect(order.begin() == nil)
        #expect(order.end(SyncReport("b2", .saved)).isEmpty)
        #expect(order.begin() == nil, "one waits for its source, the other one for its parent")
        #expect(order.end(SyncReport("a1", .failed)).map(\.result.resource) == ["a1"])
        #expect(order.begin()?.name == "b1")
        #expect(order.begin()?.name == "a2")
        #expect(order.end(SyncReport("a2", .saved)).isEmpty)
        #expect(order.end(SyncReport("b1", .saved)).map(\.result.resource) == ["b1", "b2", "a2"])
        #expect(order.endAll().isEmpty)
        #expect(order.reports.map(\.result.resource) == ["a1", "b1", "b2", "a2"])
    }

    @Test func `what waited for a resource that never began is reported at the end`() throws {
        var order = SyncOrder([
            try Self.resource("a1", of: "a"), try Self.resource("a2", of: "a"), try Self.resource("b1", of: "b"),
        ])
        #expect(order.begin()?.name == "a1")
        #expect(order.begin()?.name == "b1")
        #expect(order.end(SyncReport("b1", .saved)).isEmpty)
        #expect(order.end(SyncReport("a1", .saved)).map(\.result.resource) == ["a1"])
        #expect(order.endAll().map(\.result.resource) == ["b1"])
        #expect(order.reports.map(\.result.resource) == ["a1", "b1"])
    }

    @Test func `the number of sources at once has a limit, and a circle of parents does not wait for itself`() throws {
        var many = SyncOrder(try (0..<20).map { try Self.resource("r\($0)", of: "s\($0)") })
        var begun = 0
        while many.begin() != nil { begun += 1 }
        #expect(begun == SyncOrder.mostSources)
        var circle = SyncOrder([
            try Self.resource("a", of: "a", parent: "b"), try Self.resource("b", of: "b", parent: "a"),
        ])
        #expect(circle.begin()?.name == "a")
        #expect(circle.begin() == nil)
        _ = circle.end(SyncReport("a", .failed))
        #expect(circle.begin()?.name == "b")
    }

    @Test func `sources that a fan-out connects are one for a service`() throws {
        let groups = [
            try Self.resource("a1", of: "a"), try Self.resource("b1", of: "b"),
            try Self.resource("c1", of: "c", parent: "a1"), try Self.resource("d1", of: "d", parent: "elsewhere"),
        ].connectedSources
        #expect(Set(groups) == [["a", "c"], ["b"], ["d"]])
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

    @Test func `a run that may carry so many bytes, or ends at a failure, asks one source after the other`()
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
