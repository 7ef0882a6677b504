// SPDX-License-Identifier: Apache-2.0
import SidingSQLite
import HTTPTypes
import Foundation
import SidingChain
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A listing whose pages all answer 304 does not write their rows; one that changes half-way knows which pages it showed.
@Suite(.timeLimit(.minutes(5))) struct UnchangedListingTests {
    private static func target(_ number: Int) -> String { number == 1 ? "/posts" : "/posts?page=\(number)" }

    /// Answers page `number` with one record and the address of the next page in its body, or with 304.
    private static func set(
        _ number: Int, of pages: Int, on origin: ScriptedOrigin, unchanged: Bool = false, id: Int? = nil
    ) {
        let next = number < pages ? #""\#(target(number + 1))""# : "null"
        let json = #"{"items":[{"id":\#(id ?? number)}],"next":\#(next)}"#
        let page = ScriptedAnswer.text(
            json, headerFields: [.contentType: "application/json", .eTag: #""\#(id ?? number)""#])
        origin.set(target(number), unchanged ? .status(.notModified) : page)
    }

    private static func bench(pages: Int) async throws -> EngineBench {
        var bench = try await EngineBench()
        bench.resource.records = JSONPath(member: "items")
        bench.resource.paging = .nextURL(JSONPath(member: "next"))
        bench.resource.deletions = Deletions(byAbsence: true, most: 1)
        for number in 1...pages { set(number, of: pages, on: bench.origin) }
        #expect(try await bench.sync().result.counters.inserted == pages)
        return bench
    }

    /// The listings that wrote the rows of the pages.
    private func listings(_ bench: EngineBench) async throws -> [Int64] {
        try await bench.store.read { snapshot in
            try snapshot.query("SELECT listing FROM siding_pages ORDER BY fetched_at, url") { $0.int(0) }
        }
    }

    @Test func `the rows of unchanged pages are not written`() async throws {
        let bench = try await Self.bench(pages: 4)
        for number in 1...4 { Self.set(number, of: 4, on: bench.origin, unchanged: true) }
        for _ in 1...2 {
            bench.time.advance(by: .seconds(60))
            let report = try await bench.sync()
            #expect(report.result.counters.notModified == 4 && report.result.counters.deleted == 0)
            #expect(try await listings(bench) == [1, 1, 1, 1])
        }
        #expect(try await bench.keys() == ["1", "2", "3", "4"])
    }

    @Test(arguments: 1...4)
    func `a page that changes behind unchanged ones is the only one whose records are deleted`(changed: Int)
        async throws
    {
        let bench = try await Self.bench(pages: 4)
        for _ in 1...3 {
            for number in 1...4 {
                Self.set(
                    number, of: 4, on: bench.origin, unchanged: number != changed, id: number == changed ? 9 : number)
            }
            bench.time.advance(by: .seconds(60))
            _ = try await bench.sync()
        }
        let expected = (Set(1...4).subtracting([changed]).union([9])).map(String.init).sorted()
        #expect(try await bench.keys().sorted() == expected)
        #expect(Set(try await listings(bench)).count == 1)
    }

    @Test(arguments: [2, 3, 4])
    func `a listing that breaks off behind unchanged pages is resumed, and deletes missing records only`(
        broken: Int
    ) async throws {
        let bench = try await Self.bench(pages: 4)
        for _ in 1...3 {
            for number in 1...4 { Self.set(number, of: 4, on: bench.origin, unchanged: true) }
            bench.origin.set(Self.target(broken), .failure(Failure(.timeout(.response), phase: .maybeSent)))
            bench.time.advance(by: .seconds(3_600))
            #expect(try await bench.sync().result.outcome == .queued)
            Self.set(broken, of: 4, on: bench.origin, id: 9)
            bench.time.advance(by: .seconds(3_600))
            _ = try await bench.sync()
        }
        // Whole listings in a row decide that the record is gone: records may move while an interrupted one is read.
        for _ in 1...3 {
            for number in 1...4 {
                Self.set(number, of: 4, on: bench.origin, unchanged: true, id: number == broken ? 9 : number)
            }
            bench.time.advance(by: .seconds(60))
            #expect(try await bench.sync().result.outcome != .failed)
        }
        let left = (1...4).filter { $0 != broken } + [9]
        #expect(try await bench.keys().sorted() == left.map { "\($0)" })
    }

    @Test
    func `where rows do not lead from the first page to the checkpoint, no row is taken for one of another listing`()
        async throws
    {
        let bench = try await Self.bench(pages: 4)
        try await bench.store.write { transaction in
            try transaction.execute("UPDATE siding_pages SET next_url = NULL WHERE url LIKE '%page=2'")
        }
        // The rows end at page 2, and the page itself leads on.
        for number in 1...4 { Self.set(number, of: 4, on: bench.origin, unchanged: number != 2) }
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().result.counters.deleted == 0)
        #expect(try await bench.keys() == ["1", "2", "3", "4"])
    }

    /// A page that came between two others makes the stored numbers of those behind it too small.
    @Test(arguments: [nil, 9]) func `a page that came between others costs no record of the pages behind it`(
        changed: Int?
    ) async throws {
        var bench = try await Self.bench(pages: 4)
        bench.resource.isStable = true
        func answer(_ target: String, _ json: String, etag: String) {
            bench.origin.set(
                target, .text(json, headerFields: [.contentType: "application/json", .eTag: "\"\(etag)\""]))
        }
        for number in 2...4 { Self.set(number, of: 4, on: bench.origin, unchanged: true) }
        answer("/posts", #"{"items":[{"id":1}],"next":"/posts?page=new"}"#, etag: "1 anew")
        answer("/posts?page=new", #"{"items":[{"id":5}],"next":"/posts?page=2"}"#, etag: "5")
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().result.counters.deleted == 0)
        for target in ["/posts", "/posts?page=new"] { bench.origin.set(target, .status(.notModified)) }
        if let changed { Self.set(4, of: 4, on: bench.origin, id: changed) }
        bench.time.advance(by: .seconds(60))
        let counters = try await bench.sync().result.counters
        #expect(counters.deleted == (changed == nil ? 0 : 1))
        let keys = try await bench.keys()
        #expect(keys.sorted() == (changed == nil ? ["1", "2", "3", "4", "5"] : ["1", "2", "3", "5", "9"]))
        #expect(try await listings(bench).count == 5)
    }

    @Test func `a 304 with both validators leaves the row as it is`() async throws {
        let bench = try await Self.bench(pages: 1)
        let fields: HTTPFields = [
            .contentType: "application/json", .eTag: "\"1\"", .lastModified: "Sat, 28 Nov 2026 09:00:00 GMT",
        ]
        bench.origin.set("/posts", .text(#"{"items":[{"id":1}],"next":null}"#, headerFields: fields))
        _ = try await bench.sync(SyncOptions(isFull: true))
        let written = try await listings(bench)
        bench.origin.set("/posts", .status(.notModified, headerFields: fields))
        bench.time.advance(by: .seconds(60))
        #expect(try await bench.sync().result.counters.notModified == 1)
        #expect(try await listings(bench) == written)
    }

    @Test func `the provenance of a record has the last confirmation of its page`() async throws {
        let bench = try await Self.bench(pages: 3)
        for number in 1...3 { Self.set(number, of: 3, on: bench.origin, unchanged: true) }
        bench.time.advance(by: .seconds(60))
        let confirmed = bench.time.clock.now
        _ = try await bench.sync()
        let provenance = try #require(try await bench.store.provenance(of: "posts", key: "1"))
        #expect(provenance.confirmation.confirmedAt == confirmed)
        #expect(provenance.confirmation.pageStatus == 304)
    }

    @Test func `a hundred unchanged pages write at most 128 KiB`() async throws {
        let bench = try await Self.bench(pages: 100)
        for number in 1...100 { Self.set(number, of: 100, on: bench.origin, unchanged: true) }
        let log = bench.store.path + "-wal"
        func size() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0
        }
        let before = try size()
        #expect(try await bench.sync().result.counters.notModified == 100)
        #expect(try size() - before <= 128 << 10)
    }
}
