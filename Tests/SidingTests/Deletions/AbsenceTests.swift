// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// What proves that records are gone, and what does not.
@Suite struct AbsenceTests {
    @Test func `without deletes in the config nothing is ever deleted`() async throws {
        let bench = try await EngineBench.listed { $0.deletions = Deletions() }
        bench.list("[1]")
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
    }

    @Test func `a record missing from two complete listings in succession is a tombstone, with its body and its run`()
        async throws
    {
        let bench = try await EngineBench.listed()
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == ["2"])
        let report = try await bench.sync()
        #expect(report.result.counters.deleted == 1)
        #expect(try await bench.tombstones() == ["2"])
        #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == [])
        let tombstone = try #require(try await bench.store.record(of: "posts", key: "2"))
        #expect(String(decoding: tombstone.body, as: UTF8.self) == #"{"id":2}"#)
        let run = try await bench.lastRun()
        #expect(tombstone.run == run.id)
        #expect(run.resources.first?.counters.deleted == 1)
        #expect(try await bench.sync().result.counters.deleted == 0)
    }

    @Test func `a tombstone is restored when its record comes back`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 1)
        bench.list("[1,2]")
        #expect(try await bench.sync().result.counters.updated == 1)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 1)
    }

    @Test func `a record that only moved to another page is not deleted`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.list("[4,5]", "[1,2]", "[3]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 0)
    }

    @Test func `two listings without a record are not in succession where one between has it`() async throws {
        let bench = try await EngineBench.listed()
        for page in ["[1]", "[1,2]", "[1]"] {
            bench.list(page)
            #expect(try await bench.sync().result.counters.deleted == 0)
        }
        #expect(try await bench.sync().result.counters.deleted == 1)
    }

    @Test func `a record has to be missing from a single page twice, too`() async throws {
        let bench = try await EngineBench.listed { $0.deletions.most = 0.8 }
        // The first page has lost its next one, so its listing does not count.
        for (page, deleted) in [("[1,2]", 0), ("[1,2]", 0), ("[1,2]", 3), ("[1]", 0), ("[1]", 1)] {
            bench.origin.set("/posts", ScriptedOrigin.page(page))
            #expect(try await bench.sync().result.counters.deleted == deleted)
        }
    }

    @Test func `an interrupted listing does not count`() async throws {
        let bench = try await EngineBench.listed()
        for _ in 0..<2 {
            bench.list("[1]")
            bench.origin.set("/posts?page=2", .failure(Failure(.connectionLost, phase: .maybeSent)))
            #expect(try await bench.sync().result.outcome == .queued)
            bench.list("[1]")
            #expect(try await bench.sync().result.counters.deleted == 0)
            #expect(try await bench.store.missingKeys(of: "posts", limit: 9) == [])
        }
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
    }

    @Test func `where records move between pages, a record has to be missing from three listings`() async throws {
        let bench = try await EngineBench.listed()
        // The newest change comes first: a record that is touched while page 1 was read already is on no page.
        bench.list("[5]", "[1,3]", "[4]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        bench.list("[4]", "[5,1]", "[3]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        bench.list("[2]", "[4,5]", "[1,3]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "2", "3", "4", "5"])
        for (page, deleted) in [("[5]", 0), ("[4]", 0), ("[3]", 1)] {
            let others = ["1", "3", "4", "5"].filter { page != "[\($0)]" }
            bench.list(page, "[\(others[0]),\(others[1])]", "[\(others[2])]")
            #expect(try await bench.sync().result.counters.deleted == deleted)
        }
        bench.list("[3]", "[1,4]", "[]")
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.sync().result.counters.deleted == 1)
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
        // A single page whose next one stands in a header field is asked for whole in any case.
        bench.resource.paging = .nextURL(JSONPath(member: "next"))
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

    @Test func `a record without a key may be any, so its listing deletes nothing`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.origin.set("/posts", .text(#"[{"id":1},{"no":2}]"#, headerFields: link("/posts?page=2")))
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
        bench.list("[1]")
        #expect(try await bench.sync().result.counters.deleted == 1)
    }

    @Test func `a record that broke its contract is there all the same`() async throws {
        let bench = try await EngineBench.listed(isStable: true)
        bench.origin.set("/posts", .text(#"[{"id":1},{"id":"2"}]"#, headerFields: link("/posts?page=2")))
        for _ in 0..<3 { #expect(try await bench.sync().result.counters.deleted == 0) }
        #expect(try await bench.keys().count == 5)
    }

    private func link(_ next: String) -> HTTPFields {
        [.contentType: "application/json", HTTPField.Name("Link")!: "<\(next)>; rel=\"next\""]
    }

    @Test func `records stored before deletions were declared are reconciled, too`() async throws {
        var bench = try await EngineBench.listed(isStable: true) { $0.deletions = Deletions() }
        bench.origin.set("/posts", ScriptedOrigin.page("[1]", next: "/posts?page=2", etag: #""x""#))
        _ = try await bench.sync()
        _ = bench.origin.takeRequests()
        bench.resource.deletions = Deletions(byAbsence: true)
        // The first complete listing since then deletes nothing.
        for deleted in [0, 1] { #expect(try await bench.sync().result.counters.deleted == deleted) }
        #expect(try await bench.tombstones() == ["2"])
        bench.resource.deletions = Deletions()
        bench.list("[9]")
        _ = try await bench.sync()
        #expect(try await bench.keys() == ["1", "3", "4", "5", "9"])
    }
}
