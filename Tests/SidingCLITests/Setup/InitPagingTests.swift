// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

/// `siding init URL` finds the rule for the next page, and a sync with its config reads all pages.
@Suite(.serialized)
struct InitPagingTests {
    /// An origin that pages in one way, with five of fifteen records on a page.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// The query of the URL that is given.
        var query = ""
        /// The line that is written.
        let line: String
        /// The parameter of the position, and how many records its first value and each further one stand for.
        var parameter = "page"
        var first = 1
        var step = 5
        /// What is around the records of the page that begins at a record: `ITEMS`, `NEXT` for the target of the next page, `TOKEN`
        /// for its position.
        var body = #"{"items":ITEMS}"#
        /// The same without a next page.
        var last: String?
        var field: (name: String, value: String)?
    }

    static let kinds = [
        Kind(
            testDescription: "Link", line: "paginate: link_header", body: "ITEMS",
            field: ("Link", #"<NEXT>; rel="next""#)),
        Kind(
            testDescription: "next", line: "paginate: { type: next_url, path: '$.next' }",
            body: #"{"items":ITEMS,"next":"NEXT"}"#, last: #"{"items":ITEMS,"next":null}"#),
        Kind(
            testDescription: "links.next", line: "paginate: { type: next_url, path: '$.links.next' }",
            body: #"{"items":ITEMS,"links":{"next":"NEXT"}}"#, last: #"{"items":ITEMS,"links":{}}"#),
        Kind(
            testDescription: "an object with the URL", line: "paginate: { type: next_url, path: '$._links.next.href' }",
            body: #"{"_links":{"next":{"href":"NEXT"}},"items":ITEMS}"#, last: #"{"_links":{},"items":ITEMS}"#),
        Kind(
            testDescription: "OData", line: #"paginate: { type: next_url, path: '$."@odata.nextLink"' }"#,
            body: #"{"value":ITEMS,"@odata.nextLink":"NEXT"}"#, last: #"{"value":ITEMS}"#),
        Kind(
            testDescription: "a URL in a header field", line: "paginate: { type: next_url, header: X-Next-Url }",
            body: "ITEMS", field: ("X-Next-Url", "NEXT")),
        Kind(
            testDescription: "a token", line: "paginate: { type: cursor, path: '$.next_cursor', param: cursor }",
            parameter: "cursor", body: #"{"items":ITEMS,"next_cursor":"tTOKEN"}"#,
            last: #"{"items":ITEMS,"next_cursor":null}"#),
        Kind(
            testDescription: "a token with its usual parameter",
            line: "paginate: { type: cursor, path: '$.meta.after_cursor', param: 'page[after]' }",
            parameter: "page[after]", body: #"{"items":ITEMS,"meta":{"after_cursor":"tTOKEN"}}"#,
            last: #"{"items":ITEMS,"meta":{}}"#),
        Kind(
            testDescription: "a token named after its parameter",
            line: "paginate: { type: cursor, path: '$.nextToken', param: token }", parameter: "token",
            body: #"{"items":ITEMS,"nextToken":"tTOKEN"}"#, last: #"{"items":ITEMS,"nextToken":""}"#),
        Kind(
            testDescription: "a token in a header field",
            line: "paginate: { type: header_cursor, header: X-Next-Cursor, param: cursor }", parameter: "cursor",
            body: "ITEMS", field: ("X-Next-Cursor", "tTOKEN")),
        Kind(
            testDescription: "page numbers", query: "?per_page=5",
            line: "paginate: { type: page, param: page, size_param: per_page, size: 5 }",
            body: #"{"items":ITEMS,"total":15,"page":1}"#),
        Kind(
            testDescription: "page numbers with brackets", query: "?page%5Bsize%5D=5",
            line: "paginate: { type: page, param: page, size_param: 'page[size]', size: 5 }",
            body: #"{"items":ITEMS,"meta":{"total_pages":3}}"#),
        Kind(
            testDescription: "page numbers from 0", line: "paginate: { type: page, param: page, start: 0 }", first: 0,
            body: #"{"items":ITEMS,"totalPages":3,"number":0,"size":5}"#),
        Kind(
            testDescription: "the next page's number", line: "paginate: { type: page, param: page }",
            body: "ITEMS", field: ("X-Next-Page", "TOKEN")),
        Kind(
            testDescription: "a total in a header field", query: "?per_page=5",
            line: "paginate: { type: page, param: page, size_param: per_page, size: 5 }", body: "ITEMS",
            last: "ITEMS", field: ("X-Total-Count", "15")),
        Kind(
            testDescription: "offsets", query: "?limit=5",
            line: "paginate: { type: offset, param: offset, limit_param: limit, limit: 5 }", parameter: "offset",
            first: 0, step: 1, body: #"{"items":ITEMS,"total":15,"offset":0}"#),
        Kind(
            testDescription: "offsets from 1",
            line: "paginate: { type: offset, param: startIndex, limit_param: limit, limit: 5, start: 1 }",
            parameter: "startIndex", step: 1,
            body: #"{"Resources":ITEMS,"totalResults":15,"startIndex":1,"itemsPerPage":5}"#),
        Kind(
            testDescription: "a range", query: "?limit=5",
            line: "paginate: { type: offset, param: offset, limit_param: limit, limit: 5 }", parameter: "offset",
            first: 0, step: 1, body: "ITEMS", last: "ITEMS", field: ("Content-Range", "items 0-4/15")),
        Kind(
            testDescription: "a flag", query: "?limit=5",
            line: "paginate: { type: offset, param: offset, limit_param: limit, limit: 5 }", parameter: "offset",
            first: 0, step: 1, body: #"{"items":ITEMS,"has_more":true}"#, last: #"{"items":ITEMS,"has_more":false}"#),
        Kind(
            testDescription: "a full page", query: "?per_page=5",
            line: "paginate: { type: page, param: page, size_param: per_page, size: 5 }", body: "ITEMS"),
        Kind(testDescription: "one page", line: "# paginate: nothing on the page shows that there are more", step: 15),
    ]

    @Test(arguments: kinds)
    func `the paging that a first page shows is written, and a sync with it reads all pages`(_ kind: Kind) async throws
    {
        let origin = try await Origin.start { kind.answer($0) }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts\(kind.query)")
        #expect(made.status == 0, "\(made.everything)")
        #expect(origin.requests.count == 1)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        #expect(config.contains("\n    \(kind.line)\n"), "\(config)")
        if !kind.line.hasPrefix("#") { #expect(made.error.contains(kind.line), "\(made.error)") }
        #expect(config.contains("\n    path: /posts\n"), "\(config)")
        #expect(try await sandbox.siding("check").everything == "")
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0, "\(config)\n\(sync.everything)")
        #expect(try await sandbox.count("posts") == 15)
        let size = HTTPURL.decode(String(kind.query.dropFirst().prefix { $0 != "=" }))
        #expect(kind.query.isEmpty || origin.requests.allSatisfy { $0.query[size] == "5" })
        await origin.stop()
    }

    // A token under this name is refused, as it may be a credential.
    @Test(arguments: kinds.dropLast().filter { $0.parameter != "token" })
    func `the URL of a later page gives a config that starts at the first`(_ kind: Kind) async throws {
        let origin = try await Origin.start { kind.answer($0) }
        let sandbox = try Sandbox()
        let position = "\(QueryEncoding.escape(kind.parameter))=\(kind.first + 5 / kind.step)"
        let query = kind.query.isEmpty ? "?\(position)" : "\(kind.query)&\(position)"
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts\(query)")
        #expect(made.status == 0, "\(made.everything)")
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        #expect(config.contains("\n    path: /posts\n"), "\(config)")
        let sync = try await sandbox.siding("sync")
        #expect(sync.status == 0, "\(config)\n\(sync.everything)")
        #expect(try await sandbox.count("posts") == 15)
        await origin.stop()
    }

    @Test(arguments: [
        ("?state=all&page=3", "?page=4&state=all", "/posts?state=all"), ("?page=3&page=4", "?page=5", "/posts"),
        ("?limit=500&after=x%2Fy", "?limit=100&after=z", "/posts?limit=500"),
        ("?q=a%20b&cursor=x", "?q=a+b&cursor=y", "/posts?q=a%20b"), ("?state=all", "?page=2", "/posts?state=all"),
        ("?page=3", "?page=3", "/posts?page=3"), ("?since=2026&p=2", "/lists/7?p=3", "/posts?since=2026"),
    ])
    func `only the parameters that the next page has with another value are left out, and no page size`(
        _ query: String, _ next: String, _ path: String
    ) async throws {
        let origin = try await Origin.start { _ in
            .json(#"[{"id":1},{"id":2}]"#, headerFields: [HTTPField.Name("Link")!: "<\(next)>; rel=next"])
        }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts\(query)")
        #expect(made.status == 0, "\(made.everything)")
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        #expect(config.contains("\n    path: \(path)\n"), "\(config)")
        await origin.stop()
    }

    @Test(arguments: [
        (#"{"items":[{"id":1},{"id":2}],"total":5,"page":1}"#, "# 2 of 5 records ($.total)"),
        (#"{"items":[{"id":1},{"id":2}],"last_page":3}"#, "# 1 of 3 pages ($.last_page)"),
        (#"{"items":[{"id":1},{"id":2}],"next":"/posts?page=2"}"#, "# $.next has the URL of the next page"),
        (
            #"{"items":[{"id":1},{"id":2}],"nextToken":"abc"}"#,
            "# $.nextToken has a token of the next page; with the parameter that the origin reads the token from"
        ),
        (
            #"{"items":[{"id":1},{"id":2}],"has_more":true}"#,
            "# $.has_more reports more pages; check the names of the parameters"
        ),
    ])
    func `the evidence of more pages stands beside the rule, and so does a guess`(
        _ body: String, _ comment: String
    ) async throws {
        let origin = try await Origin.start { _ in .json(body) }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/posts")
        #expect(made.error.contains(comment.dropFirst(2)), "\(made.error)")
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        #expect(config.contains("    \(comment)\n    paginate: "), "\(config)")
        await origin.stop()
    }

    @Test(arguments: [
        (
            #"{"items":[{"id":1},{"id":2}],"total":5,"page":1,"per_page":2}"#, "X-None", "1",
            "{ type: page, param: page, size_param: per_page, size: 2 }"
        ),
        (
            #"{"items":[{"id":1},{"id":2}],"next_cursor":"abc","meta":{"pageSize":2}}"#, "X-None", "1",
            "{ type: cursor, path: '$.next_cursor', param: cursor, size_param: pageSize, size: 2 }"
        ),
        (
            #"{"items":[{"id":1},{"id":2}],"per_page":2}"#, "Link", "</posts?page=2>; rel=next",
            "{ type: link_header, size_param: per_page, size: 2 }"
        ),
    ])
    func `a page size that only the page reports is proposed in a comment, which is valid in place of the rule`(
        _ body: String, _ field: String, _ value: String, _ rule: String
    ) async throws {
        let origin = try await Origin.start { _ in
            .json(body, headerFields: HTTPField.Name(field).map { [$0: value] } ?? [:])
        }
        let sandbox = try Sandbox()
        #expect(try await sandbox.siding("init", "\(origin.url.origin)/posts").status == 0)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        let line = "    # paginate: \(rule)    # a larger size takes fewer requests\n"
        #expect(config.contains(line), "\(config)")
        let lines = config.split(separator: "\n", omittingEmptySubsequences: false)
        let proposed = lines.filter { !$0.hasPrefix("    paginate:") }.joined(separator: "\n")
        try sandbox.config(proposed.replacing("# paginate: \(rule)", with: "paginate: \(rule)"))
        let check = try await sandbox.siding("check")
        #expect(check.status == 0, "\(check.everything)")
        // A size that was asked for is in the rule or in the path already.
        let asked = try await sandbox.siding("init", "\(origin.url.origin)/posts?limit=2", "--force")
        #expect(asked.status == 0, "\(asked.everything)")
        #expect(
            try !String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8).contains("fewer requests"))
        await origin.stop()
    }

    @Test(arguments: [(#"[ITEMS]"#, 30, true), ("[ITEMS]", 31, false), (#"{"items":[ITEMS],"total":30}"#, 30, false)])
    func `a number of records that is a usual page size is mentioned where nothing shows a next page`(
        _ body: String, count: Int, isMentioned: Bool
    ) async throws {
        let records = (1...count).map { #"{"id":\#($0)}"# }.joined(separator: ",")
        let origin = try await Origin.start { _ in .json(body.replacing("ITEMS", with: records)) }
        let sandbox = try Sandbox()
        let made = try await sandbox.siding("init", "\(origin.url.origin)/issues")
        #expect(made.error.contains("one page: nothing on it shows that there are more"))
        let hint =
            "\(count) records are often a whole page: try the URL with 'page=1&per_page=100' or 'limit=100' in its query"
        #expect(made.error.contains(hint) == isMentioned, "\(made.error)")
        await origin.stop()
    }

    @Test func `a next page that no rule follows is written as a comment, and the sync reports it`() async throws {
        let origin = try await Origin.start { _ in
            .json(#"{"items":[{"id":1}],"links":[{"rel":"self","href":"/posts"},{"rel":"next","href":"/posts?p=2"}]}"#)
        }
        let sandbox = try Sandbox()
        #expect(try await sandbox.siding("init", "\(origin.url.origin)/posts").status == 0)
        let config = try String(contentsOfFile: sandbox.file("siding.yaml"), encoding: .utf8)
        #expect(config.contains("\n    # paginate: { type: page | offset | cursor | next_url, … }\n"), "\(config)")
        #expect(try await sandbox.siding("check").status == 0)
        #expect(try await sandbox.siding("sync").status == 3)
        await origin.stop()
    }
}

extension InitPagingTests.Kind {
    /// The page at the position that the request names.
    fileprivate func answer(_ request: OriginRequest) -> OriginResponse {
        let digits = (request.query[parameter] ?? "").filter(\.isNumber)
        let start = ((Int(digits) ?? first) - first) * step
        let ids = start < 15 ? Array(start + 1...min(start + max(step, 5), 15)) : []
        let next = start + ids.count
        let position = String(first + next / step)
        let target = "/posts?\(parameter)=\(position)"
        func filled(_ text: String) -> String {
            text.replacing("ITEMS", with: "[\(ids.map { #"{"id":\#($0)}"# }.joined(separator: ","))]")
                .replacing("NEXT", with: target).replacing("TOKEN", with: position)
        }
        let hasNext = next < 15
        var fields: HTTPFields = [:]
        if let field, hasNext || last != nil, let name = HTTPField.Name(field.name) {
            fields[name] = filled(field.value)
        }
        return .json(filled(hasNext ? body : last ?? body), headerFields: fields)
    }
}
