// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingChain
import SidingSynchronization
import SidingTesting
import Testing

@testable import Siding
@testable import SidingHub

/// What the file knows of publications that failed.
@Suite(.timeLimit(.minutes(5))) struct HubFailureTests {
    private static let record = #"[{"id":1,"title":"a","price":1}]"#

    private func publication(_ bench: HubBench) async throws -> Publication? {
        try await bench.store.publication(to: "fleet")
    }

    private func publish(_ bench: HubBench, _ resources: [String], at address: String? = nil) async throws(HubError) {
        var target = bench.target
        target.address = address ?? target.address
        try await HubPublisher(of: bench.store, to: target).publish(resources)
    }

    /// A station with `issues` and `readings`, in whose hub the table of readings is another one.
    private func refused(_ time: ManualWallClock) async throws -> HubBench {
        let bench = try await HubBench(resources: ["issues", "readings"], clock: time.clock)
        for name in ["issues", "readings"] { try await bench.sync(Self.record, name) }
        try await publish(bench, ["issues"])
        _ = try await bench.query("CREATE TABLE @.readings (x int)")
        return bench
    }

    @Test func `the error of one resource neither hides that of another nor is cleared by it`() async throws {
        let time = ManualWallClock()
        let bench = try await refused(time)
        let begun = time.now.microseconds
        try await publish(bench, ["issues", "readings"])
        time.advance(by: .seconds(60))
        try await publish(bench, ["issues"])
        let known = try #require(try await publication(bench))
        #expect(known.failure == nil && known.failures.keys.sorted() == ["readings"])
        #expect(known.failures["readings"]?.since == begun)
        #expect(known.failures["readings"]?.error.name == "refused")

        _ = try await bench.query("DELETE FROM @.siding_positions")
        time.advance(by: .seconds(60))
        try await publish(bench, ["issues", "readings"])
        let both = try #require(try await publication(bench)).failures
        #expect(both["issues"]?.error.name == "foreign" && both["issues"]?.since == time.now.microseconds)
        #expect(both["issues"]?.error.hint?.contains("--adopt") == true)
        #expect(both["readings"]?.since == begun)

        _ = try await bench.query("DROP TABLE @.readings CASCADE")
        try await publish(bench, ["readings"])
        #expect(try await publication(bench)?.failures.keys.sorted() == ["issues"])
    }

    @Test func `a hub that is down clears no error of a resource, and its own error ends when it is reached`()
        async throws
    {
        let time = ManualWallClock()
        let bench = try await refused(time)
        try await publish(bench, ["issues", "readings"])
        let before = try #require(try await publication(bench)).failures
        time.advance(by: .seconds(60))
        await #expect(throws: HubError.self) { try await publish(bench, ["issues"], at: "host=/nonexistent user=x") }
        let down = try #require(try await publication(bench))
        #expect(down.failure?.error.name == Publication.unavailable && down.failure?.since == time.now.microseconds)
        #expect(down.failures == before)
        time.advance(by: .seconds(60))
        await #expect(throws: HubError.self) { try await publish(bench, ["issues"], at: "host=/nonexistent user=x") }
        #expect(try await publication(bench) == down)
        try await publish(bench, ["issues"])
        let reached = try #require(try await publication(bench))
        #expect(reached.failure == nil && reached.failures == before)
    }

    @Test func `a first publication that fails binds the file to no name`() async throws {
        var bench = try await HubBench()
        try await bench.sync(Self.record)
        await #expect(throws: HubError.self) { try await publish(bench, ["issues"], at: "host=/nonexistent user=x") }
        #expect(try await publication(bench)?.failure != nil)
        bench.target.station = "van-2"
        try await publish(bench, ["issues"])
        #expect(try await publication(bench)?.failure == nil)
        #expect(try await bench.living() == ["van-2 1 a 1"])
        bench.target.station = "van-3"
        await #expect { try await publish(bench, ["issues"]) } throws: { ($0 as? HubError)?.kind == .foreign }
        #expect(try await publication(bench)?.failure?.error.name == "foreign")
        #expect(try await publication(bench)?.station == "van-2")
    }

    @Test func `a publication that is cancelled leaves what was known`() async throws {
        let bench = try await HubBench()
        try await bench.sync(Self.record)
        let proxy = try CommitProxy(to: bench.server.directory, breaks: .never)
        let address = bench.target.address.replacing(bench.server.directory, with: proxy.directory)
        let publishing = Task { try await publish(bench, ["issues"], at: address) }
        await proxy.sawCommit.value()
        publishing.cancel()
        await #expect(throws: HubError.self) { try await publishing.value }
        // It may have been cancelled before it knew anything of the hub.
        let known = try await publication(bench) ?? Publication(station: "van-1")
        #expect(known.failure == nil && known.failures.isEmpty)
    }

    @Test func `a dry run stores nothing`() async throws {
        let bench = try await HubBench()
        try await bench.sync(Self.record)
        #expect(try await HubPublisher(of: bench.store, to: bench.target).foresee(["issues"]).map(\.behind) == [1])
        #expect(try await publication(bench) == nil)
    }

    @Test func `a service that has published everything asks again once there are changes or columns`() async throws {
        let bench = try await HubBench(columns: [RecordColumn("id", .integer)])
        try await bench.sync(Self.record)
        func isUpToDate(_ bench: HubBench) async throws -> Bool {
            try await HubPublisher(of: bench.store, to: bench.target).isUpToDate(["issues"])
        }
        #expect(try await !isUpToDate(bench))
        try await bench.publish()
        #expect(try await isUpToDate(bench))
        let wider = try await HubBench(beside: bench, from: bench.store.path)
        try await wider.sync(Self.record)
        let publisher = HubPublisher(of: wider.store, to: wider.target)
        #expect(try await publisher.foresee(["issues"]).map(\.behind) == [0], "no record has changed")
        #expect(try await !isUpToDate(wider))
    }
}
