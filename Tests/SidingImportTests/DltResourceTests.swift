// SPDX-License-Identifier: Apache-2.0
import Foundation
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import SidingPaging
import Testing

@Suite struct DltResourceTests {
    @Test func `defaults are merged into each resource, and the resource's own win`() throws {
        let imported = try Imported.dlt(
            defaults: "{ primary_key: uid, endpoint: { params: { limit: 100, sort: up }, data_selector: data.items } }",
            "posts", "{ name: tags, primary_key: [a, b], endpoint: { path: all/tags, params: { sort: down } } }")
        let (posts, tags) = (imported.config.resources[0], imported.config.resources[1])
        #expect(posts.path == "/posts")
        #expect(posts.key == [JSONPath(member: "uid")])
        #expect(posts.query == ["limit": .int(100), "sort": .string("up")])
        #expect(posts.records?.description == "$.data.items")
        #expect(tags.path == "/all/tags")
        #expect(tags.key == [JSONPath(member: "a"), JSONPath(member: "b")])
        #expect(tags.query == ["limit": .int(100), "sort": .string("down")])
        #expect(imported.lines == [])
    }

    @Test func `a parameter of type incremental is a cursor`() throws {
        let imported = try Imported.dlt(
            """
            { name: issues, primary_key: id, endpoint: { params: { state: open, since: { type: incremental, \
            cursor_path: updated_at, initial_value: "2024-01-25T11:21:28Z" } } } }
            """)
        let resource = try imported.resource
        #expect(resource.query == ["state": .string("open"), "since": .string("{cursor}")])
        #expect(resource.cursor?.place == .record(JSONPath(member: "updated_at")))
        #expect(resource.cursor?.start == "2024-01-25T11:21:28Z")
        #expect(imported.lines == [])
    }

    @Test func `an incremental endpoint names its parameters, or has placeholders in them`() throws {
        let named = try Imported.dlt(
            """
            { name: events, primary_key: id, endpoint: { incremental: { cursor_path: "$.seq", initial_value: 7, \
            start_param: from, end_param: to, lag: 3600 } } }
            """)
        #expect(try named.resource.query == ["from": .string("{cursor}"), "to": .string("{until}")])
        #expect(try named.resource.cursor?.type == .integer)
        #expect(named.reasons("resources[0].endpoint.incremental.lag").count == 1, "a lag of seconds is not a number")
        let placed = try Imported.dlt(
            """
            { name: events, primary_key: id, endpoint: { params: { q: "from:{incremental.start_value}" }, \
            incremental: { cursor_path: at, initial_value: "2024-01-01" } } }
            """)
        #expect(try placed.resource.query == ["q": .string("from:{cursor}")])
        #expect(try placed.resource.cursor?.start == "2024-01-01T00:00:00Z")
        #expect(placed.lines == [])
    }

