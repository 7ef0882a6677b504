// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingTesting
import Testing

@testable import SidingInspection

/// The state of a store as Prometheus reads it.
@Suite struct MetricsTextTests {
    /// A store with a synced resource, a failing one, one that was never synced, and writes.
    private struct Bench {
        let directory: TemporaryDirectory
        let time = ManualWallClock()
        let store: Store
        let resources: [AnyResource]
        let targets = [PublishedTarget("fleet", station: "van-1", resources: ["good"])]

        init(limits: [String] = ["100/h"]) async throws {
            directory = try TemporaryDirectory()
            store = try await Store.open(at: directory.path(of: "test.db"), clock: time.clock)
            var source = Source(name: "api", baseURL: try HTTPURL("https://api.test"), retry: RetryPolicy(retries: 0))
            source.limits = try limits.map { try RateLimit("/**", $0) }
            resources = ["good", "bad", "new"].map { name in
                var resource = AnyResource(name, from: source, at: "/\(name)", key: "id")
                resource.maxAge = name == "bad" ? nil : .seconds(900)
                return resource
            }
        }

        func sync() async throws {
            let engine = SyncEngine(
                store: store, transports: ScriptedAnswers(),
                environment: RuntimeEnvironment(
                    connectivity: TestConnectivity(), jitter: .none, clock: ManualClock(), wallClock: time.clock))
            _ = try await engine.run(Array(resources.prefix(2)))
        }

        /// Notes that the hub has all up to `revision`, and how the last publication ended.
        func publish(to revision: Int64, _ error: String? = nil) async throws {
            let number = try #require(try await store.published("good")).number
            var publication = Publication(station: "van-1")
            var position = Publication.Position()
            (position.revision, position.number, position.publishedAt) = (revision, number, time.now.microseconds)
            publication.positions["good"] = position
            try await store.save(publication, to: "fleet")
            var outcome = Publication.Outcome()
            outcome.error = error.map { RecordedError(name: Publication.unavailable, message: $0) }
            try await store.note(outcome, of: "van-1", to: "fleet")
        }

        func enqueue(_ path: String) async throws {
            _ = try await store.enqueue(WriteRequest(to: "api", .post, HTTPURL("https://api.test\(path)")))
        }

        func text() async throws -> String {
            try await MetricsText.text(resources: resources, targets: targets, store: store, now: time.now)
        }

        func read() async throws -> Exposition { try Exposition(try await text()) }
    }

    private struct ScriptedAnswers: TransportFactory {
        func transport(for account: String, _ settings: TransportSettings) -> any Transport {
            ScriptedTransport { asked in
                asked.request.path == "/good"
                    ? .text(#"[{"id":1},{"id":2},{"title":"no key"}]"#) : .status(.notFound)
            }
        }
    }

    @Test func `a failing resource stays failing over any number of runs of others`() async throws {
        let bench = try await Bench()
        let since = Double(bench.time.now.microseconds) / 1_000_000
        try await bench.sync()
        bench.time.advance(by: .seconds(60))
        for _ in 1...101 {
            try await bench.store.endRun(try await bench.store.beginRun(command: "sync others"), outcome: .saved)
        }
        let read = try await bench.read()
        #expect(read.values[#"siding_resource_failing{resource="bad",source="api"}"#] == 1)
        #expect(read.values[#"siding_resource_failing_since_timestamp_seconds{resource="bad",source="api"}"#] == since)
        #expect(read.values[#"siding_resource_failing{resource="good",source="api"}"#] == 0)
    }

    @Test func `an entry has been queued for too long after an hour, unless it is parked`() async throws {
        let bench = try await Bench()
        try await bench.enqueue("/a")
        func isQueuedTooLong() async throws -> Bool {
            try await Overview.gather(bench.resources, bench.store, maxAge: nil, now: bench.time.now).isQueuedTooLong
        }
        bench.time.advance(by: .seconds(3_599))
        #expect(try await !isQueuedTooLong())
        bench.time.advance(by: .seconds(1))
        #expect(try await isQueuedTooLong())
        _ = try await bench.store.perform(.hold, on: QueueSelection())
        #expect(try await !isQueuedTooLong())
    }

    @Test func `a store that nothing was stored in has figures too`() async throws {
        let read = try await Bench().read()
        #expect(read.values[#"siding_resource_records{resource="good",source="api"}"#] == 0)
        #expect(read.values[#"siding_resource_stale{resource="good",source="api"}"#] == 1)
        #expect(read.values[#"siding_resource_completed_timestamp_seconds{resource="good",source="api"}"#] == nil)
        #expect(read.values["siding_runs_started_total"] == 0)
        #expect(read.types["siding_last_run_outcome"] == nil)
    }

