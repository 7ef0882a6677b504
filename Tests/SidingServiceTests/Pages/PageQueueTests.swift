// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// The list of entries, and what it does with several at once.
@Suite struct PageQueueTests {
    @Test func `a row names the write, and the request without its host`() async throws {
        let bench = try await ServiceBench()
        let write = try await bench.write(to: "/notes/7?x=1")
        let page = try await bench.shown("/queue")
        #expect(page.all("td") { $0["data-label"] == "Request" }.map(\.text) == ["POST /notes/7?x=1"])
        let code = page.all("code") { $0["class"] == "url" }
        #expect(code.map { $0["title"] } == ["desk: https://desk.test/notes/7?x=1"])
        var named = write
        (named.operation, named.recordKey) = ("tasks.update", "11")
        #expect(EntrySubject.text(named) == "tasks.update 11")
        named.kind = .fetch
        (named.resource, named.pageNumber) = ("notes", 3)
        #expect(EntrySubject.text(named) == "page 3 of notes")
        named.url = "https://desk.test"
        #expect(EntrySubject.request(named) == "POST /")
    }

    @Test func `entries parked for one reason have actions for all of a page`() async throws {
        let bench = try await ServiceBench()
        var ids: [String] = []
        for _ in 0..<3 {
            let entry = try await bench.write()
            try await bench.park(entry, .rejected, status: 422)
            ids.append(entry.id)
        }
        try await bench.park(try await bench.write(), .uncertain)
        func bulk(_ page: ParsedPage) -> (forms: [String], ids: [String]) {
            let forms = page.all("form") { $0.ancestors.contains("div") }
            let named = page.all("input") { $0["name"] == "id" }.compactMap { $0["value"] }
            return (forms.compactMap { $0["action"] }, named)
        }
        #expect(bulk(try await bench.shown("/queue")).forms == [])
        let parked = try await bench.shown("/queue?state=parked")
        #expect(bulk(parked).forms == [] && parked.text.contains("Choose a reason"))
        let rejected = bulk(try await bench.shown("/queue?reason=rejected"))
        #expect(rejected.forms == ["/queue/retry", "/queue/drop"] && rejected.ids == ids + ids)
        // Whether to send again what may have arrived is decided for each.
        let uncertain = try await bench.shown("/queue?reason=uncertain")
        #expect(bulk(uncertain).forms == ["/queue/drop"] && uncertain.text.contains("1 entry may have arrived"))
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [try await bench.write().id]))
        #expect(bulk(try await bench.shown("/queue?reason=held")).forms == ["/queue/release", "/queue/drop"])
    }

    @Test func `a drop of several shows first which`() async throws {
        let bench = try await ServiceBench()
        let (one, two) = (try await bench.write(), try await bench.write())
        try await bench.park(one, .rejected, status: 422)
        let page = try await bench.shown("/queue/drop?id=\(one.id)&id=\(two.id)")
        #expect(page.text("h1") == "Drop: 1 entry?")
        #expect(page.all("input") { $0["name"] == "id" }.map { $0["value"] } == [one.id])
        #expect(page.link("POST /notes") == "/queue/\(one.id)")
        #expect(page.all("form").map { $0["action"] } == ["/queue/drop"])
        #expect(try await bench.entry(one.id).state == .parked)
    }
}
