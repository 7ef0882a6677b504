// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import SidingPaging
import Testing

/// Lists in requests, whose elements mean something else without a part of them.
@Suite struct ImportedListTests {
    /// A search with these filters and a cursor.
    private static func search(
        _ body: String, format: String = "%ms", start: String = "start_datetime: \"2020-01-01T00:00:00.000Z\", "
    ) throws -> Imported {
        try Imported.airbyte(
            requester: "{ http_method: POST, request_body_json: \(body) }",
            stream: """
                { incremental_sync: { type: DatetimeBasedCursor, cursor_field: updatedAt, datetime_format: "\(format)", \
                \(start)cursor_datetime_formats: ["%Y-%m-%dT%H:%M:%S.%fZ"] } }
                """)
    }

    private static func filters(_ start: String, _ end: String) -> String {
        """
        { filterGroups: [{ filters: [{ name: at, operator: GTE, value: "\(start)" }, \
        { name: at, operator: LTE, value: "\(end)" }] }], limit: 100 }
        """
    }

    private static let (start, end) = ("{{ stream_interval['start_time'] }}", "{{ stream_interval['end_time'] }}")

    @Test func `the end of a span in a list of filters is the moment of each listing`() throws {
        let imported = try Self.search(Self.filters(Self.start, Self.end))
        #expect(
            imported.text.contains(
                "{ filters: [{ name: at, operator: GTE, value: \"{cursor}\" }, "
                    + "{ name: at, operator: LTE, value: \"{until}\" }] }"), "\(imported.text)")
        #expect(imported.lines == [])
        #expect(try imported.resource.cursor != nil)
    }

    @Test func `an end in a list gives the cursor a start as well, so that the first listing has both`() throws {
        let imported = try Self.search(
            "{ since: \"\(Self.start)\", filters: [{ name: at, operator: LTE, value: \"\(Self.end)\" }] }", start: "")
        #expect(imported.text.contains("value: \"{until}\""), "\(imported.text)")
        #expect(try imported.resource.cursor?.start == "1970-01-01T00:00:00Z")
        #expect(imported.unmapped.first?.path.hasSuffix("filters[0].value") == true, "\(imported.lines)")
        #expect(imported.unmapped.count == 1)
    }

    @Test func `an end outside of lists needs no start`() throws {
        let imported = try Self.search("{ range: { gte: \"\(Self.start)\", lte: \"\(Self.end)\" } }")
        #expect(imported.text.contains("range: { gte: \"{cursor}\", lte: \"{until}\" }"), "\(imported.text)")
        #expect(imported.lines == [])
    }

    @Test func `a cursor in a list has a start, so that the first listing has it`() throws {
        let imported = try Self.search(Self.filters(Self.start, "9"), start: "")
        #expect(try imported.resource.cursor?.start == "1970-01-01T00:00:00Z")
        #expect(
            imported.unmapped.map(\.reason)
                == ["an element of a list needs the cursor, but the first listing has none"])
        let plain = try Self.search("{ since: \"\(Self.start)\" }", start: "")
        #expect(try plain.resource.cursor?.start == nil)
        #expect(plain.lines == [])
    }

    @Test func `an element that loses its value is removed whole, and so is a list that loses all of them`() throws {
        let unknown = "{{ format_datetime(stream_interval['start_time'], '%s') }}"
        let one = try Self.search(Self.filters(unknown, "9"))
        #expect(
            one.text.contains(
                "body: { filterGroups: [{ filters: [{ name: at, operator: LTE, value: \"9\" }] }], limit: 100 }"),
            "\(one.text)")
        let all = try Self.search("{ groups: [{ filters: [{ name: at, value: \"\(unknown)\" }] }], limit: 100 }")
        #expect(all.text.contains("body: { limit: 100 }"), "\(all.text)")
        for (imported, path) in [(one, "filterGroups[0].filters[0]"), (all, "groups[0]")] {
            let told = imported.unmapped.filter {
                $0.reason == "a part of a list element cannot be converted, so the element is left out"
            }
            #expect(told.map { $0.path.hasSuffix("request_body_json." + path) } == [true], "\(imported.lines)")
        }
    }

    @Test func `a plain value of a list is removed alone, or with the list that is its element`() throws {
        let unknown = "{{ now_utc() }}"
        let plain = try Self.search("{ ids: [a, \"\(unknown)\"], limit: 100 }")
        #expect(plain.text.contains("body: { ids: [a], limit: 100 }"), "\(plain.text)")
        let nested = try Self.search("{ where: [[at, lt, \"\(unknown)\"], [state, eq, open]] }")
        #expect(nested.text.contains("body: { where: [[state, eq, open]] }"), "\(nested.text)")
    }

    @Test func `an element that the grammar refuses is removed`() throws {
        let imported = try Self.search("{ filters: [{ name: a, value: \"{org}\" }, { name: b, value: c }] }")
        let body = try #require(try imported.resource.body)
        #expect(
            body.members == ["filters": .array([.object(["name": .string("b"), "value": .string("c")])])],
            "\(imported.text)")
        #expect(!imported.lines.isEmpty)
    }

    @Test func `without a cursor the elements that hold it are removed`() throws {
        let imported = try Imported.airbyte(
            requester: """
                { http_method: POST, request_body_json: { filters: [{ name: at, value: "\(Self.start)" }, \
                { name: b, value: c }] } }
                """)
        #expect(imported.text.contains("body: { filters: [{ name: b, value: c }] }"), "\(imported.text)")
        #expect(imported.unmapped.map(\.reason) == ["the body asks for a time span, but no cursor is declared"])
    }

    @Test func `the end of a span of numbers takes its element along`() throws {
        let imported = try Imported.dlt(
            """
            { name: a, primary_key: id, endpoint: { method: POST, json: { filters: [{ op: gte, \
            value: "{incremental.start_value}" }, { op: lte, value: "{incremental.end_value}" }] }, \
            incremental: { cursor_path: seq, initial_value: 7 } } }
            """)
        #expect(imported.text.contains("body: { filters: [{ op: gte, value: \"{cursor}\" }] }"), "\(imported.text)")
        #expect(imported.lines.count == 1 && imported.lines.joined().contains("the element is left out"))
    }
}
