import HTTPTypes
import SidingChain
import SidingJSON
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What proves that records are gone, and what does not.
@Suite struct AbsenceTests {
    @Test func `without a word in the config nothing is ever deleted`() async throws {
        let bench = try await EngineBench.listed { $0.deletions = Deletions() }
        bench.list("[1]")
        for _ in 0..<3 { #expect(try await bench.sync().line.counters.deleted == 0) }
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
    }

    @Test func `what two complete listings in succession lack is gone, with its body and its run`()
        async throws
    {
        let bench = try await EngineBench.listed()
        bench.list("[1]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == ["2"])
        let report = try await bench.sync()
        #expect(report.line.counters.deleted == 1)
        #expect(try await bench.tombstones() == ["2"])
        #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == [])
        let tombstone = try #require(try await bench.store.record(of: "posts", key: "2"))
        #expect(String(decoding: tombstone.body, as: UTF8.self) == #"{"id":2}"#)
        let run = try await bench.lastRun()
        #expect(tombstone.run == run.id)
        #expect(run.resources.first?.counters.deleted == 1)
        #expect(try await bench.sync().line.counters.deleted == 0)
    }

    @Test func `a record that comes back lives again`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.list("[1]")
        #expect(try await bench.sync().line.counters.deleted == 1)
        bench.list("[1,2]")
        #expect(try await bench.sync().line.counters.updated == 1)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        bench.list("[1]")
        #expect(try await bench.sync().line.counters.deleted == 1)
    }

    @Test func `a record that only moved to another page is not gone`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.list("[4,5]", "[1,2]", "[3]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.sync().line.counters.deleted == 0)
    }

    @Test func `lacking it twice with a look at it between is not in succession`() async throws {
        let bench = try await EngineBench.listed()
        for page in ["[1]", "[1,2]", "[1]"] {
            bench.list(page)
            #expect(try await bench.sync().line.counters.deleted == 0)
        }
        #expect(try await bench.sync().line.counters.deleted == 1)
    }

    @Test func `a single page has to lack a record twice, too`() async throws {
        let bench = try await EngineBench.listed { $0.deletions.most = 0.8 }
        // The first page has lost its next one, so its listing does not count.
        for (page, deleted) in [("[1,2]", 0), ("[1,2]", 0), ("[1,2]", 3), ("[1]", 0), ("[1]", 1)] {
            bench.origin.set("/posts", ScriptedOrigin.page(page))
            #expect(try await bench.sync().line.counters.deleted == deleted)
        }
    }

    @Test func `an interrupted listing does not count`() async throws {
        let bench = try await EngineBench.listed()
        for _ in 0..<2 {
            bench.list("[1]")
            bench.origin.set("/posts?page=2", .failure(Failure(.connectionLost, phase: .maybeSent)))
            #expect(try await bench.sync().line.outcome == .queued)
            bench.list("[1]")
            #expect(try await bench.sync().line.counters.deleted == 0)
            #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == [])
        }
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.sync().line.counters.deleted == 1)
    }

