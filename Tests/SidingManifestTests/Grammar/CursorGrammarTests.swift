// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import Siding
import SidingJSON
import SidingManifest
import SidingPaging
import Testing

@Suite struct CursorGrammarTests {
    private static func file(_ cursor: String, query: String = "{ since: '{cursor}' }") -> String {
        """
        version: 1
        sources: { a: { base_url: "https://example.com/v1" } }
        resources:
          issues:
            path: /issues
            key: id
            query: \(query)
            cursor: \(cursor)
        """
    }

    private static func cursor(_ text: String) throws -> IncrementalCursor {
        try #require(try Fixture.parse(file(text)).resources.first?.cursor)
    }

    @Test func `every key of a cursor is read`() throws {
        let resource = try #require(try Fixture.parse(FullConfig.text).resources.first { $0.name == "f" })
        #expect(
            resource.cursor
                == IncrementalCursor(
                    at: .record(JSONPath(member: "at")), type: .epoch, direction: .max, start: "1700000000",
                    lookback: .time(.seconds(600)), order: .ascending, retention: .seconds(30 * 86_400),
                    format: .datetime))
    }

    @Test func `omitted keys have their usual values, and a token is text`() throws {
        #expect(try Self.cursor("{ path: $.at }") == IncrementalCursor(at: .record(JSONPath(member: "at"))))
        #expect(
            try Self.cursor("{ envelope: $.token }")
                == IncrementalCursor(at: .envelope(JSONPath(member: "token")), type: .text))
        #expect(
            try Self.cursor("{ envelope: $.end_time, type: epoch }")
                == IncrementalCursor(at: .envelope(JSONPath(member: "end_time")), type: .epoch))
        #expect(try Self.cursor("{ header: Date }") == IncrementalCursor(at: .header(.date)))
        #expect(try Self.cursor("{ path: $.id, type: integer, lookback: 5 }").lookback == .count(5))
    }

    @Test func `an origin that lists the newest first needs no parameter`() throws {
        let config = try Fixture.parse(Self.file("{ path: $.at, order: desc }", query: "{ per_page: 9 }"))
        #expect(config.resources.first?.cursor?.order == .descending)
    }

    @Test(arguments: [
        ("{}", "does not say where its value is"),
        ("{ path: $.at, header: Date }", "does not say where its value is"),
        ("{ path: '$.at[*]' }", "several values"),
        ("{ path: $.at, type: time }", "is 'time'"),
        ("{ path: $.at, start: yesterday }", "is 'yesterday'"),
        ("{ path: $.at, type: integer, start: 1.5 }", "is '1.5'"),
        ("{ path: $.at, lookback: 5 }", "does not go with type datetime"),
        ("{ path: $.at, type: integer, lookback: 5m }", "does not go with type integer"),
        ("{ path: $.at, type: text, lookback: 5m }", "does not go with type text"),
        ("{ path: $.at, type: integer, format: datetime }", "has format datetime with type integer"),
        ("{ envelope: $.token, order: asc }", "has an order, which only values of records have"),
        ("{ header: Date, keep: min }", "has an order, which only values of records have"),
        ("{ path: $.at, retention: 0s }", "is '0s'"),
    ])
    func `a cursor that cannot be is a fault in its place`(_ cursor: String, _ words: String) {
        let faults = Fixture.faults(Self.file(cursor))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:8:") && $0.contains(words) }, "\(faults)")
    }

    @Test func `a placeholder without a cursor, and a cursor without a placeholder, are faults`() {
        let unused = Fixture.faults(Self.file("{ path: $.at }", query: "{ since: 1 }"))
        #expect(unused.count == 1 && unused[0].contains("is used by no request"))
        let text = Self.file("{}").split(separator: "\n").dropLast().joined(separator: "\n")
        #expect(
            Fixture.faults(text).contains { $0.hasPrefix("siding.yaml:7:12:") && $0.contains("there is no cursor") })
    }
}
