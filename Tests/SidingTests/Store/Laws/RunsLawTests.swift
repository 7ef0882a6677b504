// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingTesting
import Testing

@testable import Siding

@Suite struct RunsLawTests {
    @Test func `runs are listed newest first, up to a limit`() async throws {
        let bench = try await StoreBench()
        let second = try await bench.store.beginRun(command: "sync")
        let third = try await bench.store.beginRun(command: "sync")
        try await require(bench.store.runs(limit: 2).map(\.id), is: [third, second], "the two newest runs")
        try await require(bench.store.runs(limit: 9).count, is: 3, "all runs")
    }

    @Test func `a run has its command, its begin and its end`() async throws {
        let bench = try await StoreBench()
        let start = bench.time.now
        bench.time.advance(by: .seconds(5))
        try await bench.store.endRun(bench.run, outcome: .partial)
        let run = try await require(bench.store.run(bench.run), "the run")
        try require(run.command, is: "sync posts", "its command")
        try require(run.startedAt, is: start, "its start")
        try require(run.endedAt, is: start + .seconds(5), "its end")
        try require(run.outcome, is: .partial, "its outcome")
    }

    @Test func `an unknown run is missing`() async throws {
        let bench = try await StoreBench()
        try await require(bench.store.run(bench.run + 100) == nil, "a run was made up")
    }

    @Test func `at its end a run keeps a resource's outcome, notes, error, entry and counters as they were reported`()
        async throws
    {
        let bench = try await StoreBench()
        var counters = try await bench.commit(#"[{"id":"a"}]"#, bench.open())
        try await require(bench.counters(), is: counters, "the counters before its end")
        counters.requests += 3
        (counters.answersQuarantined, counters.nullFiltered) = (1, 2)
        let error = RecordedError(name: "http500", message: "no", hint: "wait", status: 500, phase: "answered")
        let result = RunResource(
            resource: "posts", outcome: .queued, counters: counters, duration: .milliseconds(1_500), entry: "abcd",
            error: error, notes: ["one", "two"])
        try await bench.store.endResource(result, in: bench.run)
        try await require(bench.store.run(bench.run)?.resources, is: [result], "the results")
    }

    @Test func `the run of a dead process is closed as interrupted by the next one`() async throws {
        var bench = try await StoreBench()
        let dead = bench.run
        try await bench.crash()
        try await require(bench.store.run(dead)?.outcome, is: .interrupted, "its outcome")
        try await require(bench.store.run(dead)?.endedAt, is: bench.time.now, "its end")
    }

    @Test func `a fetch that waited past its expiry is parked by the next run, and still claimed by a sync`()
        async throws
    {
        var bench = try await StoreBench()
        _ = try await bench.open()
        let entry = try await bench.retain(expiry: .seconds(100))
        bench.time.advance(by: .seconds(99))
        try await bench.nextSync()
        try await require(bench.entry(entry.id).state, is: .queued, "its state before")
        bench.time.advance(by: .seconds(2))
        try await bench.nextSync()
        try await require(bench.entry(entry.id).reason, is: .expired, "why it is parked")
        try await require(bench.open().entry?.id, is: entry.id, "the entry in hand")
    }

    @Test func `the run of a living process continues beside a new one`() async throws {
        let bench = try await StoreBench()
        _ = try await bench.store.beginRun(command: "sync")
        let run = try await require(bench.store.run(bench.run), "the run")
        try require(run.outcome == nil && run.endedAt == nil, "it was closed")
    }

    @Test func `a gate holds until it is opened, one for each source`() async throws {
        let bench = try await StoreBench()
        let until = bench.time.now + .seconds(60)
        let first = SourceGate(source: "b", reason: .retryAfter, until: until, note: "429")
        let other = SourceGate(source: "a", reason: .signIn, until: nil, note: "401")
        try await bench.store.record(.retryAfter(until: until, note: "429"), of: "b")
        try await bench.store.record(.signIn(note: "401"), of: "a")
        try await require(bench.store.gates(), is: [other, first], "the gates by source")
        try await bench.store.openGate(ofSource: "b")
        try await require(bench.store.gates(), is: [other], "the gates that are left")
    }

    @Test func `a newer gate replaces the older, except a sign-in or a longer wait`() async throws {
        let bench = try await StoreBench()
        try await bench.store.record(.offline(note: "no way out"), of: "a")
        let until = bench.time.now + .seconds(3_600)
        try await bench.store.record(.retryAfter(until: until, note: "429"), of: "a")
        try await bench.store.record(.retryAfter(until: bench.time.now + .seconds(60), note: "503"), of: "a")
        try await bench.store.record(.offline(note: "no way out"), of: "a")
        let patience = SourceGate(source: "a", reason: .retryAfter, until: until, note: "429")
        try await require(bench.store.gates(), is: [patience], "the gates")
        try await bench.store.record(.signIn(note: "401"), of: "a")
        try await bench.store.record(.offline(note: "no way out"), of: "a")
        try await bench.store.record(.retryAfter(until: until, note: "429"), of: "a")
        let signIn = SourceGate(source: "a", reason: .signIn, until: nil, note: "401")
        try await require(bench.store.gates(), is: [signIn], "the gates at last")
    }

    @Test func `an answer opens a gate, except after a requested wait`() async throws {
        let bench = try await StoreBench()
        let until = bench.time.now + .seconds(60)
        try await bench.store.record(.offline(note: "no way out"), of: "a")
        try await bench.store.record(.retryAfter(until: until, note: "429"), of: "b")
        for source in ["a", "b"] { try await bench.store.record(.answers, of: source) }
        try await require(bench.store.gates().map(\.source), is: ["b"], "the sources with a gate")
    }

    @Test func `after five failed tries in a row a source is left alone`() async throws {
        let bench = try await StoreBench()
        for _ in 1..<RetryRules.breakerLimit {
            try await bench.store.record(.failed, of: "a")
        }
        try await bench.store.record(.answers, of: "a")
        for _ in 1..<RetryRules.breakerLimit {
            try await bench.store.record(.failed, of: "a")
        }
        try await require(bench.store.gates(), is: [], "the gates after four")
        try await bench.store.record(.failed, of: "a")
        try await require(bench.store.gates().map(\.reason), is: [.breaker], "the gates after five")
    }

    @Test func `opening a gate that is not there changes nothing`() async throws {
        let bench = try await StoreBench()
        try await bench.store.openGate(ofSource: "nobody")
        try await require(bench.store.gates(), is: [], "the gates")
    }
}
