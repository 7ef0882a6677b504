// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import SidingPaging
import Testing

/// What points at members that AddFields adds, and at partitions.
@Suite struct AirbyteAdditionsTests {
    /// A stream whose key, cursor and schema name members that these fields add.
    private static func stream(_ fields: String, more: String = "", key: String = "pk") throws -> Imported {
        try Imported.airbyte(
            requester: "{ request_parameters: { since: \"{{ stream_interval.start_time }}\" } }",
            stream: """
                { primary_key: \(key), incremental_sync: { type: DatetimeBasedCursor, cursor_field: updated, \
                datetime_format: "%Y-%m-%dT%H:%M:%SZ" }, transformations: [{ type: AddFields, fields: [\(fields)] }\(more)], \
                schema_loader: { type: InlineSchemaLoader, schema: { properties: { pk: { type: string }, \
                updated: { type: string, format: date-time }, other: { type: integer } } } } }
                """)
    }

    private static let copies = """
        { path: [pk], value: "{{ record['attributes']['pk'] }}" }, \
        { path: [updated], value: "{{ record.get('attributes', {}).get('updated') }}" }
        """

    @Test func `key, cursor and columns are taken from where AddFields copies them`() throws {
        let imported = try Self.stream(Self.copies)
        let resource = try imported.resource
        #expect(resource.key == [JSONPath(members: ["attributes", "pk"])])
        #expect(resource.cursor?.place == .record(JSONPath(members: ["attributes", "updated"])))
        #expect(
            resource.schema.columns.map(\.path) == [
                JSONPath(members: ["attributes", "pk"]), JSONPath(members: ["attributes", "updated"]),
                JSONPath(member: "other"),
            ])
        #expect(imported.unmapped.map(\.path) == ["streams[0].transformations[0]"])
        let several = try Self.stream(Self.copies, key: "[[pk], [other]]")
        #expect(
            try several.resource.key == [JSONPath(members: ["attributes", "pk"]), JSONPath(member: "other")])
    }

    @Test func `a copy of a copy is taken from the first, and the last of two wins`() throws {
        let imported = try Self.stream(
            """
            { path: [flat], value: "{{ record.attributes }}" }, { path: [pk], value: "{{ now_utc() }}" }, \
            { path: [pk], value: "{{ record.flat.pk }}" }
            """)
        #expect(try imported.resource.key == [JSONPath(members: ["attributes", "pk"])])
    }

    @Test func `where AddFields computes the member, the cursor is left out, and the key is reported`() throws {
        let imported = try Self.stream(
            """
            { path: [pk], value: "{{ record.a ~ record.b }}" }, { path: [updated], value: "{{ now_utc() }}" }
            """)
        #expect(try imported.resource.cursor == nil)
        #expect(try imported.resource.query == [:])
        #expect(try imported.resource.key == [JSONPath(member: "pk")])
        let told = imported.unmapped.filter { $0.reason.contains("is added by AddFields") }
        #expect(told.map { String($0.path.suffix(12)) } == [".primary_key", "cursor_field"])
        #expect(told.first?.hint?.contains("write in 'key' a member that the origin sends") == true)
    }

    @Test func `members that AddFields copies from are not dropped`() throws {
        let imported = try Self.stream(
            Self.copies, more: ", { type: RemoveFields, field_pointers: [[attributes], [attributes, secret], [links]] }"
        )
        #expect(
            try imported.resource.schema.transforms.dropped.map(\.description) == ["$.attributes.secret", "$.links"])
        #expect(imported.reasons("streams[0].transformations[1].field_pointers[0]").count == 1)
    }

    @Test(arguments: [("owner/id", "$.owner.id"), ("owner.id", "$.\"owner.id\""), ("/a/b/", "$.a.b")])
    func `the parts of a parent's key are apart by slashes, and a dot is part of a name`(key: String, path: String)
        throws
    {
        let imported = try Imported.airbyte(
            requester: "{ path: \"/items/{{ stream_slice.owner }}\" }",
            retriever: """
                { partition_router: { type: SubstreamPartitionRouter, parent_stream_configs: [{ parent_key: \(key), \
                partition_field: owner, stream: { name: owners, primary_key: id, retriever: { requester: \
                { url_base: "https://api.example.com/v2/", path: /owners } } } }] } }
                """)
        let bindings = imported.config.resources.last?.forEach?.bindings
        #expect(bindings?.mapValues(\.description) == ["owner": path], "\(imported.text)")
        #expect(imported.lines == [])
    }

    // MARK: Header fields of partitions

    private static let values = "{ partition_router: { type: ListPartitionRouter, values: [a, b], cursor_field: org } }"

    @Test(
        arguments: [
            ("{ request_headers: { X-Org: \"{{ stream_partition.org }}\", X-All: c } }", "x: x"),
            ("{}", "request_option: { inject_into: header, field_name: X-Org }"),
        ])
    func `a header field with a listed value is that of a source for each value`(requester: String, option: String)
        throws
    {
        let imported = try Imported.airbyte(
            requester: requester,
            retriever: """
                { partition_router: { type: ListPartitionRouter, values: [a, b], cursor_field: org, \(option) } }
                """)
        let name = try #require(HTTPField.Name("X-Org"))
        #expect(imported.config.resources.map(\.name) == ["items_a", "items_b"])
        #expect(imported.config.resources.map { $0.source.headerFields[name] } == ["a", "b"])
        #expect(imported.lines == [])
    }

    @Test(
        arguments: [
            "{{ stream_interval.start_time }}", "{{ stream_partition.org }}-{{ stream_partition.other }}",
        ])
    func `a header field that differs between requests is reported and left out`(value: String) throws {
        let imported = try Imported.airbyte(
            requester: "{ request_headers: { X-Org: \"\(value)\" } }", retriever: Self.values)
        let name = try #require(HTTPField.Name("X-Org"))
        #expect(try imported.source.headerFields[name] == nil)
        #expect(imported.config.sources.count == 1)
        #expect(
            imported.unmapped.map(\.reason)
                == ["siding.yaml does not support a header field that differs between requests"])
    }

    @Test func `a stream with its parent in a header field alone is left out, and one with another place stays`()
        throws
    {
        func read(_ path: String) throws -> Imported {
            try Imported.airbyte(
                requester: "{ path: \"\(path)\", request_headers: { X-Owner: \"{{ stream_slice.owner }}\" } }",
                retriever: """
                    { partition_router: { type: SubstreamPartitionRouter, parent_stream_configs: [{ parent_key: id, \
                    partition_field: owner, stream: { name: owners, primary_key: id, retriever: { requester: \
                    { url_base: "https://api.example.com/v2/", path: /owners } } } }] } }
                    """)
        }
        let (alone, beside) = (try read("/items"), try read("/items/{{ stream_slice.owner }}"))
        #expect(alone.config.resources.map(\.name) == ["owners"])
        #expect(alone.lines.contains { $0.contains("which no request uses") }, "\(alone.lines)")
        #expect(beside.config.resources.map(\.name) == ["owners", "items"])
        for imported in [alone, beside] {
            #expect(imported.lines.contains { $0.contains("a header field that differs between requests") })
            #expect(imported.config.sources.count == 1)
            #expect(try imported.source.headerFields[#require(HTTPField.Name("X-Owner"))] == nil)
        }
    }
}
