// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingManifest
import SidingTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct OpenDataExamplesTests {
    @Test func `pokeapi: next until null, 304 for each page, new records, and deleted records`() async throws {
        let bench = try await ExampleBench("pokeapi")
        let pages = [
            "GET https://pokeapi.co/api/v2/pokemon?limit=200",
            "GET https://pokeapi.co/api/v2/pokemon?offset=200&limit=200",
        ]
        #expect(try await bench.sync("pokemon").result.counters.inserted == 3)
        #expect(bench.asked() == pages)
        #expect(try await bench.rows("SELECT name FROM pokemon ORDER BY name") == ["bulbasaur", "ivysaur", "unown"])

        #expect(try await bench.sync("pokemon").result.outcome == .notModified)
        let second = bench.transport.takeRequests()
        #expect(second.map(WatchedTransport.line) == pages)
        #expect(second.map { $0.headerFields[.ifNoneMatch] } == [#"W/"a1""#, #"W/"b1""#])

        #expect(try await bench.sync("pokemon").result.counters.inserted == 1)
        #expect(bench.asked() == pages)

        // One that is on no page any more is asked for by its name, and is gone.
        #expect(try await bench.sync("pokemon").result.counters.deleted == 1)
        #expect(bench.asked() == pages + ["GET https://pokeapi.co/api/v2/pokemon/unown"])
        #expect(
            try await bench.rows("SELECT name FROM pokemon ORDER BY name") == ["bulbasaur", "ivysaur", "wobbuffet"])
        #expect(try await bench.sync("berries").result.outcome == .queued)
        #expect(bench.transport.unused.isEmpty)
    }

    @Test func `hackernews: as many pages as reported, a day back on the next sync`() async throws {
        let bench = try await ExampleBench("hackernews")
        let search = "GET https://hn.algolia.com/api/v1/search_by_date?hitsPerPage=100"
        #expect(try await bench.sync("stories").result.counters.inserted == 3)
        #expect(bench.asked() == (0...1).map { "\(search)&tags=story&page=\($0)" })
        #expect(
            try await bench.rows("SELECT id, author, points, comments, created_at FROM stories ORDER BY id") == [
                "48000001|ada|12|3|2026-11-21T09:00:00.000Z", "48000002|grace|1|0|2026-11-22T09:00:00.000Z",
                "48000003|linus|2|-|2026-11-22T11:00:00.000Z",
            ])
        #expect(
            try await bench.rows("SELECT value FROM stories_tags WHERE siding_parent = '48000003' ORDER BY 1") == [
                "author_linus", "show_hn", "story", "story_48000003",
            ])
        #expect(try await bench.cursor("stories") == "1795345200")

        let since = "\(search)&numericFilters=created_at_i%3E%3D1795258800&tags=story"
        let second = try await bench.sync("stories")
        #expect(second.result.counters.updated == 1)
        #expect(second.result.counters.inserted == 1)
        #expect(bench.asked() == ["\(since)&page=0", "\(since)&page=1"])
        #expect(try await bench.rows("SELECT points FROM stories WHERE id = 48000002") == ["57"])
        #expect(try await bench.sync("stories").result.outcome == .queued)
        #expect(bench.transport.unused.isEmpty)
    }

    @Test func `odata: next links relative to the page, a filter for what is new, children by expand`() async throws {
        let bench = try await ExampleBench("odata")
        let orders = "GET https://services.odata.org/V4/Northwind/Northwind.svc/Orders"
        #expect(try await bench.sync("orders").result.counters.inserted == 3)
        let first = bench.transport.takeRequests()
        #expect(
            first.map(WatchedTransport.line) == [
                "\(orders)?%24expand=Order_Details&%24orderby=OrderDate",
                "\(orders)?$expand=Order_Details&$orderby=OrderDate&$skiptoken=10249",
            ])
        #expect(first.allSatisfy { $0.field("OData-MaxVersion") == "4.0" })
        #expect(
            try await bench.rows("SELECT OrderID, CustomerID, OrderDate, Freight FROM orders ORDER BY OrderID") == [
                "10248|VINET|1996-07-04T00:00:00.000Z|32.38", "10249|TOMSP|1996-07-05T00:00:00.000Z|11.61",
                "10250|HANAR|1996-07-08T00:00:00.000Z|65.83",
            ])
        #expect(
            try await bench.rows(
                "SELECT siding_parent, ProductID, UnitPrice, Quantity FROM orders_details ORDER BY 1, 2") == [
                    "10248|11|14.0|12", "10248|42|9.8|10", "10249|14|18.6|9",
                ])
        #expect(try await bench.cursor("orders") == "1996-07-08T00:00:00Z")

        #expect(try await bench.sync("orders").result.counters.inserted == 1)
        let since =
            "\(orders)?%24expand=Order_Details&%24filter=OrderDate%20ge%201996-07-08T00%3A00%3A00Z&%24orderby=OrderDate"
        #expect(bench.asked() == [since])
        #expect(try await bench.sync("products").result.outcome == .queued)
        #expect(try await bench.entries().first?.nextAttemptAt == bench.wall.now + .seconds(120))
        #expect(bench.transport.unused.isEmpty)
    }
}