    @Test func `where records move between pages, three listings have to lack a record`() async throws {
        let bench = try await EngineBench.listed()
        // The newest change comes first: a record that is touched while page 1 was read already is on no page.
        bench.list("[5]", "[1,3]", "[4]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        bench.list("[4]", "[5,1]", "[3]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        bench.list("[2]", "[4,5]", "[1,3]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        for (page, deleted) in [("[5]", 0), ("[4]", 0), ("[3]", 1)] {
            let others = ["1", "3", "4", "5"].filter { page != "[\($0)]" }
            bench.list(page, "[\(others[0]),\(others[1])]", "[\(others[2])]")
            #expect(try await bench.sync().line.counters.deleted == deleted)
        }
        bench.list("[3]", "[1,4]", "[]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.sync().line.counters.deleted == 1)
        #expect(try await bench.keys() == ["1", "3", "4"])
    }

    /// What says no more than when the newest record of a page changed.
    @Test func `a date alone confirms no page whose records are counted`() async throws {
        let date = "Mon, 13 Nov 2023 22:13:20 GMT"
        let fields: HTTPFields = [.contentType: "application/json", .lastModified: date]
        var bench = try await EngineBench(ScriptedOrigin(["/posts": .text(#"[{"id":1}]"#, headerFields: fields)]))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        _ = try await bench.sync()
        #expect(bench.origin.takeRequests().map { $0.headerFields[.ifModifiedSince] } == [date])
        // With 'auto' a single page is asked for whole in any case.
        bench.resource.paging = .linkHeader
        bench.resource.deletions = Deletions(byAbsence: true)
        for _ in 0..<2 { _ = try await bench.sync() }
        #expect(bench.origin.takeRequests().allSatisfy { $0.headerFields[.ifModifiedSince] == nil })
        let tagged: HTTPFields = [.contentType: "application/json", .lastModified: date, .eTag: "\"a\""]
        bench.origin.set("/posts", .text(#"[{"id":1}]"#, headerFields: tagged))
        for _ in 0..<2 { _ = try await bench.sync() }
        let last = try #require(bench.origin.takeRequests().last?.headerFields)
        #expect(last[.ifNoneMatch] == "\"a\"" && last[.ifModifiedSince] == nil)
    }

    @Test func `a record taken in from the quarantine is looked for like the others`() async throws {
        let page = #"[{"id":1,"n":1},{"id":2,"n":2},{"id":3,"n":"x"}]"#
        var bench = try await EngineBench(ScriptedOrigin(["/posts": .text(page)]))
        bench.resource.deletions = Deletions(byAbsence: true)
        bench.resource.schema.columns = [RecordColumn("n", .integer, at: JSONPath(member: "n"))]
        bench.resource.schema.contract = RecordContract(typeChange: .quarantine)
        _ = try await bench.sync()
        bench.resource.schema = RecordSchema()
        let store = bench.store
        _ = try await store.retryQuarantined(QuarantineSelection(), as: [bench.resource])
        #expect(try await bench.keys() == ["1", "2", "3"])
        bench.origin.set("/posts", .text(#"[{"id":1,"n":1},{"id":2,"n":2}]"#))
        for _ in 0..<4 { _ = try await bench.sync() }
        #expect(try await bench.keys() == ["1", "2"])
    }

    @Test func `a record without a key may be any, so its listing proves nothing`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.origin.set("/posts", .text(#"[{"id":1},{"no":2}]"#, headerFields: link("/posts?page=2")))
        for _ in 0..<3 { #expect(try await bench.sync().line.counters.deleted == 0) }
        bench.list("[1]")
        #expect(try await bench.sync().line.counters.deleted == 1)
    }

    @Test func `a record that broke its contract is there all the same`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.origin.set("/posts", .text(#"[{"id":1},{"id":"2"}]"#, headerFields: link("/posts?page=2")))
        for _ in 0..<3 { #expect(try await bench.sync().line.counters.deleted == 0) }
        #expect(try await bench.keys().count == 5)
    }

    private func link(_ next: String) -> HTTPFields {
        [.contentType: "application/json", HTTPField.Name("Link")!: "<\(next)>; rel=\"next\""]
    }

    @Test func `too many at once are left until a person accepts it, also where every page answers 304`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": page(1...30)]))
        var changed = bench
        changed.resource.deletions = Deletions(byAbsence: true)
        for _ in 0..<2 { _ = try await changed.sync() }
        bench.origin.set("/posts", page(1...12))
        #expect(try await changed.sync().line.counters.withheld == 0)
        let report = try await changed.sync()
        #expect(report.line.counters.withheld == 18)
        #expect(report.line.counters.deleted == 0)
        #expect(report.warnings.contains { $0.contains("18 records") && $0.contains("13, 14, 15, 16, 17, …") })
        #expect(try await changed.lastRun().resources.first?.counters.withheld == 18)
        bench.origin.set("/posts", .status(.notModified))
        #expect(try await changed.sync().line.counters.withheld == 18)
        var options = SyncOptions()
        options.acceptsDeletes = true
        let accepted = try await changed.sync(options)
        #expect(accepted.line.counters.deleted == 18)
        #expect(accepted.line.outcome == .saved)
        #expect(try await changed.sync().line.outcome == .notModified)
        #expect(try await bench.keys().count == 12)
        let run = try await bench.store.runs(limit: 2)[1].id
        #expect(try await bench.store.undelete(run) == ["posts": 18])
        #expect(try await bench.store.undelete(run) == [:])
        #expect(try await bench.keys().count == 30)
        // A person's word stands.
        for _ in 0..<2 { #expect(try await changed.sync().line.counters.withheld == 0) }
        #expect(try await bench.keys().count == 30)
    }

    private func page(_ ids: ClosedRange<Int>) -> ScriptedAnswer {
        ScriptedOrigin.page("[\(ids.map(String.init).joined(separator: ","))]", etag: "\"\(ids.upperBound)\"")
    }

    @Test func `an origin that shows nothing any more deletes nothing, however few there were`() async throws {
        let bench = try await EngineBench(ScriptedOrigin(["/posts": ScriptedOrigin.page("[1]")]))
        var changed = bench
        changed.resource.deletions = Deletions(byAbsence: true, most: 1)
        for _ in 0..<2 { _ = try await changed.sync() }
        bench.origin.set("/posts", ScriptedOrigin.page("[]"))
        for withheld in [0, 1] { #expect(try await changed.sync().line.counters.withheld == withheld) }
        #expect(try await bench.keys() == ["1"])
    }

    @Test func `what was stored before anybody cared is looked for, too`() async throws {
        var bench = try await EngineBench.listed(isStable: true) { $0.deletions = Deletions() }
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: #""x""#))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        bench.resource.deletions = Deletions(byAbsence: true)
        // The first complete listing since then deletes nothing.
        for deleted in [0, 1] { #expect(try await bench.sync().line.counters.deleted == deleted) }
        #expect(try await bench.tombstones() == ["2"])
        bench.resource.deletions = Deletions()
        bench.list("[9]")
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["1", "3", "4", "5", "9"])
    }

    @Test func `a record that a program saved stays until a page shows it and a later one lacks it`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let bytes = Array(#"[{"id":77}]"#.utf8)
        let slices = try bytes.withUnsafeBytes { page in
            try PageReader(records: nil, key: [JSONPath(member: "id")]).read(page).records
        }
        _ = try await bench.store.apply(
            RecordChanges(
                resource: "posts", source: "blog", definition: ResourceDefinition(bench.resource), bytes: bytes,
                rows: slices.map { .init(slice: $0, expectation: .anything) }))
        bench.list("[1]")
        #expect(try await bench.sync().line.counters.deleted == 1)
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "3", "4", "5", "77"])
        bench.list("[1,77]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        bench.list("[1]")
        #expect(try await bench.sync().line.counters.deleted == 1)
        #expect(try await bench.keys() == ["1", "3", "4", "5"])
    }

    @Test(arguments: [true, false])
    func `an own create stays until a page shows it and a later one lacks it, or until two listings lack it`(
        isShown: Bool
    ) async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let store = bench.store
        _ = try await store.enqueue(
            WriteRequest(
                to: "blog", .post, try HTTPURL("https://api.example.org/posts"), body: Array(#"{"id":6}"#.utf8),
                edit: WriteEdit(.create, of: bench.resource)))
        let write = try #require(try await store.claim(ClaimRequest(sources: ["blog": 9], passesGates: true)))
        _ = try await store.settle(write, WriteSettlement(.answered(#"{"id":6}"#, status: 201), .nothing))
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5", "6"])
        bench.list(isShown ? "[1,2,6]" : "[1,2]")
        #expect(try await bench.sync().line.counters.deleted == (isShown ? 0 : 1))
        bench.list("[1,2]")
        #expect(try await bench.sync().line.counters.deleted == (isShown ? 1 : 0))
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
    }

    @Test func `a record whose own delete was dropped is missing like any other`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let entry = try await bench.store.enqueue(
            WriteRequest(
                to: "blog", .delete, try HTTPURL("https://api.example.org/posts/2"),
                edit: WriteEdit(.delete, of: bench.resource, key: "2")))
        bench.list("[1]")
        #expect(try await bench.sync().line.counters.deleted == 0)
        _ = try await bench.store.perform(.drop, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().line.counters.deleted == 0)
        #expect(try await bench.sync().line.counters.deleted == 1)
        #expect(try await bench.keys() == ["1", "3", "4", "5"])
    }

    @Test func `a record written after the listing began is not absent from it`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.list("[1,2]")
        bench.origin.set("/posts?page=2", .failure(Failure(.connectionLost, phase: .maybeSent)))
        #expect(try await bench.sync().line.outcome == .queued)
        bench.time.advance(by: .seconds(60))
        // 6 is in no page that this listing still asks for.
        bench.origin.set("/posts", ScriptedOrigin.page("[6]"))
        #expect(try await bench.sync(SyncOptions(limit: 1)).line.counters.inserted == 1)
        bench.list("[1,2,6]")
        for _ in 0..<3 { #expect(try await bench.sync().line.counters.deleted == 0) }
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5", "6"])
    }

    @Test func `what edits lie on stays until they are settled`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        let store = bench.store
        let edit = WriteEdit(.merge, of: bench.resource, key: "2")
        let entry = try await store.enqueue(
            WriteRequest(
                to: "blog", .patch, try HTTPURL("https://api.example.org/posts/2"), body: Array(#"{"x":1}"#.utf8),
                edit: edit))
        bench.list("[1]")
        for _ in 0..<2 { #expect(try await bench.sync().line.counters.deleted == 0) }
        _ = try await store.perform(.drop, on: QueueSelection(ids: [entry.id]))
        #expect(try await bench.sync().line.counters.deleted == 1)
        #expect(try await bench.tombstones() == ["2"])
    }

    @Test func `the origin's own mark deletes at once, however many, and its end revives`() async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": .text(Self.marked("null", "null"))]))
        bench.resource.deletions = Deletions(mark: DeletionMark(try JSONPath(parsing: "$.gone")))
        #expect(try await bench.sync().line.counters.inserted == 2)
        bench.origin.set("/posts", .text(Self.marked("1", "true")))
        let report = try await bench.sync()
        #expect(report.line.counters.deleted == 2)
        #expect(try await bench.tombstones() == ["1", "2"])
        #expect(try await bench.sync().line.counters.unchanged == 2)
        bench.origin.set("/posts", .text(Self.marked("false", "true")))
        #expect(try await bench.sync().line.counters.updated == 1)
        #expect(try await bench.keys() == ["1"])
        #expect(try await bench.sync(SyncOptions(limit: 1)).line.counters.unchanged == 1)
    }

    @Test func `what was never seen alive is no deletion, and is not brought to life`() async throws {
        var bench = try await EngineBench(ScriptedOrigin(["/posts": .text(Self.marked("null", "1"))]))
        bench.resource.deletions = Deletions(mark: DeletionMark(try JSONPath(parsing: "$.gone")))
        let report = try await bench.sync()
        #expect(report.line.counters.inserted == 1 && report.line.counters.deleted == 0)
        #expect(try await bench.tombstones() == ["2"])
        #expect(try await bench.store.undelete(bench.lastRun().id) == [:])
        #expect(try await bench.keys() == ["1"])
        bench.origin.set("/posts", .text(Self.marked("null", "null")))
        #expect(try await bench.sync().line.counters.updated == 1)
        #expect(try await bench.keys() == ["1", "2"])
    }

    private static func marked(_ first: String, _ second: String) -> String {
        #"[{"id":1,"gone":\#(first)},{"id":2,"gone":\#(second)}]"#
    }

    @Test func `a mark is a value that says something, or the one that is told`() throws {
        let path = try JSONPath(parsing: "$.a")
        func marks(_ json: String, _ equals: String? = nil) -> Bool {
            Array(json.utf8).withUnsafeBytes { DeletionMark(path, equals: equals).marks($0) }
        }
        for json in [#"{"a":null}"#, #"{"a":false}"#, #"{"a":0}"#, #"{"a":""}"#, "{}", "7"] { #expect(!marks(json)) }
        for json in [#"{"a":true}"#, #"{"a":1}"#, #"{"a":"2024"}"#, #"{"a":{}}"#] { #expect(marks(json)) }
        #expect(marks(#"{"a":"gone"}"#, "gone") && marks(#"{"a":true}"#, "true") && marks(#"{"a":0}"#, "0"))
        #expect(!marks(#"{"a":"gone "}"#, "gone") && !marks(#"{"a":null}"#, "null") && !marks("{}", ""))
    }
}
