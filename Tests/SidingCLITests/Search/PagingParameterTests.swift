// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingOrigin
import Testing

/// The name of every parameter of every kind of paging, as it reaches an origin.
@Suite(.serialized)
struct PagingParameterTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        var paginate: String
        var targets: [String]
        var bodies: [String] = []
        var fields: HTTPFields = [:]
        var extra = ""
        var testDescription: String { paginate }
    }

    private static let header = HTTPField.Name("X-More")!
    private static let link = HTTPField.Name("Link")!

    static let kinds: [Kind] = [
        Kind(paginate: "none", targets: ["/s"]),
        Kind(paginate: "link_header", targets: ["/s", "/s?p=2"], fields: [link: "</s?p=2>; rel=next"]),
        Kind(paginate: "auto", targets: ["/s", "/s?p=2"], fields: [link: "</s?p=2>; rel=next"]),
        Kind(paginate: "{ type: next_url, path: $.m.url }", targets: ["/s", "/s?u=2"]),
        Kind(
            paginate: "{ type: next_url, header: X-More }", targets: ["/s", "/s?h=2"], fields: [header: "/s?h=2"]),
        Kind(
            paginate: "{ type: next_url, header: X-More }", targets: ["/s", "/s?page=2"], fields: [header: "2"]),
        Kind(
            paginate: "{ type: cursor, path: $.m.token, param: 'page[after]' }",
            targets: ["/s", "/s?page%5Bafter%5D=t2"]),
        Kind(paginate: "{ type: cursor, path: $.m.count, param: n }", targets: ["/s", "/s?n=120"]),
        Kind(paginate: "{ type: cursor, last: $.id, param: starting_after }", targets: ["/s", "/s?starting_after=2"]),
        Kind(
            paginate: "{ type: header_cursor, header: X-More, param: more }", targets: ["/s", "/s?more=h2"],
            fields: [header: "h2"]),
        Kind(paginate: "page", targets: ["/s?page=1", "/s?page=2"]),
        Kind(
            paginate: "{ type: page, param: pg, start: 0, size_param: per, size: 2 }",
            targets: ["/s?pg=0&per=2", "/s?per=2&pg=1"]),
        Kind(paginate: "offset", targets: ["/s?offset=0", "/s?offset=2"]),
        Kind(
            paginate: "{ type: offset, param: skip, start: 5, limit_param: take, limit: 2 }",
            targets: ["/s?skip=5&take=2", "/s?take=2&skip=7"]),
        Kind(
            paginate: "{ type: cursor, path: $.m.token, in: body, param: $.a.b }", targets: ["/s", "/s"],
            bodies: ["{}", #"{"a":{"b":"t2"}}"#]),
        Kind(
            paginate: "{ type: cursor, path: $.m.count, in: body, param: n }", targets: ["/s", "/s"],
            bodies: ["{}", #"{"n":120}"#]),
        Kind(
            paginate: "{ type: cursor, last: $.id, in: body, param: after }", targets: ["/s", "/s"],
            bodies: ["{}", #"{"after":2}"#]),
        Kind(
            paginate: "{ type: header_cursor, header: X-More, in: body, param: more }", targets: ["/s", "/s"],
            bodies: ["{}", #"{"more":"h2"}"#], fields: [header: "h2"]),
        Kind(
            paginate: "{ type: page, in: body }", targets: ["/s", "/s"], bodies: [#"{"page":1}"#, #"{"page":2}"#]),
        Kind(
            paginate: "{ type: page, in: body, param: $.p.n, start: 0, size_param: $.p.size, size: 2 }",
            targets: ["/s", "/s"], bodies: [#"{"p":{"n":0,"size":2}}"#, #"{"p":{"n":1,"size":2}}"#]),
        Kind(
            paginate: "{ type: offset, in: body, limit: 2 }", targets: ["/s", "/s"],
            bodies: [#"{"offset":0,"limit":2}"#, #"{"offset":2,"limit":2}"#]),
        Kind(
            paginate: "{ type: offset, in: body, param: from, start: 5, limit_param: size, limit: 2 }",
            targets: ["/s", "/s"], bodies: [#"{"from":5,"size":2}"#, #"{"from":7,"size":2}"#]),
        Kind(
            paginate: "{ type: page, in: body, param: n, size_param: 'page[size]', size: 2 }", targets: ["/s", "/s"],
            bodies: ["x=1&n=1&page%5Bsize%5D=2", "x=1&page%5Bsize%5D=2&n=2"],
            extra: ", body: { x: 1 }, body_encoding: form"),
    ]

    @Test(arguments: kinds)
    func `each name that is declared reaches the origin`(_ kind: Kind) async throws {
        let origin = try await Origin.start { request in
            var answer = OriginResponse.json(
                request.order == 1
                    ? #"{"items":[{"id":1},{"id":2}],"m":{"token":"t2","count":120,"url":"/s?u=2"}}"# : #"{"items":[]}"#
            )
            if request.order == 1 { answer.headerFields.append(contentsOf: kind.fields) }
            return answer
        }
        let sandbox = try Sandbox()
        let method = kind.bodies.isEmpty ? "" : ", method: POST"
        try sandbox.config(
            """
            version: 1
            database: { path: test.db }
            sources: { here: { base_url: "\(origin.url.origin)" } }
            resources: { things: { path: /s, key: id, records: "$.items[*]"\(method)\(kind.extra), paginate: \(kind.paginate) } }
            """)
        let outcome = try await sandbox.siding("sync")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(origin.requests.map(\.target) == kind.targets)
        if !kind.bodies.isEmpty { #expect(origin.bodies == kind.bodies) }
        await origin.stop()
    }
}
