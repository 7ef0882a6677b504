// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingTesting
import Testing

@testable import Siding
@testable import SidingInspection
@testable import SidingService

/// What each screen shows.
@Suite struct PageScreenTests {
    // MARK: Overview and runs

    @Test func `the overview reports that all is well, or the problem and its reason`() async throws {
        let bench = try await ServiceBench()
        #expect(try await bench.shown("/").text.contains("1 resource not synced: notes"))
        try await bench.sync(#"[{"id":"a"}]"#)
        var page = try await bench.shown("/")
        #expect(page.text.contains("Everything is up to date."))
        #expect(page.all("td") { $0["data-label"] == "State" }.map(\.text).first == "fresh")
        #expect(page.all("td") { $0["data-label"] == "Why" }.map(\.text) == [""])

        bench.time.advance(by: .seconds(7_200))
        #expect(try await bench.shown("/").text.contains("1 resource stale: notes"))

        bench.origin.set(.text("gone", status: .notFound))
        _ = try? await bench.siding.sync(bench.notes)
        page = try await bench.shown("/")
        #expect(page.text.contains("1 resource failing: notes"))
        let why = try #require(page.all("td") { $0["data-label"] == "Why" }.first?.text)
        #expect(why.hasPrefix("for ") && why.contains("404"), "\(why)")
    }

    @Test func `each resource has its syncs over time, with a gap and a mark where one failed`() async throws {
        let bench = try await ServiceBench()
        #expect(try await bench.shown("/").all("svg") { $0["role"] == "img" }.isEmpty)
        try await bench.syncTwice()
        bench.origin.set(.text("gone", status: .notFound))
        _ = try? await bench.siding.sync(bench.notes)
        bench.time.advance(by: .seconds(60))
        try await bench.sync(#"[{"id":"a","title":"again"},{"id":"b"},{"id":"c"}]"#)
        let page = try await bench.shown("/")
        let chart = page.all("svg") { $0["role"] == "img" }
        #expect(chart.count == 1)
        let summary = "4 syncs of notes since 4 min ago: at most 3 records changed; 1 failed, where the line has a gap."
        #expect(chart.first?["aria-label"] == summary)
        #expect(page.all("path") { $0["class"] == "line" }.count == 2)
        #expect(page.all("path") { $0["class"] == "fault" }.count == 1)
        let labels = page.all("title") { $0.ancestors.last == "rect" }.map(\.text)
        #expect(labels.count == 4 && labels[0] == "Run 1, 4 min ago, saved: 2 records changed", "\(labels)")
        #expect(labels[2].contains("failed: 0 records changed"))
        #expect(page.all("text").map(\.text) == ["3", "4 min ago", "now"])
        #expect(page.all("a") { $0["class"] == "spark" }.map { $0["href"] } == ["/runs?resource=notes"])
    }

    @Test func `the headline names what is parked, and leads there`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync("[]")
        var entries: [QueueEntry] = []
        for _ in 0..<4 {
            let entry = try await bench.write()
            try await bench.park(entry, .rejected, status: 422)
            entries.append(entry)
        }
        let page = try await bench.shown("/")
        let headline = page.all("p") { $0["class"]?.hasPrefix("headline") == true }
        #expect(headline.first?.text == "4 entries parked: POST /notes, POST /notes, POST /notes and 1 more")
        #expect(page.link("4 entries parked") == "/queue?state=parked")
        #expect(page.link("POST /notes") == "/queue/\(entries[0].id)")
    }

    @Test func `runs name the resources that they synced, without zeros, and are filtered by resource`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        try await bench.store.endRun(bench.store.beginRun(command: "sync"), outcome: .saved)
        var page = try await bench.shown("/runs")
        #expect(page.rowNames == ["3", "2", "1"])
        #expect(page.all("td") { $0["data-label"] == "Resources" }.map(\.text) == ["", "notes", "notes"])
        #expect(page.all("td") { $0["data-label"] == "New" }.map(\.text) == ["", "1", "2"])
        #expect(page.all("td") { $0["class"] == "number" }.allSatisfy { $0.text != "0" })
        page = try await bench.shown("/runs?resource=notes")
        #expect(page.rowNames == ["2", "1"])
        #expect(try await bench.shown("/runs?resource=other").rowNames == [])
    }

