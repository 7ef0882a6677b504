// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingChain
import SidingImport
import SidingJSON
import SidingManifest
import Testing

@Suite struct AirbyteStopTests {
    /// A stream by cursor with this condition.
    private static func stream(_ stop: String, cursor: String = "{{ response.meta.next }}") throws -> Imported {
        try Imported.airbyte(
            retriever: """
                { paginator: { type: DefaultPaginator, page_token_option: { inject_into: request_parameter, \
                field_name: after }, pagination_strategy: { type: CursorPagination, page_size: 2, \
                cursor_value: "\(cursor)", stop_condition: "\(stop)" } } }
                """)
    }

    @Test(
        arguments: [
            "{{ response.get('end_of_stream') }}", "{{ response.end_of_stream }}", "{{ response['end_of_stream'] }}",
            "{{ response.end_of_stream == true }}", "{{ response['end_of_stream'] is true }}",
            "{{ not response.end_of_stream == false }}", "{{ not response.end_of_stream != True }}",
        ])
    func `a member that is true on the last page is is_last`(stop: String) throws {
        let imported = try Self.stream(stop)
        // What is anything but false need not be true.
        let isKnown = !stop.contains("false")
        #expect(
            try imported.resource.stop
                == StopRules(isLast: isKnown ? JSONPath(member: "end_of_stream") : nil), "\(imported.text)")
        #expect(imported.lines.isEmpty == isKnown)
    }

    @Test(
        arguments: [
            "{{ not response.get('has_more') }}", "{{ response.has_more == false }}",
            "{{ response.has_more is false }}",
            "{{ not response.has_more == true }}", "{{ response.has_more != true }}",
            "{{ response.has_more is not true }}",
            "{{ not (response.has_more) }}",
        ])
    func `a member that is false on the last page is has_more`(stop: String) throws {
        let imported = try Self.stream(stop)
        #expect(try imported.resource.stop == StopRules(hasMore: JSONPath(member: "has_more")), "\(imported.text)")
        #expect(imported.lines == [])
    }

    @Test(
        arguments: [
            "{{ last_page_size == 0 }}", "{{ last_page_size < 2 }}", "{{ not last_records }}",
            "{{ last_records | length == 0 }}", "{{ (last_records|length) < 2 }}",
        ])
    func `a condition on the size of a page is reported beside a token, and ends a listing by last records`(
        stop: String
    ) throws {
        let token = try Self.stream(stop)
        #expect(try token.resource.stop == StopRules())
        #expect(
            token.unmapped.map(\.reason) == [
                "the number of records on a page does not end a listing: it continues while the origin names a next page, "
                    + "also after an empty one"
            ])
        #expect(token.lines.first?.contains("write 'stop' with 'max_pages'") == true)
        #expect(try Self.stream(stop, cursor: "{{ last_record['id'] }}").lines == [])
    }

    @Test(
        arguments: [
            "{{ last_page_size == 0 or response.done }}", "{{ response.page >= response.pages }}",
            "{{ response.meta.next }}", "{{ response.a is not none }}", "{{ last_page_size > 2 }}",
        ])
    func `an unsupported condition is reported, and ends nothing`(stop: String) throws {
        let imported = try Self.stream(stop)
        #expect(try imported.resource.stop == StopRules())
        #expect(
            imported.unmapped.map(\.reason) == [
                "the import supports only a condition on a member that is true or false"
            ],
            "\(imported.lines)")
    }

    @Test(arguments: ["{{ false }}", "{{ not response.meta.next }}", "{{ response.meta is not defined }}"])
    func `a redundant condition beside the token is not reported`(stop: String) throws {
        let imported = try Self.stream(stop)
        #expect(try imported.resource.stop == StopRules())
        #expect(imported.lines == [])
    }
}
