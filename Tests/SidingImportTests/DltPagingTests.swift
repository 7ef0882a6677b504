// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

@Suite struct DltPagingTests {
    private static let pagings: [(String, Paging)] = [
        ("single_page", Paging.none), ("auto", .automatic), ("{ type: auto }", .automatic),
        ("header_link", .linkHeader), ("json_link", .nextURL(JSONPath(member: "next"))),
        ("{ type: json_response, next_url_path: paging.next }", .nextURL(JSONPath(members: ["paging", "next"]))),
        ("{ type: json_link, next_url_path: \"'@odata.nextLink'\" }", .nextURL(JSONPath(member: "@odata.nextLink"))),
        (
            "{ type: cursor, cursor_path: meta.next, cursor_param: after }",
            .cursor(JSONPath(members: ["meta", "next"]), parameter: "after")
        ),
        ("page_number", .page(Paging.PageNumbers(start: 0))),
        (
            "{ type: page_number, base_page: 1, page_param: p, total_path: null }",
            .page(Paging.PageNumbers(parameter: "p", start: 1))
        ),
        (
            "{ type: offset, limit: 50, offset_param: skip, limit_param: top, total_path: count }",
            .offset(Paging.Offsets(parameter: "skip", limitParameter: "top", limit: 50))
        ),
    ]

    @Test(arguments: pagings)
    func `a paginator is the paging of the resource, and nothing is left out`(paginator: String, paging: Paging) throws
    {
        let imported = try Imported.dlt("{ name: items, primary_key: id, endpoint: { paginator: \(paginator) } }")
        #expect(try imported.resource.paging == paging)
        #expect(imported.lines == [])
        let shared = try Imported.dlt(client: "{ paginator: \(paginator) }", "{ name: items, primary_key: id }")
        #expect(try shared.resource.paging == paging)
    }
}
