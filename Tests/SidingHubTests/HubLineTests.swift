// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingPostgreSQL
import SidingSQLite
import SidingSynchronization
import TestSupport
import Testing

@testable import Siding
@testable import SidingHub

/// What happens at a hub and at a station while a publication is under way.
@Suite(.timeLimit(.minutes(10))) struct HubLineTests {
    /// The same station with a proxy before the server.
    private func proxied(
        _ bench: HubBench, _ moment: CommitProxy.Break?, bytesPerSecond: Int? = nil
    ) throws -> (bench: HubBench, proxy: CommitProxy) {
        let proxy = try CommitProxy(to: bench.server.directory, breaks: moment, bytesPerSecond: bytesPerSecond)
        var other = bench
        other.target.address = bench.target.address.replacing(bench.server.directory, with: proxy.directory)
        return (other, proxy)
    }

    /// A batch is small at first, so that a statement ends before the server's limit of a minute.
    @Test func `a slow line takes longer, and loses nothing`() async throws {
        let bench = try await HubBench()
        let bytesPerSecond = Proof.choose(short: 1_000_000, middle: 250_000, long: 30_000)
        let title = String(repeating: "x", count: 2_000)
        let objects = (1...600).map { #"{"id":\#($0),"title":"\#($0)\#(title)"}"# }
        try await bench.sync("[\(objects.joined(separator: ","))]")
        let (slow, proxy) = try proxied(bench, nil, bytesPerSecond: bytesPerSecond)
        let begun = ContinuousClock.now
        let report = try await slow.publish()
        #expect(report.error == nil && report.rows == 600, "\(report)")
        // The body has the title, too.
        #expect(ContinuousClock.now - begun > .seconds(2 * 600 * 2_000 / bytesPerSecond))
        let rows = StationRows(resource: "issues", columns: ["id", "title"])
        let inHub = try await rows.inHub(bench.server, schema: bench.target.schema, station: bench.target.station)
        #expect(try await rows.inFile(bench.store) == inHub)
        withExtendedLifetime(proxy) {}
    }

    /// The connection breaks for the client alone: the server has the lock on the position until it gets the COMMIT.
    @Test func `a COMMIT that arrives after the next publication has begun counts`() async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1}]"#)
        try await bench.publish()
        try await bench.sync(#"[{"id":1,"title":"b","price":1},{"id":2,"title":"c","price":1}]"#)
        let (broken, proxy) = try proxied(bench, .late)
        await #expect { try await broken.publish() } throws: { ($0 as? HubError)?.kind == .unavailable }
        let next = Task { try await bench.publish() }
        let waiting = """
            SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\(bench.target.schema)%'
            """
        while try await bench.query(waiting) == ["0"] { await Task.yield() }
        proxy.release()
        let error = await #expect(throws: HubError.self) { try await next.value }
        #expect(error?.kind == .unavailable && error?.message.contains("committed only now") == true, "\(error as Any)")
        #expect(try await bench.publish() == HubReport("issues"))
        #expect(try await bench.living() == ["van-1 1 b 1", "van-1 2 c 1"])
    }

    @Test func `a deletion that is removed between two batches is found by a comparison`() async throws {
        let bench = try await HubBench()
        func records(_ titles: [(Int, String)]) -> String {
            "[\(titles.map { #"{"id":\#($0.0),"title":"\#($0.1)","price":1}"# }.joined(separator: ","))]"
        }
        try await bench.sync(records([(1, "a"), (2, "a"), (3, "a")]))
        try await bench.publish()
        try await bench.sync(records([(1, "b"), (2, "a"), (3, "a")]))
        try await bench.sync(records([(1, "b"), (3, "a")]))
        let (paused, proxy) = try proxied(bench, .pause)
        async let report = paused.publish { $0.most.rows = 1 }
        await proxy.sawCommit.value()
        try await bench.store.write { transaction in
            try transaction.execute("DELETE FROM siding_records_issues WHERE deleted_at IS NOT NULL")
            try transaction.execute("UPDATE siding_resources SET forgotten = revision")
        }
        proxy.release()
        let done = try await report
        #expect(done.error == nil && done.rows == 1 && done.deleted == 1, "\(done)")
        #expect(try await bench.living() == ["van-1 1 b 1", "van-1 3 a 1"])
    }

    @Test func `records of a resource that was forgotten stay there until it is synced again`() async throws {
        let bench = try await HubBench()
        try await bench.sync(
            #"[{"id":1,"title":"a","price":1},{"id":2,"title":"b","price":1},{"id":3,"title":"c","price":1}]"#)
        try await bench.publish()
        _ = try await bench.store.forget(resource: "issues")
        #expect(try await bench.publish() == HubReport("issues"))
        #expect(try await bench.living().count == 3)
        try await bench.sync(#"[{"id":1,"title":"a","price":1},{"id":3,"title":"c","price":1}]"#)
        let report = try await bench.publish()
        #expect(report.error == nil && report.comparison != nil && report.deleted == 1, "\(report)")
        #expect(try await bench.living() == ["van-1 1 a 1", "van-1 3 c 1"])
    }

    @Test func `two publications of one file at once exclude each other`() async throws {
        let bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","price":1}]"#)
        let (paused, proxy) = try proxied(bench, .pause)
        let publishers = [paused, bench].map { HubPublisher(of: $0.store, to: $0.target) }
        async let first = publishers[0].publishUnderLease(["issues"], command: "first") { _ in }
        await proxy.sawCommit.value()
        let holders = Mutex<[String]>([])
        let second = try await publishers[1].publishUnderLease(["issues"], command: "second") { holder in
            holders.withLock { $0.append("\(holder)") }
        } report: { _ in
            Issue.record("the second one has published")
        }
        #expect(!second)
        #expect(holders.withLock { $0 }.first?.contains("first") == true, "\(holders.withLock { $0 })")
        proxy.release()
        #expect(try await first)
        #expect(try await bench.living() == ["van-1 1 a 1"])
    }
}
