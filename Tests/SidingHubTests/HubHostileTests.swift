// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingChain
import SidingJSON
import SidingSQLite
import TestSupport
import Testing

@testable import Siding
@testable import SidingHub

/// Values that PostgreSQL cannot store: each is counted, its record arrives, and the station goes on.
@Suite(.timeLimit(.minutes(5))) struct HubHostileTests {
    private static let columns = [
        RecordColumn("title", .text), RecordColumn("anything"), RecordColumn("price", .decimal),
        RecordColumn("weight", .real), RecordColumn("number", .integer), RecordColumn("flag", .boolean),
        RecordColumn("at", .datetime(.rfc3339)), RecordColumn("day", .date), RecordColumn("seconds", .datetime(.epoch)),
        RecordColumn("doc", .json),
    ]

    /// The members of one record each.
    private static let records = [
        #""title":"a\u0000b","anything":"x\u0000y""#,
        #""anything":1e140000,"price":1e140000,"weight":1e140000,"number":1e140000"#,
        #""anything":1e400,"price":1e400,"weight":1e400,"number":1e400"#,
        #""anything":1e-400,"price":1e-400,"weight":1e-400,"number":1e-400"#,
        #""price":"NaN","weight":"NaN","number":"NaN""#,
        #""price":"Infinity","weight":"-Infinity","number":"inf","at":"infinity","day":"infinity""#,
        #""at":"300000-01-01T00:00:00Z","day":"300000-01-01","seconds":9467085600000"#,
        #""at":"-5000-01-01T00:00:00Z","day":"-5000-01-01","seconds":-219940000000"#,
        #""at":"0000-01-01T00:00:00Z","day":"0000-01-01","seconds":-62167219200"#,
        #""at":"2024-01-01T24:00:00Z","day":"2024-01-01T24:00:00Z""#,
        #""at":"2016-12-31T23:59:60Z","day":"2016-12-31T23:59:60Z""#, #""at":"2016-12-31T23:59:60.5Z""#,
        #""at":"2024-01-31T09:30:00+14:00","day":"2024-01-31T09:30:00-12:00""#, #""at":"0001-01-01T00:00:00+14:00""#,
        #""at":"9999-12-31T23:59:59.9999Z","day":"9999-12-31""#,
        #""flag":"perhaps","number":"0x10","weight":"0x1p3""#,
        #""doc":{"a":"\u0000","b":1e140000},"title":{"a":1}"#,
        #""number":123456789012345678901234567890,"price":"\#(String(repeating: "9", count: 1_001))""#,
        #""title":"\ufffe\uffff \ud83d\ude00","flag":true"#, #""title":"a\u0001\u001f\\ \"{}\t","flag":1"#,
        #""number":true,"weight":false,"price":true,"at":true,"day":false,"seconds":true,"flag":2"#,
    ]

    /// What the file cannot take is in its quarantine.
    private static let unstored = [
        #"{"id":101,"title":"\ud800"}"#, #"{"id":"\ud800"}"#, #"{"id":"a\u0000b"}"#,
        #"{"id":102,"doc":\#(String(repeating: "[", count: 10_000))\#(String(repeating: "]", count: 10_000))}"#,
    ]

    private static let misfits = [
        "price": 5, "weight": 6, "number": 7, "flag": 2, "at": 7, "day": 5, "seconds": 4,
    ]

    private func page(_ more: String) -> String {
        let objects = Self.records.enumerated().map { #"{"id":\#($0 + 1),\#($1)\#(more)}"# }
        return "[\((objects + Self.unstored).joined(separator: ","))]"
    }

    private func expectAllThere(_ bench: HubBench) async throws {
        let rows = StationRows(resource: "issues", columns: [])
        let inHub = try await rows.inHub(bench.server, schema: bench.target.schema, station: bench.target.station)
        #expect(try await rows.inFile(bench.store) == inHub)
    }

    @Test func `what does not fit is counted in each way in which rows are sent`() async throws {
        let bench = try await HubBench(columns: Self.columns)
        try await bench.sync(page(""))
        let copied = try await bench.publish()
        #expect(copied.error == nil && copied.rows == Self.records.count && copied.misfits == Self.misfits, "\(copied)")
        try await expectAllThere(bench)
        try await bench.sync(page(#","again":1"#))
        let replaced = try await bench.publish()
        #expect(replaced.rows == Self.records.count && replaced.misfits == Self.misfits, "\(replaced)")
        try await expectAllThere(bench)
        let time = "to_char(\"at\" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')"
        #expect(
            try await Set(bench.query("SELECT \(time) FROM @.issues WHERE \"at\" IS NOT NULL")) == [
                "2017-01-01 00:00:00.000", "2017-01-01 00:00:00.500", "2024-01-30 19:30:00.000",
                "9999-12-31 23:59:59.999",
            ])
        let prices = try await bench.query("SELECT price FROM @.issues WHERE price > 1e399")
        #expect(prices == ["1" + String(repeating: "0", count: 400)])
        #expect(try await bench.publish() == HubReport("issues"))
    }

    @Test func `the longest key and the longest name of a station fit in the index`() async throws {
        // An index makes texts shorter that repeat themselves.
        let letters = (0..<2_000).map { _ in Character(UnicodeScalar(UInt32.random(in: 0x1F300...0x1F5FF)) ?? "x") }
        let bench = try await HubBench(String(letters.prefix(200)))
        let longest = String(Self.noise(400).prefix(HubTable.longestKey))
        let characters = String(letters.suffix(HubTable.longestKey / 4))
        try await bench.sync(
            #"[{"id":"\#(longest)","title":"a"},{"id":"\#(characters)","title":"b"},{"id":"\#(longest)x"}]"#)
        let report = try await bench.publish()
        #expect(report.error == nil && report.misfits["siding_key"] == 1, "\(report)")
        #expect(try await bench.query("SELECT title FROM @.issues ORDER BY title") == ["a", "b"])
    }

    @Test func `columns for which the table has no room are counted`() async throws {
        var bench = try await HubBench()
        try await bench.sync(#"[{"id":1,"title":"a","extra":"b"}]"#)
        try await bench.publish()
        // A column that was dropped counts, too.
        let additions = (1...1_590).map { "ADD COLUMN c\($0) text" }
        _ = try await bench.query("ALTER TABLE @.issues \(additions.joined(separator: ", "))")
        _ = try await bench.query("ALTER TABLE @.issues DROP COLUMN c1590")
        try await bench.declare(HubBench.columns + [RecordColumn("extra", .text)])
        let others = #"{"id":2,"title":"c"},{"id":3,"title":"d","extra":"e"}"#
        try await bench.sync(#"[{"id":1,"title":"a","extra":"b"},\#(others)]"#)
        let report = try await bench.publish()
        #expect(report.error == nil && report.misfits == ["extra": 2], "\(report)")
        #expect(try await bench.living() == ["van-1 1 a -", "van-1 2 c -", "van-1 3 d -"])
        #expect(try await bench.query("SELECT siding_body ->> 'extra' FROM @.issues WHERE id = 3") == ["e"])
        try await bench.sync(#"[{"id":1,"title":"z","extra":"b"},\#(others)]"#)
        #expect(try await bench.publish().misfits == ["extra": 1])
    }

    /// A text that nothing makes shorter.
    private static func noise(_ count: Int) -> String {
        (0..<count).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
    }

    /// A row must fit in a page of 8 KiB, but for texts that are stored elsewhere and leave 18 bytes.
    @Test func `as many columns as can be declared fit in a row`() async throws {
        let types: [ColumnType] = [.text, .boolean, .integer, .text, .decimal, .date, .real, .json, .text]
        let columns = (0..<RecordSchema.maxColumns).map { RecordColumn("c\($0)", types[$0 % types.count]) }
        let bench = try await HubBench(columns: columns)
        let members = columns.map { column in
            let value =
                switch column.type {
                case .boolean: "true"
                case .integer: "\(Int64.random(in: 0...(.max)))"
                case .decimal: (0..<20).map { _ in "\(UInt32.random(in: 1...(.max)))" }.joined()
                case .date: #""2024-01-31""#
                case .real: "\(Double.random(in: 1...2))"
                case .json: #"["\#(Self.noise(4))"]"#
                default: #""\#(Self.noise(40))""#
                }
            return #""\#(column.name)":\#(value)"#
        }
        try await bench.sync(#"[{"id":1,\#(members.joined(separator: ","))}]"#)
        let report = try await bench.publish()
        #expect(report.error == nil && report.rows == 1 && report.misfits == [:], "\(report)")
        let filled = columns.map { "\($0.name) IS NOT NULL" }.joined(separator: " AND ")
        #expect(try await bench.query("SELECT count(*) FROM @.issues WHERE \(filled)") == ["1"])
    }

    @Test(arguments: [("xmin", "of its own"), (String(repeating: "é", count: 32), "longer than the 63 bytes")])
    func `a name that no table of PostgreSQL can have is refused with what to do`(name: String, text: String)
        async throws
    {
        let bench = try await HubBench(columns: [RecordColumn(name, .text)])
        try await bench.sync(#"[{"id":1}]"#)
        let error = try await bench.publish().error
        #expect(error?.kind == .refused && error?.hint != nil)
        #expect(error?.message.contains(text) == true, "\(error as Any)")
        let long = HubTable(schema: "siding", resource: String(repeating: "x", count: 59), columns: [])
        #expect(throws: HubError.self) { try long.check() }
    }

    @Test func `a body that is nested too deeply leaves the rest of its record`() async throws {
        let bench = try await HubBench(columns: [RecordColumn("title", .text)])
        try await bench.sync(#"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#)
        try await bench.publish()
        try await bench.replaceBody(
            of: 1, by: "replace(hex(zeroblob(10000)), '0', '[') || replace(hex(zeroblob(10000)), '0', ']')")
        let report = try await bench.publish()
        #expect(report.error == nil && report.misfits == ["siding_body": 1], "\(report)")
        #expect(
            try await bench.query("SELECT siding_key, title, siding_body IS NULL FROM @.issues ORDER BY 1") == [
                "1 a t", "2 b f",
            ])
    }

    /// Takes about 500 MB of memory here, and ten seconds in a build with checks.
    @Test(.enabled(if: Proof.length != .short)) func `a body of 100 MB arrives`() async throws {
        let bench = try await HubBench(columns: [RecordColumn("title", .text)])
        try await bench.sync(#"[{"id":1,"title":"a"},{"id":2,"title":"b"}]"#)
        try await bench.publish()
        try await bench.replaceBody(of: 1, by: #"'"' || replace(hex(zeroblob(50000000)), '0', 'x') || '"'"#)
        let report = try await bench.publish()
        #expect(report.error == nil && report.rows == 1 && report.misfits == [:], "\(report)")
        #expect(
            try await bench.query("SELECT length(siding_body::text) FROM @.issues ORDER BY siding_key") == [
                "100000018", "20",
            ])
        try await bench.sync(#"[{"id":1,"title":"c"},{"id":2,"title":"b"}]"#)
        #expect(try await bench.publish().rows == 1)
    }
}

extension HubBench {
    /// Changes a record behind the back of all that would refuse it: `{"id":…,"body":…}` with the SQL text.
    fileprivate func replaceBody(of key: Int, by sql: String) async throws {
        try await store.write { transaction in
            try transaction.execute("UPDATE siding_resources SET revision = revision + 1")
            try transaction.execute(
                SQL(
                    verbatim: """
                        UPDATE siding_records_issues SET body = '{"id":\(key),"body":' || \(sql) || '}',
                            revision = (SELECT revision FROM siding_resources) WHERE key = \(key)
                        """))
        }
    }
}