    @Test func `the figures are those of the store`() async throws {
        let bench = try await Bench()
        try await bench.sync()
        let synced = Double(bench.time.now.microseconds) / 1_000_000
        try await bench.enqueue("/a")
        bench.time.advance(by: .seconds(60))
        try await bench.enqueue("/b")
        let read = try await bench.read()
        func value(_ name: String, _ resource: String) -> Double? {
            read.values["siding_resource_\(name){resource=\"\(resource)\",source=\"api\"}"]
        }
        #expect(value("records", "good") == 2 && value("quarantined_records", "good") == 1)
        #expect(value("completed_timestamp_seconds", "good") == synced && value("max_age_seconds", "good") == 900)
        #expect(value("stale", "good") == 0 && value("failing", "good") == 0 && value("running", "good") == 0)
        #expect(value("failing", "bad") == 1 && value("failing_since_timestamp_seconds", "bad") == synced)
        #expect(value("max_age_seconds", "bad") == nil && value("stale", "bad") == 0)
        #expect(value("stale", "new") == 1 && value("completed_timestamp_seconds", "new") == nil)
        let queued = #"{source="api",state="queued",reason=""}"#
        #expect(read.values["siding_queue_entries\(queued)"] == 2)
        #expect(read.values["siding_queue_oldest_entry_timestamp_seconds\(queued)"] == synced)
        #expect(read.values["siding_runs_started_total"] == 1)
        #expect(read.values[#"siding_last_run_outcome{outcome="partial"}"#] == 1)
        #expect(read.values["siding_last_run_end_timestamp_seconds"] == synced)
        #expect(read.values[#"siding_rate_limit_used{source="api",match="/**",unit="requests",per="1h"}"#] == 2)
        #expect(read.values[#"siding_rate_limit_allowed{source="api",match="/**",unit="requests",per="1h"}"#] == 100)
        #expect(try #require(read.values["siding_database_bytes"]) > 4_096)
        let part = #"siding_database_part_bytes{part="records",resource="good"}"#
        #expect(try #require(read.values[part]) >= 4_096)
    }

    @Test func `the targets have how far they are behind, and whether the last publication failed`() async throws {
        let bench = try await Bench()
        try await bench.sync()
        let synced = Double(bench.time.now.microseconds) / 1_000_000
        func values() async throws -> [Double?] {
            let read = try await bench.read()
            return ["behind_records", "oldest_change_timestamp_seconds", "failing"].map {
                read.values["siding_publish_\($0){target=\"fleet\"}"]
            }
        }
        #expect(try await values() == [2, nil, 0])
        bench.time.advance(by: .seconds(60))
        try await bench.publish(to: 0, "the hub is down")
        #expect(try await values() == [2, synced, 1])
        try await bench.publish(to: try #require(try await bench.store.published("good")).revision)
        #expect(try await values() == [0, nil, 0])
    }

    @Test func `limits that differ in their time span alone have series of their own`() async throws {
        let bench = try await Bench(limits: ["30/m", "5000/h"])
        try await bench.sync()
        // What Prometheus refuses, such as a series twice, the reader refuses too.
        let read = try await bench.read()
        for (per, rate) in [("1m", 30.0), ("1h", 5_000)] {
            let labels = #"{source="api",match="/**",unit="requests",per="\#(per)"}"#
            #expect(read.values["siding_rate_limit_allowed\(labels)"] == rate)
            #expect(read.values["siding_rate_limit_used\(labels)"] == 2)
        }
    }

    @Test func `records become stale as time goes by`() async throws {
        let bench = try await Bench()
        try await bench.sync()
        bench.time.advance(by: .seconds(901))
        #expect(try await bench.read().values[#"siding_resource_stale{resource="good",source="api"}"#] == 1)
    }

    @Test func `the same state has the same text, and the order is that of the config`() async throws {
        let bench = try await Bench()
        try await bench.sync()
        let text = try await bench.text()
        #expect(try await bench.text() == text)
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("siding_resource_records{") }
        #expect(lines.compactMap { $0.firstMatch(of: /resource="(\w+)"/)?.1 } == ["good", "bad", "new"])
    }

    @Test func `the values equal those of status`() async throws {
        let bench = try await Bench()
        try await bench.sync()
        try await bench.enqueue("/a")
        let read = try await bench.read()
        let overview = try await Overview.gather(bench.resources, bench.store, maxAge: nil, now: bench.time.now)
        for line in overview.resources {
            let labels = "{resource=\"\(line.name)\",source=\"\(line.source)\"}"
            #expect(read.values["siding_resource_records\(labels)"] == Double(line.state?.records ?? 0))
            #expect(read.values["siding_resource_stale\(labels)"] == (line.isStale ? 1 : 0))
            #expect(read.values["siding_resource_failing\(labels)"] == (line.failure == nil ? 0 : 1))
        }
        #expect(read.values["siding_last_day_bytes"] == Double(overview.bytesLastDay) && overview.bytesLastDay > 0)
        let queued = read.values.filter { $0.key.hasPrefix("siding_queue_entries{") }.values.reduce(0, +)
        #expect(queued == Double(overview.count(.queued) + overview.count(.parked) + overview.count(.sending)))
    }

    @Test func `no label has a value without bound`() async throws {
        let bench = try await Bench()
        try await bench.sync()
        try await bench.enqueue("/a/secret-path")
        let text = try await bench.text()
        let names = Set(try Exposition(text).labels.values.flatMap(\.keys))
        let bounded: Set = [
            "resource", "source", "state", "reason", "outcome", "match", "unit", "per", "part", "target",
        ]
        #expect(names.isSubset(of: bounded))
        #expect(!text.contains("secret-path") && !text.contains("api.test"))
    }

    @Test func `each metric is in the documentation, and each of the documentation is one`() async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let document = try String(contentsOf: root.appending(path: "Docs/Metrics.md"), encoding: .utf8)
        let listed = Set(document.matches(of: /(?m)^\| `(siding_\w+)` \|/).map { String($0.1) })
        let bench = try await Bench()
        try await bench.sync()
        try await bench.publish(to: 0)
        try await bench.enqueue("/a")
        let printed = Set(try await bench.read().types.keys)
        let known = printed.union(Instrument.allCases.map(\.rawValue)).union(["siding_metrics_dropped_total"])
        #expect(known.subtracting(listed).sorted() == [])
        // What this store has no sample of.
        let others: Set = [
            "siding_source_gate_closed", "siding_rate_limit_origin_remaining",
            "siding_resource_next_due_timestamp_seconds",
        ]
        #expect(listed.subtracting(known).subtracting(others).sorted() == [])
    }
}
