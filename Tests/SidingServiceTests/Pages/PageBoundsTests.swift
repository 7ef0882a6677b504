// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// However much is stored, a page has at most 100 rows, and its links lead through the rest.
@Suite struct PageBoundsTests {
    /// The rows of the page at `address` and of those after it.
    private func walk(_ bench: ServiceBench, _ address: String) async throws -> [String] {
        var rows: [String] = []
        var next: String? = address
        while let address = next {
            let page = try await bench.shown(address)
            #expect(page.rowNames.count <= 100 && !page.rowNames.isEmpty, "\(address)")
            rows += page.rowNames
            next = page.all("a") { $0["rel"] == "next" }.first?["href"]
        }
        return rows
    }

    @Test func `all entries are reached, oldest first, filtered or not`() async throws {
        let bench = try await ServiceBench()
        for _ in 0..<120 { try await bench.write() }
        let entries = try await bench.store.entries(QueueSelection())
        #expect(try await walk(bench, "/queue") == entries.map(\.shortID))
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: entries.prefix(60).map(\.id)))
        #expect(try await walk(bench, "/queue?state=parked&source=desk") == entries.prefix(60).map(\.shortID))
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: entries.suffix(55).map(\.id)))
        #expect(try await walk(bench, "/queue?state=dropped") == entries.suffix(55).map(\.shortID))
    }

    @Test func `all records are reached by key`() async throws {
        let bench = try await ServiceBench()
        let keys = (0..<120).map { "key \($0 + 100)" }
        try await bench.sync("[\(keys.map { #"{"id":"\#($0)"}"# }.joined(separator: ","))]")
        #expect(try await walk(bench, "/records/notes") == keys)
        _ = try await bench.store.delete(RecordLookup(resource: "notes", keys: keys))
        #expect(try await walk(bench, "/records/notes?deleted=true") == keys)
    }

    @Test func `a search shows the best matches, and says that there are more`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync("[\((0..<60).map { #"{"id":"\#($0)","title":"same"}"# }.joined(separator: ","))]")
        let page = try await bench.shown("/records/notes?q=same")
        #expect(page.rowNames.count == 50 && page.text.contains("More records match; the best 50 are shown."))
    }

    @Test func `all runs are reached, newest first`() async throws {
        let bench = try await ServiceBench()
        for _ in 0..<70 {
            try await bench.store.endRun(bench.store.beginRun(command: "sync"), outcome: .saved)
        }
        #expect(try await walk(bench, "/runs") == (1...70).reversed().map(String.init))
    }

    @Test func `all quarantined records are reached, oldest first`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync(#"[{"id":"a","size":1}]"#)
        let wrong = (0..<120).map { #"{"id":"k\#($0)","size":"x"}"# }
        try await bench.sync("[\(wrong.joined(separator: ","))]")
        let records = try await bench.store.quarantined(QuarantineSelection())
        #expect(records.count == 120)
        #expect(try await walk(bench, "/quarantine?resource=notes") == records.map { String($0.id) })
    }

    @Test func `a long body is shown by its beginning`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync(#"[{"id":"a","text":"\#(String(repeating: "ä", count: 400_000))"}]"#)
        let page = try await bench.shown("/records/notes/a")
        #expect(page.text("pre").utf8.count <= 262_144 + 3 && page.text.contains("The beginning of 781"))
        #expect(try await bench.shown("/records/notes").html.utf8.count < 20_000)
    }
}