    @Test func `without a parameter the cursor is left out and reported`() throws {
        let imported = try Imported.dlt(
            "{ name: a, primary_key: id, endpoint: { incremental: { cursor_path: at } } }")
        #expect(try imported.resource.cursor == nil)
        #expect(
            imported.lines == [
                "in.yaml:4:58: resources[0].endpoint.incremental: no parameter carries the cursor: dlt filters the "
                    + "records after fetching them / each sync fetches everything; unchanged records are not written again"
            ])
    }

    @Test(
        arguments: [
            (
                "path: \"posts/{post}/comments\", params: { post: { type: resolve, resource: posts, field: id } }",
                "for_each: { resource: posts, bind: { post: $.id } }", "path: /posts/{post}/comments"
            ),
            (
                "path: \"posts/{resources.posts.meta.id}/comments\"",
                "for_each: { resource: posts, bind: { meta_id: $.meta.id } }", "path: /posts/{meta_id}/comments"
            ),
        ])
    func `a resource under a parent is for_each, or as a comment until the grammar has it`(
        endpoint: String, each: String, path: String
    ) throws {
        let imported = try Imported.dlt(
            "{ name: posts, primary_key: id }", "{ name: comments, primary_key: id, endpoint: { \(endpoint) } }")
        #expect(imported.text.contains(each), "\(imported.text)")
        let isKnown = imported.config.resources.contains { $0.name == "comments" }
        #expect(imported.lines.isEmpty == isKnown)
        if isKnown { #expect(imported.text.contains(path)) }
    }

    @Test func `rules for answers are the resource's, so that it needs no source of its own`() throws {
        let imported = try Imported.dlt(
            "{ name: posts, primary_key: id }",
            "{ name: tags, primary_key: id, endpoint: { response_actions: [{ status_code: 404, action: ignore }] } }")
        #expect(imported.config.sources.map(\.name) == ["example"])
        #expect(imported.config.sources.map(\.failureRules.count) == [0])
        #expect(imported.config.resources.map(\.source.failureRules.count) == [0, 1])
        #expect(imported.lines == [])
    }

    @Test func `Python code is reported with its place, and stands in a comment at the resource`() throws {
        let imported = try Imported.dlt(
            """
            { name: a, primary_key: id, include_from_parent: [x], processing_steps: [{ filter: "<lambda>" }], \
            endpoint: { response_actions: [{ content: gone, status_code: 200, action: ignore }, "<function>"] } }
            """)
        #expect(
            imported.unmapped.map(\.path) == [
                "resources[0].include_from_parent", "resources[0].processing_steps[0].filter",
                "resources[0].endpoint.response_actions[0]", "resources[0].endpoint.response_actions[1]",
            ])
        let lines = imported.text.split(separator: "\n")
        let place = try #require(lines.firstIndex(of: "  a:"))
        #expect(
            lines[place - 1].hasPrefix("  # line 4, resources[0].endpoint.response_actions[1]: "), "\(imported.text)")
    }

    @Test func `columns keep their types, and dlt's nested names their paths`() throws {
        let imported = try Imported.dlt(
            """
            { name: a, columns: { id: { data_type: bigint, primary_key: true }, at: { data_type: timestamp }, \
            user__login: { data_type: text }, price: { data_type: decimal }, day: { data_type: date }, \
            odd: { data_type: hyperloglog } } }
            """)
        let columns = try imported.resource.schema.columns
        #expect(columns.map(\.name) == ["id", "at", "user__login", "price", "day"])
        #expect(columns.map(\.type) == [.integer, .datetime(.rfc3339), .text, .decimal, .date])
        #expect(columns[2].path == JSONPath(members: ["user", "login"]))
        #expect(try imported.resource.key == [JSONPath(member: "id")])
        #expect(imported.unmapped.map(\.path) == ["resources[0].columns.odd.data_type"])
    }

    @Test func `lists and truth values are written in the query as dlt writes them`() throws {
        let imported = try Imported.dlt(
            "{ name: a, primary_key: id, endpoint: { params: { all: true, ids: [1, 2], version: '1', none: null } } }")
        #expect(
            try imported.resource.query == [
                "all": .bool(true), "ids": .array([.int(1), .int(2)]), "version": .string("1"),
            ])
        #expect(imported.text.contains("query_encoding: plain"))
    }

    @Test(
        arguments: [
            ("path: \"posts/{resources.posts.id}\"", "$", Paging.none),
            ("path: \"posts/{resources.posts.id}/\"", "$", .none),
            ("path: \"posts/{post}\", params: { post: { type: resolve, resource: posts, field: id } }", "$", .none),
            ("path: \"posts/{resources.posts.id}\", data_selector: data", "$.data", .none),
            ("path: \"posts/{resources.posts.id}\", paginator: header_link", "$", .linkHeader),
            ("path: \"posts/{resources.posts.id}/tags\"", nil, .offset(Paging.Offsets(limit: 10))),
        ] as [(String, String?, Paging)])
    func `a path that ends in a parameter is one record, with any paginator of the client`(
        endpoint: String, records: String?, paging: Paging
    ) throws {
        let imported = try Imported.dlt(
            client: "{ paginator: { type: offset, limit: 10 } }", "{ name: posts, primary_key: id }",
            "{ name: one, primary_key: id, endpoint: { \(endpoint) } }")
        let resource = imported.config.resources[1]
        #expect(resource.records?.description == records)
        #expect(resource.paging == paging)
        #expect(imported.lines == [])
    }

    @Test func `an empty path requests the root, and a whole URL its own`() throws {
        let imported = try Imported.dlt(
            client: "{ headers: { X-A: b }, auth: { token: \"dlt.secrets['t']\" } }",
            "{ name: root, primary_key: id, endpoint: { path: \"\" } }",
            "{ name: below, primary_key: id, endpoint: { path: \"https://api.example.com/v2/x\" } }",
            "{ name: beside, primary_key: id, endpoint: \"https://api.example.com/v1/x?a=b\" }",
            "{ name: away, primary_key: id, endpoint: { path: \"https://other.example.org/y/{resources.root.id}/z\" } }"
        )
        #expect(imported.config.resources.map(\.path) == ["/", "/x", "/v1/x?a=b", "/y/{id}/z"])
        #expect(
            imported.config.resources.map(\.source.baseURL.description) == [
                "https://api.example.com/v2", "https://api.example.com/v2", "https://api.example.com/",
                "https://other.example.org/",
            ])
        #expect(imported.text.components(separatedBy: "token: { env: T }").count == 3, "\(imported.text)")
        #expect(imported.text.components(separatedBy: "X-A: b").count == 4)
        #expect(imported.unmapped.map(\.path) == ["resources[3].endpoint.path"])
        #expect(imported.lines.joined().contains("does not get the client's sign-in"))
    }
}