    @Test func `each page names the command that prints the same`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync(#"[{"id":"a"},{"id":"it's"},{"id":"-x"}]"#)
        let entry = try await bench.write()
        for (address, command) in [
            ("/", "siding status"), ("/runs", "siding runs list"), ("/runs/1", "siding runs show 1"),
            ("/queue", "siding queue list"), ("/queue/\(entry.id)", "siding queue show \(entry.shortID)"),
            ("/records", "siding status"), ("/records/notes", "siding records list notes"),
            ("/records/notes?q=two+words", "siding search notes 'two words'"),
            ("/records/notes/a", "siding records get notes a"),
            ("/records/notes/it%27s", #"siding records get notes 'it'\''s'"#),
            ("/records/notes/-x", "siding records get notes -- -x"), ("/quarantine", "siding quarantine list"),
        ] {
            let code = try await bench.shown(address).all("code") { $0.ancestors.contains("footer") }
            #expect(code.map(\.text) == [command], "\(address)")
        }
    }

    @Test func `a run shows what it did to each resource`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let page = try await bench.shown("/runs/2")
        #expect(page.text("h1") == "Run 2" && page.link("notes") == "/records/notes")
        let numbers = zip(page.all("dt").map(\.text), page.all("dd").map(\.text)).map { "\($0) \($1)" }
        #expect(Set(numbers).isSuperset(of: ["inserted 1", "updated 1", "unchanged 1", "quarantined 1"]), "\(numbers)")
    }

    // MARK: Queue

