// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// The table of a resource's records.
@Suite struct PageRecordsTests {
    private func bench() async throws -> ServiceBench {
        let bench = try await ServiceBench()
        try await bench.sync(
            #"[{"id":"a","title":"Fa\u00e7ade","n":2,"tags":["\u00e9t\u00e9"]},{"id":"b","title":"apple","n":10,"tags":["x"]},"#
                + #"{"id":"c","title":"apple","n":1,"tags":["\u00e9"]}]"#)
        return bench
    }

    private func cells(_ page: ParsedPage) -> [String] {
        page.all("td") { $0["title"] != nil }.map(\.text)
    }

    @Test func `its cells are the first members, in the characters of the user`() async throws {
        let page = try await bench().shown("/records/notes")
        let heads = page.all("th") { $0["scope"] == "col" }.map(\.text)
        #expect(heads == ["Key ↑", "title", "n", "tags", "Changed"])
        #expect(cells(page).prefix(3) == ["Façade", "2", #"["été"]"#])
        #expect(!page.html.contains(#"\u00"#))
        #expect(!(try await bench().shown("/records/notes/a").html.contains(#"\u00"#)))
    }

    @Test func `the head of a column sorts by it, and back, without scripts`() async throws {
        let bench = try await bench()
        var page = try await bench.shown("/records/notes")
        #expect(page.all("th") { $0["aria-sort"] == "ascending" }.map(\.text) == ["Key ↑"])
        page = try await bench.shown(try #require(page.link("n")))
        #expect(page.rowNames == ["c", "a", "b"])
        #expect(page.all("th") { $0["aria-sort"] != nil }.map(\.text) == ["n ↑"])
        page = try await bench.shown(try #require(page.link("n")))
        #expect(page.rowNames == ["b", "a", "c"])
        #expect(page.all("th") { $0["aria-sort"] == "descending" }.map(\.text) == ["n ↓"])
        page = try await bench.shown(try #require(page.link("Key")))
        #expect(page.rowNames == ["a", "b", "c"])
    }

    @Test func `a form filters by a column, and keeps the order`() async throws {
        let bench = try await bench()
        let page = try await bench.shown("/records/notes?sort=n&order=desc&column=title&match=&value=apple")
        #expect(page.rowNames == ["b", "c"])
        let form = page.all("form") { $0["aria-label"]?.hasPrefix("Filter") == true }
        #expect(form.map { $0["method"] } == ["get"] && form.map { $0["action"] } == ["/records/notes"])
        let kept = page.all("input") { $0["type"] == "hidden" && $0["name"] != "token" }
        #expect(kept.map { "\($0["name"] ?? "")=\($0["value"] ?? "")" } == ["sort=n", "order=desc"])
        #expect(page.all("option") { $0["selected"] != nil }.compactMap { $0["value"] } == ["title", ""])
        #expect(page.all("input") { $0["name"] == "value" }.map { $0["value"] } == ["apple"])
        #expect(page.link("n")?.contains("column=title&value=apple&sort=n") == true)
        #expect(try await bench.shown("/records/notes?column=title&match=contains&value=FA").rowNames == ["a"])
        #expect(try await bench.shown("/records/notes?column=title&value=").rowNames == ["a", "b", "c"])
        #expect(try await bench.shown("/records/notes?column=title&value=none").text.contains("There are none here."))
        let error = await #expect(throws: StoreError.self) { try await bench.shown("/records/notes?sort=lost") }
        #expect(error?.kind == .invalidQuery)
    }

    @Test func `sorted records are reached page by page, and an order without an index reports its limit`()
        async throws
    {
        let bench = try await ServiceBench()
        let records = (0..<120).map { #"{"id":"\#($0 + 100)","n":\#(-$0)}"# }
        try await bench.sync("[\(records.joined(separator: ","))]")
        var (rows, next): ([String], String?) = ([], "/records/notes?sort=n")
        while let address = next {
            let page = try await bench.shown(address)
            #expect(page.text.contains("Only the first") == false)
            rows += page.rowNames
            next = page.all("a") { $0["rel"] == "next" }.first?["href"]
        }
        #expect(rows == (100..<220).reversed().map(String.init))
        #expect(try await bench.shown("/records/notes?sort=n&page=2").link("First") == "/records/notes?sort=n")
    }

    @Test func `long values take one line, and a key is never broken`() async throws {
        let bench = try await ServiceBench()
        let long = String(repeating: "word ", count: 100)
        try await bench.sync(#"[{"id":"\#(String(repeating: "k", count: 60))","title":"\#(long)"}]"#)
        let page = try await bench.shown("/records/notes")
        #expect(cells(page).allSatisfy { $0.count <= 81 })
        #expect(page.rowNames == [String(repeating: "k", count: 60)])
        let style = String(decoding: PackageResources.style_css, as: UTF8.self)
        let rule = try #require(style.split(separator: "\n").first { $0.hasPrefix(".rows th, .rows td {") })
        #expect(rule.contains("white-space: nowrap") && rule.contains("text-overflow: ellipsis"))
    }

    @Test func `a resource of the config can be synced from its page`() async throws {
        let bench = try await bench()
        let page = try await bench.shown("/records/notes")
        #expect(page.all("form") { $0["method"] == "post" }.map { $0["action"] } == ["/records/notes/sync"])
        #expect(page.all("button") { $0.ancestors.last == "form" }.map(\.text).first == "Sync now")
        let overview = try await bench.shown("/")
        #expect(overview.all("form").map { $0["action"] } == ["/records/notes/sync"])
    }
}
