// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingPaging
import SidingTesting
import Testing

@testable import Siding

/// Pages that are asked for with a body: what stands in it, page by page.
@Suite struct SearchBodyTests {
    private func rule(
        _ paging: Paging, _ body: SearchBody? = nil, cursor: IncrementalCursor? = nil
    ) throws -> NextPageRule {
        let source = Source(name: "crm", baseURL: try HTTPURL("https://api.example.org"))
        return NextPageRule(
            resource: AnyResource(
                "contacts", from: source, at: "/search", key: [JSONPath(member: "id")], paging: paging
            )
            .with(\.method, .post)
            .with(\.cursor, cursor)
            .with(\.body, body))
    }

    private func path(_ text: String) throws -> JSONPath { try JSONPath(parsing: text) }

    private func next(
        _ rule: NextPageRule, after page: PageRequest? = nil, records: Int = 2,
        _ envelope: [JSONPath: EnvelopeScalar] = [:],
        last: EnvelopeScalar? = nil, fields: HTTPFields = [:]
    ) throws -> PageRequest? {
        var answer = PageAnswer(headerFields: fields, recordCount: records, envelope: envelope)
        answer.lastRecord = last
        guard case .page(let page) = try rule.next(after: page ?? rule.first(), by: rule.resource.paging, answer)
        else { return nil }
        #expect(page.url == (try rule.first()).url)
        return page
    }

    // MARK: Places

    @Test func `a resource without a body sends none, with any method`() throws {
        #expect(try rule(.none).first().body == nil)
        #expect(try rule(.page(.init())).first().body == nil)
    }

    @Test func `members are written with their own types, sorted by name`() throws {
        let body = SearchBody([
            "limit": 100, "filter": ["status": "open", "deleted": false, "owner": nil], "tags": ["a", 2], "ratio": 0.5,
        ])
        #expect(
            try rule(.none, body).first().body
                == #"{"filter":{"deleted":false,"owner":null,"status":"open"},"limit":100,"ratio":0.5,"tags":["a",2]}"#)
    }

    @Test func `page numbers and sizes are numbers in the body`() throws {
        let rule = try rule(
            .page(.init(parameter: .body(path("$.page")), start: 0, sizeParameter: .body(path("$.opts.per")), size: 2)),
            SearchBody(["opts": ["x": 1]]))
        #expect(try rule.first().body == #"{"opts":{"x":1,"per":2},"page":0}"#)
        let second = try next(rule)
        #expect(second?.body == #"{"opts":{"x":1,"per":2},"page":1}"#)
        #expect(try next(rule, after: second)?.body == #"{"opts":{"x":1,"per":2},"page":2}"#)
        #expect(try next(rule, after: second, records: 0) == nil)
    }

    @Test func `offsets and limits are numbers in the body`() throws {
        let rule = try rule(
            .offset(.init(parameter: .body(path("$.from")), limitParameter: .body(path("$.size")), limit: 2)))
        #expect(try rule.first().body == #"{"from":0,"size":2}"#)
        #expect(try next(rule)?.body == #"{"from":2,"size":2}"#)
    }

    @Test func `one parameter may be in the body and another in the query`() throws {
        let rule = try rule(
            .page(.init(parameter: .body(path("$.page")), sizeParameter: "per_page", size: 2)))
        let first = try rule.first()
        #expect(first.url.query == "per_page=2")
        #expect(first.body == #"{"page":1}"#)
    }