    @Test func `the queue is filtered by state, reason, source, resource and age`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let old = try await bench.write()
        try await bench.park(old, .rejected, status: 422)
        bench.time.advance(by: .seconds(7_200))
        let edit = try await bench.edit("a", "mine")
        let cases: [(query: String, found: [QueueEntry])] = [
            ("", [old, edit]), ("?state=parked", [old]), ("?state=queued", [edit]), ("?reason=rejected", [old]),
            ("?reason=conflict", []), ("?older=1h", [old]), ("?older=1d", []), ("?resource=notes", [edit]),
            ("?source=desk", [old, edit]), ("?source=else", []), ("?state=done", []),
            ("?state=parked&reason=rejected&older=1h&source=desk", [old]),
        ]
        for (query, found) in cases {
            let page = try await bench.shown("/queue\(query)")
            #expect(page.rowNames == found.map(\.shortID), "\(query)")
            let chosen = page.all("option") { $0["selected"] != nil }.compactMap { $0["value"] }.filter { !$0.isEmpty }
            #expect(chosen.count == query.split(separator: "&").count, "\(query): \(chosen)")
        }
    }

    @Test(
        arguments: [
            ("/queue?state=lost", "'lost' is no 'state'", "it may be: queued, sending, "),
            ("/queue?older=soon", "'soon' is no 'older'", "it may be: 1h, 1d, 7d, 30d"),
            ("/queue?state=done&state=queued", "'state' may be given once", nil),
            ("/runs?before=x", "'before' is a number, not 'x'", nil),
            ("/quarantine?after=1.5", "'after' is a number, not '1.5'", nil),
            ("/records/notes?deleted=maybe", "'deleted' is true or false", nil),
            ("/records/notes?page=0", "'page' is a number from 1 to 200", "a filter finds "),
            ("/records/notes?page=201", "'page' is a number from 1 to 200", "a filter finds "),
            ("/records/notes?order=up", "'up' is no 'order'", "it may be: asc, desc"),
            ("/records/notes?match=like", "'like' is no 'match'", "it may be: equals, contains"),
            ("/queue/drop", "the address names 1 to 50 entries", nil),
            ("/queue/x/resolve", "'how' is missing", "it may be: mine, theirs, merge, arrived"),
            ("/queue/x/resolve?how=ours", "'ours' is no 'how'", "it may be: mine, theirs, merge, arrived"),
        ] as [(String, String, String?)])
    func `a parameter that means nothing is refused`(_ address: String, _ message: String, _ hint: String?)
        async throws
    {
        let bench = try await ServiceBench()
        try await bench.sync("[]")
        let refusal = await #expect(throws: ServiceProblem.self) { try await bench.shown(address) }
        let problem = try #require(refusal)
        #expect(problem.status == .badRequest && problem.message == message)
        #expect(hint.map { problem.hint?.hasPrefix($0) == true } ?? (problem.hint == nil), "\(problem.hint ?? "")")
    }

    @Test(arguments: ["/queue?after=gone", "/quarantine?after=99"])
    func `a page after a deleted entry or record is an error, not an empty page`(_ address: String) async throws {
        let bench = try await ServiceBench()
        _ = try await bench.write()
        let refusal = await #expect(throws: StoreError.self) { try await bench.shown(address) }
        #expect(refusal?.kind == .notFound)
    }

    @Test func `an entry shows why it waits, its request, its answer and its history`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write(#"{"title":"new"}"#, fields: [.contentType: "application/json"])
        try await bench.park(entry, .rejected, status: 422, answer: "<b>no</b>")
        let page = try await bench.shown("/queue/\(entry.id)")
        #expect(page.text.contains("the origin refused it, and would refuse the same request again."))
        #expect(page.text.contains("POST https://desk.test/notes") && page.text.contains("application/json"))
        #expect(page.all("pre").map(\.text) == ["{\n  \"title\": \"new\"\n}", "<b>no</b>"])
        let events = page.all("td") { $0["data-label"] == "What" }.map(\.text)
        #expect(events == (try await bench.store.history(of: entry.id)).map(\.event.rawValue))
        #expect(try await bench.shown("/queue/\(entry.shortID)").text("h1") == "Entry \(entry.shortID) POST /notes")
        await #expect(throws: (any Error).self) { try await bench.shown("/queue/zzzzzzzz") }
    }

    @Test func `an entry offers the actions that the store allows`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        func offered(_ entry: QueueEntry) async throws -> [String] {
            let page = try await bench.shown("/queue/\(entry.id)")
            let isAction = { (element: ParsedPage.Element) in element.ancestors.contains("li") }
            let actions = page.elements.filter { element in
                isAction(element) && (element.name == "button" || element["class"]?.hasPrefix("button") == true)
            }
            // One at most is the usual one, and each is explained.
            #expect(actions.count { $0["class"]?.contains("primary") == true } == (actions.isEmpty ? 0 : 1))
            #expect(actions.isEmpty || actions[0]["class"]?.contains("primary") == true)
            let effects = page.all("span") { $0.ancestors.last == "li" }.map(\.text)
            #expect(effects.count == actions.count && effects.allSatisfy { $0.hasSuffix(".") }, "\(effects)")
            // Next speaks of what the page has.
            let next = page.all("p") { $0.text.hasPrefix("Next:") }.first?.text ?? ""
            #expect(!next.contains("siding "), "\(next)")
            return actions.map(\.text)
        }
        let entry = try await bench.edit("a", "mine")
        #expect(try await offered(entry) == ["Try now", "Hold", "Drop…"])
        try await bench.park(entry, .conflict)
        #expect(try await offered(entry) == ["Merge…", "Send mine…", "Keep theirs…", "Try now", "Drop…"])
        let held = try await bench.write()
        _ = try await bench.store.perform(.hold, on: QueueSelection(ids: [held.id]))
        #expect(try await offered(held) == ["Release", "Try now", "Drop…"])
        let doubtful = try await bench.write()
        try await bench.park(doubtful, .uncertain)
        #expect(try await offered(doubtful) == ["It has arrived…", "Try now", "Drop…"])
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [doubtful.id]))
        #expect(try await offered(doubtful) == [])
    }

    @Test(arguments: ["drop", "resolve?how=mine", "resolve?how=theirs", "resolve?how=merge"])
    func `a decision shows first what it would do, and changes nothing`(_ decision: String) async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let entry = try await bench.edit("a", "mine")
        try await bench.park(entry, .conflict)
        let before = try await bench.entry(entry.id)
        let page = try await bench.shown("/queue/\(entry.id)/\(decision)")
        #expect(try await bench.entry(entry.id) == before)
        let form = try #require(page.all("form").first)
        #expect(form["action"] == "/queue/\(entry.id)/\(decision.prefix { $0 != "?" })" && form["method"] == "post")
        #expect(!page.text.contains("refused"), "\(page.text)")
        #expect(page.link("Do nothing") == "/queue/\(entry.id)")
        let how = page.all("input") { $0["name"] == "how" }.first?["value"]
        #expect(how == decision.split(separator: "=").dropFirst().last.map(String.init))
        #expect(page.all("textarea").map { $0["name"] } == (how == "merge" ? ["record"] : []))
    }

    @Test func `an action that the store would refuse says so`() async throws {
        let bench = try await ServiceBench()
        let entry = try await bench.write()
        let page = try await bench.shown("/queue/\(entry.id)/resolve?how=mine")
        #expect(page.text.contains("this would be refused: it is not in a conflict"))
    }

    @Test func `a conflict shows base, mine and theirs of each member`() async throws {
        let bench = try await ServiceBench()
        try await bench.sync(#"[{"id":"a","title":"base","size":1}]"#)
        let entry = try await bench.edit("a", "mine")
        try await bench.sync(#"[{"id":"a","title":"theirs","size":2}]"#)
        let page = try await bench.shown("/queue/\(entry.id)")
        let row = page.all("tr") { $0["class"] == "conflict" }
        #expect(row.map(\.text) == [#"$.title conflict"base""mine""theirs""#])
        #expect(page.text.contains("conflict"))
    }

    // MARK: Records

    @Test func `a record shows its origin and its changes`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let page = try await bench.shown("/records/notes/a")
        #expect(page.text("pre") == "{\n  \"id\": \"a\",\n  \"title\": \"changed\"\n}")
        #expect(page.text.contains("GET https://desk.test/notes"))
        #expect(page.links.contains("/runs/2"))
        #expect(page.text("h1") == "notes a")
        #expect(page.text("del") == #""first""# && page.text("ins") == #""changed""#)
        #expect(page.all("td") { $0["data-label"] == "Change" }.map(\.text) == ["updated", "inserted"])
        #expect(page.all("table").count == 1)
        await #expect(throws: NotFound.self) { try await bench.shown("/records/notes/zzz") }
        await #expect(throws: (any Error).self) { try await bench.shown("/records/others") }
    }

    @Test func `a search marks what it found`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let page = try await bench.shown("/records/notes?q=words")
        #expect(page.rowNames == ["b"] && page.all("mark").map(\.text) == ["words"])
        #expect(page.all("input") { $0["name"] == "q" }.first?["value"] == "words")
        let nothing = try await bench.shown("/records/notes?q=nothing")
        #expect(nothing.rowNames == [] && nothing.text.contains("no record of 'notes' matches"))
    }

    @Test func `deleted records are listed apart`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        _ = try await bench.store.delete(RecordLookup(resource: "notes", keys: ["b"]))
        #expect(try await bench.shown("/records/notes").rowNames == ["a", "c"])
        #expect(try await bench.shown("/records/notes?deleted=true").rowNames == ["b"])
        #expect(try await bench.shown("/records/notes/b").text.contains("deleted"))
    }

    @Test func `a quarantined record shows its reason, its bytes and its actions`() async throws {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        let record = try #require(try await bench.store.quarantined(QuarantineSelection()).first)
        #expect(try await bench.shown("/quarantine").rowNames == [String(record.id)])
        #expect(try await bench.shown("/quarantine?resource=notes").rowNames == [String(record.id)])
        #expect(try await bench.shown("/quarantine?resource=other").rowNames == [])
        let page = try await bench.shown("/quarantine/\(record.id)")
        #expect(page.text.contains(record.reason) && page.text("pre").contains(#""title": 7"#))
        #expect(page.all("form").map { $0["action"] } == ["/quarantine/\(record.id)/retry"])
        let confirm = try await bench.shown("/quarantine/\(record.id)/drop")
        #expect(confirm.all("form").map { $0["action"] } == ["/quarantine/\(record.id)/drop"])
        #expect(try await bench.store.quarantined(QuarantineSelection()).count == 1)
    }

    @Test(arguments: [
        "/nothing", "/runs/1/2", "/queue/abcd/hold", "/queue/abcd/drop/now", "/records/a/b/c", "/quarantine/1/retry",
    ])
    func `other addresses are not pages`(_ address: String) async throws {
        let problem = await #expect(throws: ServiceProblem.self) { try await ServiceBench().shown(address) }
        #expect(problem?.status == .notFound)
    }

    @Test func `the result of an action is shown on the page after it`() async throws {
        let bench = try await ServiceBench()
        let notice = try await bench.shown("/queue", done: "held <b>").all("p") { $0["role"] == "status" }
        #expect(notice.map(\.text) == ["held <b>"])
        #expect(try await bench.shown("/queue").all("p") { $0["role"] == "status" }.isEmpty)
    }
}
