// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import SidingPaging
import Testing

/// What goes into bodies and placeholders.
@Suite struct ImportedBodyTests {
    private static func body(_ names: String...) -> Paging.Parameter { .body(JSONPath(members: names)) }

    private static let search = "method: POST, json: { q: all }"

    @Test(
        arguments: [
            (
                "{ type: cursor, cursor_path: next, cursor_body_path: page.after }",
                Paging.cursor(JSONPath(member: "next"), parameter: body("page", "after"))
            ),
            (
                "{ type: page_number, page_body_path: page, base_page: 1 }",
                .page(Paging.PageNumbers(parameter: body("page"), start: 1))
            ),
            (
                "{ type: offset, limit: 50, offset: 10, offset_body_path: p.from, limit_body_path: p.size }",
                .offset(
                    Paging.Offsets(
                        parameter: body("p", "from"), start: 10, limitParameter: body("p", "size"), limit: 50))
            ),
        ])
    func `dlt pages inside the body`(paginator: String, paging: Paging) throws {
        let imported = try Imported.dlt(
            "{ name: a, primary_key: id, endpoint: { path: a, \(Self.search), paginator: \(paginator) } }")
        #expect(try imported.resource.paging == paging, "\(imported.text)")
        #expect(imported.lines == [])
    }

    @Test func `the first offset counts towards the last one`() throws {
        let imported = try Imported.dlt(
            "{ name: a, primary_key: id, endpoint: { paginator: { type: offset, limit: 100, offset: 100, maximum_offset: 300 } } }"
        )
        #expect(try imported.resource.stop.maxPages == 2)
    }

    @Test func `a cursor inside a body is one`() throws {
        let imported = try Imported.dlt(
            """
            { name: a, primary_key: id, endpoint: { method: POST, json: { since: "{incremental.start_value}" }, \
            incremental: { cursor_path: at, initial_value: "2024-01-01T00:00:00Z" } } }
            """)
        #expect(try imported.resource.cursor?.start == "2024-01-01T00:00:00Z")
        #expect(imported.lines == [])
        let none = try Imported.dlt(
            "{ name: a, primary_key: id, endpoint: { method: POST, json: { q: x, since: \"{incremental.start_value}\" } } }"
        )
        #expect(try none.resource.cursor == nil)
        #expect(none.unmapped.map(\.reason) == ["the body asks for changes, but no cursor is declared"])
    }

    @Test func `Airbyte's body of JSON carries tokens, sizes, cursors and parents`() throws {
        let imported = try Imported.airbyte(
            requester: "{ http_method: POST, request_body_json: { q: all } }",
            retriever: """
                { paginator: { type: DefaultPaginator, page_token_option: { inject_into: body_json, field_path: [page, after] }, \
                page_size_option: { inject_into: body_json, field_name: limit }, pagination_strategy: { type: CursorPagination, \
                page_size: 100, cursor_value: "{{ response.paging.next.after }}" } } }
                """,
            stream: """
                { incremental_sync: { type: DatetimeBasedCursor, cursor_field: updatedAt, \
                datetime_format: "%Y-%m-%dT%H:%M:%SZ", start_datetime: "2024-01-01T00:00:00Z", \
                start_time_option: { inject_into: body_json, field_name: since } } }
                """)
        let resource = try imported.resource
        #expect(
            resource.paging
                == .cursor(JSONPath(members: ["paging", "next", "after"]), parameter: Self.body("page", "after")))
        #expect(resource.cursor != nil)
        #expect(
            imported.text.contains("body: { q: all, limit: 100, since: \"{cursor}\" }"), "\(imported.text)")
        #expect(imported.lines == [])
    }

    @Test func `a token of the last record is used as long as there are more`() throws {
        for value in ["{{ last_record['id'] }}", "{{ last_records[-1]['id'] }}"] {
            let imported = try Imported.airbyte(
                retriever: """
                    { paginator: { type: DefaultPaginator, page_token_option: { inject_into: request_parameter, \
                    field_name: starting_after }, pagination_strategy: { type: CursorPagination, cursor_value: "\(value)", \
                    stop_condition: "{{ not response.has_more }}" } } }
                    """)
            let resource = try imported.resource
            #expect(resource.paging == .lastRecord(JSONPath(member: "id"), parameter: .query("starting_after")))
            #expect(resource.stop.hasMore == JSONPath(member: "has_more"))
            #expect(imported.lines == [])
        }
    }

    @Test func `placeholders of two members of the parent stay two, even with equal names`() throws {
        let imported = try Imported.dlt(
            "{ name: a, primary_key: id }",
            "{ name: b, primary_key: id, endpoint: { path: \"x/{resources.a.user.id}/y/{resources.a.user_id}/z/{resources.a.user.id}\" } }",
            "{ name: c, primary_key: id, endpoint: { path: \"x/{user_id}/{resources.a.user.id}/{resources.a.cursor}\", params: { user_id: { type: resolve, resource: a, field: owner } } } }"
        )
        let (second, third) = (imported.config.resources[1], imported.config.resources[2])
        #expect(second.path == "/x/{user_id}/y/{user_id_2}/z/{user_id}")
        #expect(
            second.forEach?.bindings == [
                "user_id": JSONPath(members: ["user", "id"]), "user_id_2": JSONPath(member: "user_id"),
            ])
        #expect(third.path == "/x/{user_id}/{user_id_2}/{_cursor}")
        #expect(imported.lines == [])
    }

    @Test func `where the whole answer is meant, it is the records`() throws {
        let dlt = try Imported.dlt("{ name: a, primary_key: id, endpoint: { data_selector: $ } }")
        let airbyte = try Imported.airbyte(
            retriever: "{ record_selector: { extractor: { field_path: [] } } }")
        for imported in [dlt, airbyte] {
            #expect(try imported.resource.records == .root, "\(imported.text)")
            #expect(imported.lines == [])
        }
    }
}
