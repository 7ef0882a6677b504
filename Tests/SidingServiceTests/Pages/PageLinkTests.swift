// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// The pages as a whole: where they lead, and what their forms send.
@Suite struct PageLinkTests {
    /// Every screen of a store with something on each of them.
    private func everyPage() async throws -> [String: ParsedPage] {
        let bench = try await ServiceBench()
        try await bench.syncTwice()
        for (key, reason) in [("a", ParkReason.conflict), ("b", .rejected), ("c", .uncertain)] {
            try await bench.park(bench.edit(key, "mine"), reason)
        }
        for _ in 0..<60 { try await bench.write() }
        var pages: [String: ParsedPage] = [:]
        var waiting = ["/"]
        while let address = waiting.popLast() {
            guard pages[address] == nil, pages.count < 400 else { continue }
            let page = try await bench.shown(address)
            pages[address] = page
            waiting += page.links
        }
        return pages
    }

    @Test func `every link leads to a page, every form has the token, and every field a label`() async throws {
        let pages = try await everyPage()
        let kinds = Set(pages.keys.map { $0.prefix { $0 != "?" }.split(separator: "/").first.map(String.init) ?? "" })
        #expect(kinds == ["", "runs", "queue", "records", "quarantine"])
        #expect(pages.keys.contains { $0.hasSuffix("/drop") } && pages.keys.contains { $0.hasSuffix("how=merge") })
        for (address, page) in pages {
            #expect(page.all("h1").count == 1 && page.text("title").hasSuffix(" – Siding"), "\(address)")
            #expect(page.all("main").count == 1 && page.all("table").count == page.all("caption").count, "\(address)")
            #expect(page.all("a") { $0["aria-current"] == "page" }.count == 1, "\(address)")
            let posts = page.all("form") { $0["method"] == "post" }
            let tokens = page.all("input") { $0["name"] == "token" && $0["type"] == "hidden" }
            #expect(tokens.map { $0["value"] } == posts.map { _ in ServiceBench.formToken }, "\(address)")
            #expect(
                page.all("form").count { $0["action"]?.hasPrefix("/") == true } == page.all("form").count, "\(address)")
            let labelled = Set(page.all("label").compactMap { $0["for"] })
            for field in page.all("input") + page.all("select") + page.all("textarea") where field["type"] != "hidden" {
                #expect(labelled.contains(field["id"] ?? ""), "\(field.name) \(field["name"] ?? "") on \(address)")
            }
            let ids = page.elements.compactMap { $0["id"] }
            #expect(Set(ids).count == ids.count, "\(address)")
            #expect(page.all("button").allSatisfy { $0["type"] == "submit" && !$0.text.isEmpty }, "\(address)")
            #expect(page.all("time").allSatisfy { $0["datetime"]?.hasSuffix("Z") == true }, "\(address)")
        }
    }
}
