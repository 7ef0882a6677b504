// SPDX-License-Identifier: Apache-2.0
import SidingInspection
import SidingJSON
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// `/api` shows what the commands print with `--json`.
@Suite(.timeLimit(.minutes(5))) struct ServerRouteTests {
    private func filled() async throws -> ServiceBench {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        for number in 1...3 { _ = try await bench.write(to: "/notes/\(number)") }
        return bench
    }

    private func array(_ objects: [JSONObject]) -> String { "[\(objects.map(\.text).joined(separator: ",\n"))]\n" }

    @Test func `the status is that of siding status`() async throws {
        let bench = try await filled()
        try await bench.serving { client in
            let answer = try await client.get("/api/status")
            let overview = try await Overview.gather([bench.notes], bench.store, maxAge: nil, now: bench.time.now)
            #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
            #expect(answer.text == overview.object.text + "\n")
        }
    }

    @Test func `the queue and its entries are those of siding queue`() async throws {
        let bench = try await filled()
        let entries = try await bench.store.entries(QueueSelection())
        let held = entries[1]
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [held.id]))
        try await bench.serving { client in
            let all = try await bench.store.entries(QueueSelection())
            #expect(try await client.get("/api/queue").text == array(all.map { Shapes.entry($0) }))
            let first = array([Shapes.entry(all[0])])
            for query in ["limit=1", "id=\(all[0].id)", "state=queued&limit=1", "source=desk&limit=1"] {
                #expect(try await client.get("/api/queue?\(query)").text == first, "\(query)")
            }
            let parked = array([Shapes.entry(try await bench.entry(held.id))])
            for query in ["state=parked", "reason=held", "reason=held&reason=conflict"] {
                #expect(try await client.get("/api/queue?\(query)").text == parked, "\(query)")
            }
            for query in ["older_than=1h", "lane=none", "resource=notes", "state=done"] {
                #expect(try await client.get("/api/queue?\(query)").text == "[]\n", "\(query)")
            }
            let rest = array([Shapes.entry(all[2])])
            #expect(try await client.get("/api/queue?after=\(all[1].id)").text == rest)
            #expect(try await client.get("/api/queue?after=\(all[2].id)").text == "[]\n")
            let report = try await EntryReport.load(held.id, in: bench.store, now: bench.time.now)
            let entry = try await client.get("/api/queue/\(held.id)")
            #expect(entry.text == report.object.text + "\n")
            #expect(entry.text.contains(#""event":"held""#))
        }
    }

    @Test func `runs are those of siding runs`() async throws {
        let bench = try await filled()
        let runs = try await bench.store.runs(limit: 20)
        try #require(runs.count == 2)
        try await bench.serving { client in
            #expect(try await client.get("/api/runs").text == array(runs.map(Shapes.run)))
            #expect(try await client.get("/api/runs?limit=1").text == array([Shapes.run(runs[0])]))
            #expect(try await client.get("/api/runs?before=\(runs[0].id)").text == array([Shapes.run(runs[1])]))
            #expect(try await client.get("/api/runs?before=\(runs[1].id)").text == "[]\n")
            #expect(try await client.get("/api/runs/\(runs[1].id)").text == Shapes.run(runs[1]).text + "\n")
            let missing = try await client.get("/api/runs/99")
            #expect(missing.status == 404 && missing.text.contains("there is no run 99"))
        }
    }

    @Test func `records, their history and where they came from are those of siding records`() async throws {
        let bench = try await filled()
        let store = bench.store
        let records = try await store.records(of: "notes", after: nil, limit: 10, deleted: false)
        try #require(records.map(\.key) == ["a", "b", "c"])
        try await bench.serving { client in
            #expect(try await client.get("/api/records/notes").text == array(records.map { Shapes.record($0) }))
            #expect(
                try await client.get("/api/records/notes?limit=1&after=a").text == array([Shapes.record(records[1])]))
            #expect(try await client.get("/api/records/notes?deleted=true").text == "[]\n")
            #expect(try await client.get("/api/records/notes/a").text == Shapes.record(records[0]).text + "\n")
            let history = try #require(try await store.history(of: "notes", key: "a", limit: nil))
            #expect(history.versions.count == 2)
            #expect(
                try await client.get("/api/records/notes/a/history").text
                    == array(history.versions.map { Shapes.version($0, resource: "notes", key: "a") }))
            let provenance = try #require(try await store.provenance(of: "notes", key: "a"))
            #expect(
                try await client.get("/api/records/notes/a/why").text == ProvenanceShape.object(provenance).text + "\n")
            for path in ["notes/9", "notes/9/why", "notes/9/history", "none", "none/1"] {
                #expect(try await client.get("/api/records/\(path)").status == 404, "\(path)")
            }
        }
    }

    @Test func `a key may hold what separates parts of an address`() async throws {
        let bench = try await ServiceBench()
        bench.origin.set(#"[{"id":"a/b?c#d e%2Fö","title":"x"}]"#)
        _ = try await bench.siding.sync(bench.notes)
        try await bench.serving { client in
            let answer = try await client.get("/api/records/notes/a%2Fb%3Fc%23d%20e%252F%C3%B6")
            #expect(answer.status == 200 && answer.text.contains(#""key":"a/b?c#d e%2Fö""#))
        }
    }

    @Test func `a search finds what siding search finds`() async throws {
        let bench = try await filled()
        try await bench.serving { client in
            let found = try await RecordSearch(resource: "notes", text: .words("two words"), limit: 20)
                .find(in: bench.store)
            #expect(found.hits.map(\.match.record.key) == ["b"])
            for query in ["q=two+words", "q=words%20two", "q=two%20wor&form=prefix", "q=two+words&form=phrase"] {
                let answer = try await client.get("/api/search/notes?\(query)")
                #expect(answer.text.contains(#""key":"b""#) && answer.text.contains(#""match":true"#), "\(query)")
            }
            #expect(try await client.get("/api/search/notes?q=two+words").text == array(found.hits.map(\.object)))
            #expect(try await client.get("/api/search/notes?q=words+two&form=phrase").text == "[]\n")
            #expect(try await client.get("/api/search/notes?q=%22&form=query").status == 400)
            #expect(try await client.get("/api/search/notes").status == 400)
        }
    }

    @Test func `the quarantine is that of siding quarantine`() async throws {
        let bench = try await filled()
        let all = try await bench.store.quarantined(QuarantineSelection())
        let record = try #require(all.first)
        try await bench.serving { client in
            #expect(try await client.get("/api/quarantine").text == array(all.map { Shapes.quarantined($0) }))
            #expect(try await client.get("/api/quarantine?resource=none").text == "[]\n")
            #expect(try await client.get("/api/quarantine?after=99").status == 404)
            #expect(try await client.get("/api/quarantine?after=\(record.id)").text == "[]\n")
            let one = try await client.get("/api/quarantine/\(record.id)")
            #expect(one.text.hasPrefix(String(Shapes.quarantined(record).text.dropLast())))
            #expect(one.text.hasSuffix(#""body":{"id":"d","title":7}}"# + "\n"))
            #expect(try await client.get("/api/quarantine/99").status == 404)
        }
    }

    @Test(arguments: [
        "/api/status?x=1", "/api/queue?limit=0", "/api/queue?limit=1001", "/api/queue?limit=x",
        "/api/queue?limit=1&limit=2", "/api/queue?state=nowhere", "/api/queue?reason=none",
        "/api/queue?older_than=soon", "/api/runs/x", "/api/runs?after=1", "/api/quarantine/x",
        "/api/runs?before=x", "/api/quarantine?after=x", "/api/records/notes?limit=-1", "/api/search/notes?q=a&form=b",
    ])
    func `a parameter that means nothing is refused`(_ path: String) async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let answer = try await client.get(path)
            #expect(answer.status == 400 && answer.text.contains(#""name":"usage""#), "\(answer.text)")
        }
    }

    @Test(arguments: [
        "/api", "/api/none", "/api/status/x", "/api/queue/x/y/z", "/api/records", "/api/queue/nosuchentry", "/none",
        "/api/queue?resource=none", "/api/queue?source=none", "/api/queue?after=nosuchentry",
    ])
    func `an unknown path is not found`(_ path: String) async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client in
            let answer = try await client.get(path)
            #expect(answer.status == 404 && answer.text.contains(#""name":"not_found""#), "\(answer.text)")
        }
    }

    @Test func `pages, style and script are served`() async throws {
        let bench = try await filled()
        try await bench.serving { client in
            for (path, type) in [
                ("/", "text/html; charset=utf-8"), ("/queue", "text/html; charset=utf-8"),
                ("/style.css", "text/css; charset=utf-8"), ("/app.js", "text/javascript; charset=utf-8"),
            ] {
                let answer = try await client.get(path)
                #expect(answer.status == 200 && answer["Content-Type"] == type && !answer.body.isEmpty, "\(path)")
            }
        }
    }

    // MARK: Monitoring

    @Test func `a monitor sees whether the service works and whether the store answers`() async throws {
        let bench = try await ServiceBench()
        try await bench.serving { client async throws in
            #expect(try await client.get("/healthz").text == #"{"status":"ok"}"# + "\n")
            #expect(try await client.get("/readyz").text == #"{"status":"ok"}"# + "\n")
        }
        try await bench.serving(isLive: { false }) { client in
            let answer = try await client.get("/healthz")
            #expect(answer.status == 503 && answer.text.hasPrefix(#"{"status":"failed","reason":"#))
            await bench.store.close()
            #expect(try await client.get("/readyz").status == 503)
            #expect(try await client.get("/api/status").status >= 500)
        }
    }

    @Test func `a service that cannot store anything is alive but not ready, and its page says why`() async throws {
        let bench = try await ServiceBench()
        let failure = StoreError(.full, "/var/lib/x.db: the disk is full")
        try await bench.serving(storeFailure: { failure }) { client in
            #expect(try await client.get("/healthz").status == 200)
            let answer = try await client.get("/readyz")
            #expect(answer.status == 503)
            #expect(answer.text == #"{"status":"failed","reason":"nothing can be stored: full"}"# + "\n")
            let page = try await client.get("/").text
            #expect(page.contains("headline bad\">Nothing can be stored: /var/lib/x.db: the disk is full"))
        }
    }

    @Test func `the metrics are the figures of the store and those of the program`() async throws {
        let bench = try await filled()
        try await bench.serving { client in
            let answer = try await client.get("/metrics")
            #expect(answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            let figures = try await MetricsText.text(resources: [bench.notes], store: bench.store, now: bench.time.now)
            #expect(answer.text == figures + "further 1\n")
        }
    }
}
