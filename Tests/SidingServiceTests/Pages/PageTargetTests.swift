// SPDX-License-Identifier: Apache-2.0
import SidingChain
import SidingInspection
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// The targets of `publish:` on the first page, in `/api/status` and in `/metrics`.
@Suite(.timeLimit(.minutes(5))) struct PageTargetTests {
    private static let target = PublishedTarget("fleet", station: "van-1", resources: ["notes"])

    private func end(_ bench: ServiceBench, _ error: RecordedError?, _ notes: RecordedError? = nil) async throws {
        var outcome = Publication.Outcome()
        (outcome.error, outcome.resources) = (error, ["notes": notes])
        try await bench.store.note(outcome, of: "van-1", to: "fleet")
    }

    private func cells(_ page: ParsedPage, _ label: String) -> String? {
        page.all("td") { $0["data-label"] == label }.last?.text
    }

    @Test func `the first page shows how far a target is behind, and why`() async throws {
        let bench = try await ServiceBench(targets: [Self.target])
        try await bench.sync(#"[{"id":"a"},{"id":"b"}]"#)
        var page = try await bench.shown("/")
        #expect(page.text.contains("Everything is up to date."))
        #expect(page.all("h2").map(\.text) == ["Resources", "Queue", "Targets", "This machine"])
        #expect(cells(page, "State") == "not published" && cells(page, "Behind") == "2")
        #expect(cells(page, "Published") == "never")

        try await end(bench, RecordedError(name: Publication.unavailable, message: "no route to <hub>"))
        bench.time.advance(by: .seconds(120))
        page = try await bench.shown("/")
        #expect(page.text.contains("1 target waiting: fleet"))
        #expect(cells(page, "State") == "waiting" && cells(page, "Why") == "waiting for 2 min: no route to <hub>")

        try await end(bench, nil, RecordedError(name: "foreign", message: "another file"))
        page = try await bench.shown("/")
        #expect(page.text.contains("1 target failing: fleet"))
        #expect(cells(page, "Why") == "notes: failing for 0 ms: another file")
    }

    @Test func `without targets the page has no such section`() async throws {
        let bench = try await ServiceBench()
        #expect(try await bench.shown("/").all("h2").map(\.text) == ["Resources", "Queue", "This machine"])
    }

    @Test func `programs get the targets as siding status prints them`() async throws {
        let bench = try await ServiceBench(targets: [Self.target])
        try await bench.sync(#"[{"id":"a"},{"id":"b"}]"#)
        try await end(bench, RecordedError(name: Publication.unavailable, message: "no route"))
        try await bench.serving { client in
            let overview = try await Overview.gather(
                [bench.notes], targets: [Self.target], bench.store, maxAge: nil, now: bench.time.now)
            let status = try await client.get("/api/status").text
            #expect(status == overview.object.text + "\n")
            #expect(status.contains(#""targets":[{"target":"fleet","station":"van-1","behind":2,"failing_since":"#))
            let metrics = try await client.get("/metrics").text
            #expect(metrics.contains("\nsiding_publish_behind_records{target=\"fleet\"} 2\n"))
            #expect(metrics.contains("\nsiding_publish_failing{target=\"fleet\"} 1\n"))
        }
    }
}
