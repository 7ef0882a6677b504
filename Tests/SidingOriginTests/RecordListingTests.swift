// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

@Suite struct RecordListingTests {
    static let next = HTTPField.Name("X-Next")!

    struct Family: Sendable, CustomTestStringConvertible {
        let paging: OriginPaging
        /// The reference of the next page, from an answer and the number of the page.
        let next: @Sendable (Answer, Int) -> String?
        var testDescription: String { "\(paging)" }
    }

    static let families: [Family] = [
        Family(paging: .link) { answer, _ in
            answer.headerFields[HTTPField.Name("Link")!].map { String($0.dropFirst().prefix { $0 != ">" }) }
        },
        Family(paging: .nextURL(member: ["next"])) { answer, _ in answer.text.value(of: "next") },
        Family(paging: .nextURL(member: ["links", "next"])) { answer, _ in answer.text.value(of: "next") },
        Family(paging: .nextURL(member: ["@odata.nextLink"])) { answer, _ in answer.text.value(of: "@odata.nextLink") },
        Family(paging: .cursor(member: ["meta", "cursor"])) { answer, _ in
            answer.text.value(of: "cursor").map { "/list?limit=3&cursor=\($0)" }
        },
        Family(paging: .cursorHeader(next, query: "after")) { answer, _ in
            answer.headerFields[next].map { "/list?limit=3&after=\($0)" }
        },
        Family(paging: .page()) { answer, page in answer.text.ids.isEmpty ? nil : "/list?limit=3&page=\(page + 1)" },
        Family(paging: .offset()) { answer, page in answer.text.ids.isEmpty ? nil : "/list?limit=3&offset=\(page * 3)"
        },
    ]

    @Test(arguments: families) func `every family of paging serves each record once and ends`(_ family: Family)
        async throws
    {
        try await asking([RecordListing("/list", of: numbered(8), paging: family.paging)]) {
            (origin, ask) async throws in
            var (ids, page, reference): ([Int], Int, String?) = ([], 0, "/list?limit=3")
            while let current = reference, page < 10 {
                let answer = try await ask(current)
                page += 1
                ids += answer.text.ids
                reference = family.next(answer, page)
            }
            #expect(ids == Array(1...8))
            #expect(page <= 4)
        }
    }

    @Test func `a listing without paging has all records at the root`() async throws {
        try await asking([RecordListing("/list", of: numbered(3), paging: .single)]) { (origin, ask) async throws in
            #expect(try await ask("/list").text == #"[{"id":1},{"id":2},{"id":3}]"#)
        }
    }

    @Test func `a cursor is stable while records come and go`() async throws {
        let dataset = numbered(6)
        try await asking([RecordListing("/list", of: dataset, paging: .cursor(member: ["c"]), pageSize: 2)]) {
            (origin, ask) async throws in
            let first = try await ask("/list")
            dataset.remove("1")
            dataset.remove("2")
            dataset.put(.init(key: "7", json: #"{"id":7}"#))
            let second = try await ask("/list?cursor=\(try #require(first.text.value(of: "c")))")
            #expect(second.text.ids == [3, 4])
        }
    }

    @Test func `a page that did not change is a 304, and one that did is not`() async throws {
        let dataset = numbered(4)
        try await asking([RecordListing("/list", of: dataset, pageSize: 2)]) { (origin, ask) async throws in
            let first = try await ask("/list")
            let tag = try #require(first.headerFields[.eTag])
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""))
            let unchanged = try await ask("/list", .get, [.ifNoneMatch: "\"x\", \(tag)"])
            #expect(unchanged.status == 304)
            #expect(unchanged.text.isEmpty)
            #expect(unchanged.headerFields[.eTag] == tag)
            dataset.put(.init(key: "3", json: #"{"id":33}"#))
            #expect(try await ask("/list", .get, [.ifNoneMatch: tag]).status == 304, "the other page changed")
            dataset.put(.init(key: "1", json: #"{"id":11}"#))
            let changed = try await ask("/list", .get, [.ifNoneMatch: tag])
            #expect(changed.status == 200)
            #expect(changed.headerFields[.eTag] != tag)
        }
    }

    @Test func `Last-Modified is the time of the last change, and is honoured`() async throws {
        let clock = Counter(start: 784_111_777)
        let dataset = Dataset([.init(key: "1", json: "{}")], now: { Double(clock.value) })
        let listing = RecordListing("/list", of: dataset, validators: .lastModified)
        try await asking([listing]) { (origin, ask) async throws in
            let first = try await ask("/list")
            #expect(first.headerFields[.lastModified] == "Sun, 06 Nov 1994 08:49:37 GMT")
            #expect(first.headerFields[.eTag] == nil)
            let since: HTTPFields = [.ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT"]
            #expect(try await ask("/list", .get, since).status == 304)
            clock.advance(3600)
            dataset.put(.init(key: "1", json: "{}"))
            #expect(try await ask("/list", .get, since).headerFields[.lastModified] == "Sun, 06 Nov 1994 09:49:37 GMT")
        }
    }

    @Test func `only records after the stamp are listed where the listing knows how`() async throws {
        try await asking([RecordListing("/list", of: numbered(5), sinceParameter: "since")]) {
            (origin, ask) async throws in
            #expect(try await ask("/list?since=2024-01-13").text.ids == [4, 5])
        }
    }

    @Test func `one record is served under its key`() async throws {
        try await asking([RecordListing("/list", of: numbered(2))]) { (origin, ask) async throws in
            #expect(try await ask("/list/2").text == #"{"id":2}"#)
            #expect(try await ask("/list/3").status == 404)
            #expect(try await ask("/other").status == 404)
        }
    }

    @Test func `a compressed page is the same page, with a tag of its own that is known again`() async throws {
        try await asking([RecordListing("/list", of: numbered(100))], compression: .always) {
            (origin, ask) async throws in
            let answer = try await ask("/list")
            #expect(answer.headerFields[.contentEncoding] == "gzip")
            #expect(answer.text.ids == Array(1...100))
            let tag = try #require(answer.headerFields[.eTag])
            #expect(tag.hasSuffix("-gzip\""))
            #expect(try await ask("/list", .get, [.ifNoneMatch: tag]).status == 304)
        }
    }
}
