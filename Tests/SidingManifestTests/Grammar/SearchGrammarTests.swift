// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingJSON
import SidingManifest
import Testing

/// `body:`, `body_encoding:` and `in: body`.
@Suite struct SearchGrammarTests {
    private static func text(_ resource: String) -> String {
        """
        version: 1
        sources: { crm: { base_url: https://example.com } }
        resources:
          contacts:
            path: /search
            key: id
            \(resource.split(separator: "\n").joined(separator: "\n    "))
        """
    }

    private static func resource(_ text: String) throws -> AnyResource {
        try #require(try Fixture.parse(Self.text(text)).resources.first)
    }

    @Test func `a body's values have the types of their notation`() throws {
        let body = try Self.resource(
            """
            method: POST
            body: { a: 7, b: "7", c: 1.10, d: 012, e: true, f: no, g: ~, h: [1, { x: y }], i: { j: -0.5e3 }, k: 1_000, l: +1 }
            """
        ).body
        #expect(
            body
                == SearchBody([
                    "a": 7, "b": "7", "c": 1.1, "d": "012", "e": true, "f": "no", "g": nil, "h": [1, ["x": "y"]],
                    "i": ["j": -500.0], "k": "1_000", "l": "+1",
                ]))
    }

    @Test func `a GraphQL query is text, braces and all`() throws {
        let query = "{ items(first: 2) { nodes { id } pageInfo { endCursor hasNextPage } } }"
        let body = try Self.resource("method: POST\nbody: { query: \"\(query)\" }").body
        #expect(body?.members == ["query": .string(query)])
    }

    @Test func `parameters of the body are declared by name or by path`() throws {
        let cursor = try Self.resource(
            "method: POST\nbody_encoding: form\npaginate: { type: cursor, path: $.next, in: body, param: after }")
        #expect(cursor.paging == .cursor(JSONPath(member: "next"), parameter: .body(JSONPath(member: "after"))))
        #expect(cursor.body == SearchBody(encoding: .form))
        let offset = try Self.resource("method: POST\npaginate: { type: offset, in: body, limit: 5 }")
        #expect(
            offset.paging
                == .offset(
                    .init(
                        parameter: .body(JSONPath(member: "offset")), limitParameter: .body(JSONPath(member: "limit")),
                        limit: 5)))
        #expect(offset.body == nil)
        #expect(
            try Self.resource("paginate: { type: cursor, last: $.id, param: starting_after }").paging
                == .lastRecord(JSONPath(member: "id"), parameter: "starting_after"))
    }

    @Test func `a placeholder in the body uses the cursor`() throws {
        let resource = try Self.resource("method: POST\nbody: { f: { since: \"{cursor}\" } }\ncursor: { path: $.at }")
        #expect(resource.body?.members == ["f": ["since": "{cursor}"]])
    }

    @Test(arguments: [
        (
            "body: { a: 1 }",
            "7:11: 'body' in resource 'contacts' needs a body, and a GET has none; expected method: POST"
        ),
        (
            "body_encoding: form",
            "7:20: 'body_encoding' in resource 'contacts' needs a body, and a GET has none; expected method: POST"
        ),
        (
            "paginate: { type: page, in: body }",
            "7:15: 'paginate' in resource 'contacts' puts a parameter into the body, and a GET has none; expected method: POST"
        ),
        (
            "method: POST\nbody: a=1",
            "8:11: 'body' in resource 'contacts' is text; expected a map such as { filter: { status: open } }"
        ),
        (
            "method: POST\nbody: {}",
            "8:11: 'body' in resource 'contacts' is empty; expected a map such as { filter: { status: open } }"
        ),
        (
            "method: POST\nbody: { a: [{ api_key: canary }] }",
            "8:19: 'api_key' in 'a' of 'body' of resource 'contacts' is a secret, which this file never holds; "
                + "expected auth: in the source"
        ),
        (
            "method: POST\nbody: { n: 12345678901234567890 }",
            "8:16: 'n' in 'body' of resource 'contacts' is a number that would lose digits; "
                + "expected fewer digits, or text in quotes"
        ),
        (
            "method: POST\nbody: { q: '{id}' }",
            "8:16: the placeholder '{id}' of 'q' in 'body' of resource 'contacts' is not yet supported; "
                + "expected {cursor} or {until}; for braces that are sent, a space inside them: '{ id }'"
        ),
        (
            "method: POST\nbody: { since: '{cursor}' }",
            "8:11: the body of resource 'contacts' has {cursor}, and there is no cursor; expected cursor: { path: $.updated_at }"
        ),
        (
            "paginate: { type: cursor, path: $.next, param: $.after }",
            "7:52: 'param' in 'paginate' of resource 'contacts' is a JSON path, but query parameters have names; expected in: body"
        ),
        (
            "method: POST\npaginate: { type: cursor, path: $.next, in: body, param: '$.a[0]' }",
            "8:62: 'param' in 'paginate' of resource 'contacts' is '$.a[0]', which is not a member of the body; "
                + "expected a JSON path of members such as $.page.after"
        ),
        (
            "method: POST\nbody: { page: 5 }\npaginate: { type: page, in: body, param: $.page.number }",
            "9:15: 'paginate' in resource 'contacts' says $.page.number, and 'page' of the body is not a map; "
                + "expected a place in a map, or one that the body does not have"
        ),
        (
            "paginate: { type: cursor, param: after }",
            "7:23: 'paginate' in resource 'contacts' does not say where its token is; expected one of path and last"
        ),
        (
            "paginate: { type: cursor, path: $.a, last: $.b, param: after }",
            "7:23: 'paginate' in resource 'contacts' does not say where its token is; expected one of path and last"
        ),
        (
            "paginate: { type: page, in: header }",
            "7:33: 'in' in 'paginate' of resource 'contacts' is 'header'; expected query or body"
        ),
    ])
    func `an invalid combination is a fault in its place`(_ resource: String, _ fault: String) {
        #expect(Fixture.faults(Self.text(resource)) == ["siding.yaml:" + fault])
    }
}
