import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

@Suite struct RestartTests {
    /// A bench whose listing stopped at page 2.
    private func stopped() async throws -> EngineBench {
        let origin = ScriptedOrigin.posts()
        origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=2", etag: #""a""#))
        origin.set("/posts?page=2", .status(.internalServerError))
        let bench = try await EngineBench(origin)
        _ = try await bench.sync()
        _ = origin.takeTargets()
        return bench
    }

    @Test(arguments: [400, 404, 410, 422])
    func `a checkpoint that the origin refuses is dropped, and the listing starts anew in the same run`(
        _ status: Int
    ) async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.init(code: status)))
        bench.origin.set("/posts", ScriptedOrigin.page("[1,2]", next: "/posts?page=3"))
        let report = try await bench.sync()
        #expect(report.result.outcome == .saved)
        #expect(report.result.notes.contains("restarted: the origin refused page 2 with \(status)"))
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts?page=3"])
        #expect(report.result.counters.requests == 3)
        #expect(try await bench.keys() == ["1", "2", "5"])
        #expect(try await bench.queue() == [])
        #expect(try await bench.lastRun().resources == [report.result])
    }

    @Test
    func `a restarted listing sends no conditions, as stored pages lead to the page that was refused`()
        async throws
    {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.gone))
        bench.origin.set("/posts", ScriptedOrigin.page("[1]"))
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifNoneMatch] } == [nil, nil])
    }

    @Test func `it starts anew once`() async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.notFound))
        let report = try await bench.sync()
        #expect(report.result.outcome == .failed)
        #expect(bench.origin.takeTargets() == ["/posts?page=2", "/posts", "/posts?page=2"])
        #expect(try await bench.queue() == [])
    }

    @Test(arguments: [401, 403, 408, 425, 429, 500])
    func `a refusal that says nothing of the checkpoint leaves it`(_ status: Int) async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", .status(.init(code: status)))
        _ = try await bench.sync()
        #expect(bench.origin.takeTargets() == ["/posts?page=2"])
        #expect(try await bench.checkpoint() == 2)
    }

    @Test func `a checkpoint of more than a day is dropped and told`() async throws {
        let bench = try await stopped()
        bench.origin.set("/posts?page=2", ScriptedOrigin.page("[3]"))
        bench.time.advance(by: .seconds(86_401))
        let report = try await bench.sync()
        #expect(report.result.notes.first == "restarted: its checkpoint is older than 24 h")
        #expect(bench.origin.takeTargets() == ["/posts", "/posts?page=2"])
    }
}
