// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// The message about an incomplete listing has the line to add.
@Suite struct PagingSuggestionTests {
    @Test(arguments: [
        (
            #"{"items":ITEMS,"total":15,"page":1}"#, "?per_page=5",
            "paginate: { type: page, param: page, size_param: per_page, size: 5 }"
        ),
        (
            #"{"items":ITEMS,"total":15,"offset":0}"#, "?limit=5",
            "paginate: { type: offset, param: offset, limit_param: limit, limit: 5 }"
        ),
        (
            #"{"items":ITEMS,"data":{"@links":{"next":[{"uri":"/posts?page=2"}]}}}"#, "",
            #"paginate: { type: next_url, path: '$.data."@links".next[0].uri' }"#
        ),
        (
            #"{"items":ITEMS,"next_page_token":{"value":"x"},"nextToken":"YWJj"}"#, "",
            "paginate: { type: cursor, path: '$.nextToken', param: token }"
        ),
        (
            #"{"items":ITEMS,"totalResults":15,"startIndex":1,"itemsPerPage":5}"#, "",
            "paginate: { type: offset, param: startIndex, limit_param: limit, limit: 5, start: 1 }"
        ),
        (
            #"{"items":ITEMS,"totalPages":3,"number":0,"size":5}"#, "",
            "paginate: { type: page, param: page, start: 0 }"
        ),
        (#"{"items":ITEMS,"next_page":2}"#, "", "paginate: { type: page, param: page }"),
        (
            #"{"items":ITEMS,"NextToken":"100"}"#, "",
            "paginate: { type: cursor, path: '$.NextToken', param: token }"
        ),
        // Its place among the links is another on the next page.
        (
            #"{"items":ITEMS,"list":{"links":[{"relation":"self","url":"/posts"},{"relation":"next","url":"/posts?page=2"}]}}"#,
            "", "paginate: { type: page | offset | cursor | next_url, … }"
        ),
        // The origin's own names are not shown: a guess.
        (
            #"{"items":ITEMS,"total":15}"#, "?per_page=5",
            "paginate: { type: page, param: page, size_param: per_page, size: 5 } (check the names of the parameters)"
        ),
        (
            #"{"items":ITEMS,"has_more":true}"#, "?limit=5",
            "paginate: { type: offset, param: offset, limit_param: limit, limit: 5 } (check the names of the parameters)"
        ),
        (
            #"{"items":ITEMS}"#, "?per_page=5",
            "paginate: { type: page, param: page, size_param: per_page, size: 5 }"
        ),
        (#"{"items":ITEMS}"#, "?first=5", "paginate: { type: page, param: page, size_param: first, size: 5 }"),
        (#"{"items":ITEMS,"total":15}"#, "", "paginate: { type: page, param: page } (check"),
    ])
    func `the message has the line to add`(_ envelope: String, _ query: String, _ line: String) async throws {
        var bench = try await ListingEndTests.bench()
        bench.resource.path = "/posts\(query)"
        bench.resource.records = JSONPath(member: "items")
        bench.origin.set("/posts\(query)", ListingEndTests.answer(envelope, 1...5))
        let warning = try await bench.sync().warnings.first ?? ""
        #expect(warning.contains(line), "\(warning)")
    }

    @Test(arguments: [
        ("X-Next-Url", "/posts?page=2", "", "paginate: { type: next_url, header: X-Next-Url }"),
        ("X-Next-Cursor", "YWJj", "", "paginate: { type: header_cursor, header: X-Next-Cursor, param: cursor }"),
        (
            "X-Total-Count", "15", "?per_page=5",
            "paginate: { type: page, param: page, size_param: per_page, size: 5 }"
        ),
        (
            "Content-Range", "items 0-4/15", "?limit=5",
            "paginate: { type: offset, param: offset, limit_param: limit, limit: 5 }"
        ),
    ])
    func `the message has the line to add for a header field`(
        _ name: String, _ value: String, _ query: String, _ line: String
    ) async throws {
        var bench = try await ListingEndTests.bench()
        bench.resource.path = "/posts\(query)"
        bench.origin.set("/posts\(query)", ListingEndTests.answer("ITEMS", 1...5, [(name, value)]))
        let warning = try await bench.sync().warnings.first ?? ""
        #expect(warning.contains(line), "\(warning)")
    }
}