    @Test func `a cursor keeps its type in its place: a string, a number with its digits, a whole array`() throws {
        let (from, to) = (try path("$.next"), try path("$.variables.after"))
        let rule = try rule(
            .cursor(from, parameter: .body(to)), SearchBody(["query": "{ x }", "variables": ["n": 5]]))
        #expect(try rule.first().body == #"{"query":"{ x }","variables":{"n":5}}"#)
        #expect(
            try next(rule, [from: .text("MTA=")])?.body == #"{"query":"{ x }","variables":{"n":5,"after":"MTA="}}"#)
        #expect(
            try next(rule, [from: .number("12345678901234567890.10")])?.body
                == #"{"query":"{ x }","variables":{"n":5,"after":12345678901234567890.10}}"#)
        #expect(
            try next(rule, [from: .structure(JSONDocument(#"[1.0, "b"]"#))])?.body
                == #"{"query":"{ x }","variables":{"n":5,"after":[1.0, "b"]}}"#)
        for end in [EnvelopeScalar.text(""), .bool(false), .bool(true)] {
            #expect(try next(rule, [from: end]) == nil)
        }
    }

    @Test func `a token of a header field is sent in the body as text`() throws {
        let rule = try rule(.headerCursor(HTTPField.Name("X-Next")!, parameter: .body(path("$.token"))))
        #expect(try next(rule, fields: [HTTPField.Name("X-Next")!: "12"])?.body == #"{"token":"12"}"#)
    }

    @Test func `a value of the last record leads to the next page until a page is empty`() throws {
        let sort = try path("$.sort")
        let search = try rule(.lastRecord(sort, parameter: .body(path("$.search_after"))), SearchBody(["size": 2]))
        let token = EnvelopeScalar.structure(try JSONDocument(#"[1700000000000,"b-2"]"#))
        #expect(try next(search, last: token)?.body == #"{"size":2,"search_after":[1700000000000,"b-2"]}"#)
        #expect(try next(search, records: 0) == nil)
        #expect { _ = try next(search) } throws: { ($0 as? Failure)?.detail?.contains("$.sort") ?? false }
    }

    @Test func `an array or an object cannot be a part of a query`() throws {
        let from = try path("$.next")
        let rule = try rule(.cursor(from, parameter: "after"))
        #expect { _ = try next(rule, [from: .structure(JSONDocument("[1]"))]) } throws: {
            ($0 as? Failure)?.reason == .contract
        }
    }

    // MARK: Forms

    @Test func `a form holds fields, and a parameter takes the place of the one before`() throws {
        let body = SearchBody(["channel": "C 1", "in": ["a": true]], encoding: .form)
        let rule = try rule(.cursor(path("$.next"), parameter: .body(path("$.cursor"))), body)
        #expect(try rule.first().body == "channel=C%201&in%5Ba%5D=1")
        let second = try next(rule, [path("$.next"): .text("a=b&c+d")])
        #expect(second?.body == "channel=C%201&in%5Ba%5D=1&cursor=a%3Db%26c%2Bd")
        #expect(
            try next(rule, after: second, [path("$.next"): .number("7")])?.body
                == "channel=C%201&in%5Ba%5D=1&cursor=7")
    }

    @Test func `nested places of a form are written in brackets`() throws {
        let rule = try rule(
            .page(.init(parameter: .body(path("$.page.number")))), SearchBody(["page": ["size": 5]], encoding: .form))
        #expect(try rule.first().body == "page%5Bsize%5D=5&page%5Bnumber%5D=1")
    }

    // MARK: Placeholders

    @Test func `a placeholder is filled in, and a member with an empty one is left out`() throws {
        let body = SearchBody([
            "filter": ["op": ">=", "value": "{cursor}"], "note": "up to {until}", "l": ["{cursor}"],
        ])
        let rule = try rule(.none, body, cursor: IncrementalCursor(at: .record(path("$.at"))))
        #expect(try rule.first().body == #"{"filter":{"op":">="},"l":[]}"#)
        var start = CursorStart()
        (start.from, start.until) = ("2024-01-01T00:00:00Z", "{cursor}")
        #expect(
            try rule.first(from: start).body
                == #"{"filter":{"op":">=","value":"2024-01-01T00:00:00Z"},"l":["2024-01-01T00:00:00Z"],"note":"up to {cursor}"}"#
        )
    }

    @Test(
        arguments: [
            (CursorType.integer, "12345678901234567890", "12345678901234567890"),
            (.epoch, "1700000000.5", "1700000000.5"),
            (.text, "5", #""5""#), (.date, "2024-01-31", #""2024-01-31""#), (.integer, "007", #""007""#),
        ] as [(CursorType, String, String)])
    func `a placeholder that stands alone is a number where the cursor is one`(
        _ type: CursorType, _ value: String, _ written: String
    ) throws {
        let body = SearchBody(["a": "{cursor}", "b": "x{cursor}"])
        let rule = try rule(.none, body, cursor: IncrementalCursor(at: .record(path("$.at")), type: type))
        var start = CursorStart()
        start.from = value
        #expect(try rule.first(from: start).body == #"{"a":\#(written),"b":"x\#(value)"}"#)
    }

    // MARK: Opaque tokens

    @Test func `any token comes back from body, query and form as it was`() throws {
        var random = SystemRandomNumberGenerator()
        let from = try path("$.next")
        for count in [1, 2, 17, 300, 4_000] {
            for _ in 0..<20 {
                let token = String(String.UnicodeScalarView((0..<count).map { _ in Self.scalar(&random) }))
                let (inBody, inQuery) = (
                    try rule(.cursor(from, parameter: .body(path("$.a.\"b c\"")))),
                    try rule(.cursor(from, parameter: "t&=[]"))
                )
                let body = try #require(try next(inBody, [from: .text(token)])?.body)
                let found = try JSONDocument(body).value(at: path("$.a.\"b c\""))?.string
                #expect(found.map { Array($0.utf8) } == Array(token.utf8))
                guard
                    case .page(let page) = try inQuery.next(
                        after: inQuery.first(), by: inQuery.resource.paging,
                        PageAnswer(headerFields: [:], recordCount: 1, envelope: [from: .text(token)]))
                else {
                    Issue.record("no next page")
                    return
                }
                let value = page.url.queryParameters.first { $0.name == "t&=[]" }?.value
                #expect(value.map { Array(HTTPURL.decode(String($0)).utf8) } == Array(token.utf8))
            }
        }
    }

    private static func scalar(_ random: inout SystemRandomNumberGenerator) -> Unicode.Scalar {
        let edges: [UInt32] = [
            0, 9, 10, 0x22, 0x26, 0x2B, 0x25, 0x5C, 0x7F, 0x85, 0x2028, 0xFEFF, 0xFFFD, 0xFFFF, 0x10FFFF,
        ]
        if Bool.random(using: &random), let edge = edges.randomElement(using: &random) {
            return Unicode.Scalar(edge) ?? "x"
        }
        return Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) ?? "y"
    }

    // MARK: What is chosen, and what belongs to the definition

    @Test func `a detected cursor is sent where the search has its parameters`() throws {
        let envelope = [try path("$.paging.next.after"): EnvelopeScalar.text("10")]
        let answer = PageAnswer(headerFields: [:], recordCount: 1, envelope: envelope)
        #expect(answer.detectPaging() == .cursor(try path("$.paging.next.after"), parameter: "after"))
        #expect(
            answer.detectPaging(hasBody: true)
                == .cursor(try path("$.paging.next.after"), parameter: .body(try path("$.after"))))
        #expect("\(answer.detectPaging(hasBody: true))" == "cursor at $.paging.next.after in body $.after")
    }

    @Test func `a body belongs to the definition, and one that is not there does not`() throws {
        let plain = ResourceDefinition(try rule(.none).resource)
        #expect(plain.aspects[.body] == nil)
        let open = ResourceDefinition(try rule(.none, SearchBody(["status": "open"])).resource)
        #expect(open.differences(from: plain) == [.body])
        let cursor = ResourceDefinition(try rule(.none, SearchBody(["since": "{cursor}"])).resource)
        #expect(cursor.differences(from: open) == [.body])
        let form = ResourceDefinition(try rule(.none, SearchBody(["status": "open"], encoding: .form)).resource)
        #expect(form.differences(from: open) == [.body])
        let paged = ResourceDefinition(try rule(.page(.init())).resource)
        #expect(paged.aspects[.paginate] == "page ?page from 1")
    }
}
