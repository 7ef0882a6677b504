// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingTesting
import Testing

@testable import Siding

/// A next page that is named in a form that cannot be followed does not end a listing.
@Suite struct UnreadableNextTests {
    @Test(arguments: [
        #""file:///etc/passwd""#, #""items page 2""#, "true", "7.5", "2", #""abc""#, #"{"page":2}"#,
        #"{"href":"items page 2"}"#, #"["/posts?page=2"]"#, #""/posts{?page}""#,
        #"{"href":"/posts?page=2{&size,sort*}","templated":true}"#,
    ])
    func `under auto a next page that cannot be read does not end the listing`(_ next: String) async throws {
        for member in [#""next":\#(next)"#, #""links":{"next":\#(next)}"#] {
            var bench = try await ListingEndTests.bench()
            bench.resource.records = JSONPath(member: "items")
            try await ListingEndTests.expectIncomplete(
                ListingEndTests.answer(#"{"items":ITEMS,\#(member)}"#, 1...5), bench, because: "names a next page")
        }
    }

    @Test(arguments: ["true", "7.5", "2", #"{"page":2}"#, #"["/posts?page=2"]"#, #""/posts{?page}""#])
    func `under a declared next_url a value that is not a URL does not end the listing`(_ next: String) async throws {
        var bench = try await ListingEndTests.bench(paging: .nextURL(JSONPath(member: "more_at")))
        bench.resource.records = JSONPath(member: "items")
        try await ListingEndTests.expectIncomplete(
            ListingEndTests.answer(#"{"items":ITEMS,"more_at":\#(next)}"#, 1...5), bench,
            because: "$.more_at leads to no page")
    }

    @Test(arguments: [
        #"</posts?p=2; rel="next""#, #"/posts?p=2; rel="next""#, "</posts?p=2; rel='next'", "rel=next; /posts?p=2",
    ])
    func `a Link field that cannot be read does not end the listing`(_ field: String) async throws {
        for paging in [Paging.automatic, .linkHeader] {
            try await ListingEndTests.expectIncomplete(
                ListingEndTests.answer("ITEMS", 1...5, [("Link", field)]), ListingEndTests.bench(paging: paging),
                because: "the Link field")
        }
    }

    @Test(arguments: [
        #""next":{"href":"/posts?page=2"}"#, #""links":{"next":{"href":"/posts?page=2"}}"#,
        #""_links":{"next":{"href":"/posts?page=2"}}"#, #""paging":{"next":{"url":"/posts?page=2"}}"#,
    ])
    func `an object with a URL is read as that URL`(_ member: String) async throws {
        let bench = try await ListingEndTests.bench()
        bench.origin.set("/posts", ListingEndTests.answer(#"{"items":ITEMS,\#(member)}"#, 1...5))
        bench.origin.set("/posts?page=2", ListingEndTests.answer(#"{"items":ITEMS,"next":{"href":null}}"#, 6...15))
        #expect(try await bench.sync().result.outcome == .saved)
        #expect(try await bench.keys().count == 15)
    }
}
