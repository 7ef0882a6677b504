// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

/// What dlt's requests for changes say that Siding's do not, and braces that are none of dlt's.
@Suite struct DltIncrementalTests {
    @Test func `the end and the conversion of a cursor are reported with their meaning`() throws {
        let imported = try Imported.dlt(
            """
            { name: a, primary_key: id, endpoint: { incremental: { cursor_path: at, start_param: from, end_param: to, \
            initial_value: "2024-01-01T00:00:00Z", end_value: "2024-02-01T00:00:00Z", convert: "<function>" } } }
            """)
        #expect(
            imported.unmapped.map(\.reason) == [
                "dlt's listing ends at this value, but Siding's has no end value",
                "'convert' is Python that changes the cursor before it is sent",
            ])
        #expect(imported.lines.joined().contains("siding sync --backfill A..B"))
        #expect(try imported.resource.query == ["from": .string("{cursor}"), "to": .string("{until}")])
    }

    @Test func `a parameter for changes is left out where there is no cursor, and is reported`() throws {
        let imported = try Imported.dlt(
            "{ name: a, primary_key: id, endpoint: { params: { x: 1, since: \"{incremental.start_value}\" } } }")
        #expect(try imported.resource.query == ["x": .int(1)])
        #expect(imported.unmapped.map(\.path) == ["resources[0].endpoint.params.since"])
        #expect(
            imported.unmapped.map(\.reason) == [
                "the parameter 'since' asks for a span of changes, but no cursor is declared"
            ])
    }

    @Test func `braces of GraphQL are not placeholders`() throws {
        let dlt = try Imported.dlt(
            """
            { name: a, primary_key: id, endpoint: { method: POST, \
            json: { query: "query { users {id} posts { author {name} } }", variables: { n: 1 } } } }
            """)
        #expect(dlt.text.contains("query { users { id } posts { author { name } } }"), "\(dlt.text)")
        #expect(dlt.lines == [])
        let airbyte = try Imported.airbyte(
            requester: """
                { http_method: POST, path: "/{{ stream_partition.org }}", request_body: { type: RequestBodyGraphQL, value: \
                { query: "{ org(id: {{ stream_partition.org }}) {id} }" } } }
                """,
            retriever: "{ partition_router: { type: ListPartitionRouter, values: [a], cursor_field: org } }")
        #expect(airbyte.text.contains("{ org(id: a) { id } }"), "\(airbyte.text)")
        #expect(airbyte.lines == [])
    }
}
