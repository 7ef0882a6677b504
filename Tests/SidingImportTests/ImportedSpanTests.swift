// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import SidingPaging
import Testing

/// Moments and spans of time in requests.
@Suite struct ImportedSpanTests {
    /// A stream with a cursor of these formats, sent as `since`.
    private static func cursor(_ formats: String, _ more: String = "x: x") throws -> Imported {
        try Imported.airbyte(
            stream: """
                { incremental_sync: { type: DatetimeBasedCursor, cursor_field: updated, \(formats), \
                start_time_option: { inject_into: request_parameter, field_name: since }, \
                $parameters: { \(more) } } }
                """)
    }

    @Test(
        arguments: [
            ("%Y-%m-%dT%H:%M:%SZ", nil, nil, 0),
            ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%SZ", nil, 0),
            ("%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S", CursorType.datetime, 0),
            ("%Y-%m-%dT%H:%M:%SZ", "%s", .datetime, 0),
            ("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S.%fZ", .date, 0),
            ("%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", nil, 1),
            ("%Y-%m-%d %H:%M:%S", "%s", .datetime, 1),
            ("%Y-%m-%d %H:%M:%S", nil, nil, 0),
        ] as [(String, String?, CursorType?, Int)])
    func `requests have their declared format, or the format is reported`(
        requests: String, records: String?, format: CursorType?, count: Int
    ) throws {
        let other = records.map { ", cursor_datetime_formats: [\"\($0)\"]" } ?? ""
        let imported = try Self.cursor("datetime_format: \"\(requests)\"\(other)")
        #expect(try imported.resource.cursor?.format == format, "\(imported.text)")
        #expect(imported.unmapped.count == count, "\(imported.lines)")
        if count > 0 {
            #expect(imported.lines.first?.contains("siding.yaml cannot write a time as '\(requests)'") == true)
        }
    }

    @Test func `where no request carries the cursor, no format of requests is lost`() throws {
        let imported = try Imported.airbyte(
            stream: """
                { incremental_sync: { type: DatetimeBasedCursor, cursor_field: updated, is_data_feed: true, \
                datetime_format: "%Y-%m-%d %H:%M:%S", cursor_datetime_formats: ["%s"] } }
                """)
        #expect(try imported.resource.cursor?.format == nil)
        #expect(try imported.resource.cursor?.order == .descending)
        #expect(imported.lines == [])
    }

    @Test func `a start or a window is written in RFC 3339, and another format is reported`() throws {
        let imported = try Self.cursor(
            "datetime_format: \"%Y-%m-%d %H:%M:%S\"", "lookback_window: P1D")
        #expect(imported.unmapped.map(\.path) == ["streams[0].incremental_sync.datetime_format"])
    }

    @Test(arguments: ["%s", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%ms"])
    func `a span of time in one parameter keeps both ends, since a sync has both`(format: String) throws {
        let imported = try Imported.airbyte(
            requester: """
                { request_parameters: { "updated_at[between]": \
                "'[{{ stream_slice['start_time'] }}, {{ stream_slice['end_time'] }}]'" } }
                """,
            stream: """
                { incremental_sync: { type: DatetimeBasedCursor, cursor_field: updated, datetime_format: "\(format)" } }
                """)
        #expect(try imported.resource.query == ["updated_at[between]": .string("[{cursor}, {until}]")])
        #expect(try imported.resource.cursor != nil)
        #expect(imported.lines == [])
    }

    @Test func `a span of numbers stays and is reported, since only times have an end`() throws {
        let imported = try Imported.dlt(
            """
            { name: a, primary_key: id, endpoint: { \
            params: { q: "{incremental.start_value}..{incremental.end_value}" }, \
            incremental: { cursor_path: seq, initial_value: 7 } } }
            """)
        #expect(try imported.resource.query == ["q": .string("{cursor}..{until}")])
        #expect(imported.lines.count == 1 && imported.lines.joined().contains("fetches everything"))
        let body = try Imported.dlt(
            """
            { name: a, primary_key: id, endpoint: { method: POST, json: { q: { at: \
            ["{incremental.start_value}/{incremental.end_value}"] } }, \
            incremental: { cursor_path: at, initial_value: "2024-01-01T00:00:00Z" } } }
            """)
        #expect(body.text.contains("{cursor}/{until}"), "\(body.text)")
        #expect(body.lines == [])
    }
}
