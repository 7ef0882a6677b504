// SPDX-License-Identifier: Apache-2.0
import PostgreSQLTestSupport
import SidingJSON
import SidingPostgreSQL
import SidingSynchronization
import Testing

@testable import Siding
@testable import SidingHub

/// The first records of a station are copied; later ones are inserted or replaced.
@Suite(.timeLimit(.minutes(5))) struct HubCopyingTests {
    /// What ends a value or a row of COPY, or stands for NULL.
    private static let texts = [
        "tab\there", "two\nlines", "carriage\rreturn", #"back\slash"#, #"\N"#, #"\."#, "", "ü€😀", #"\t"#, " spaces ",
        #""quoted""#, "{1,2}", "NULL",
    ]

    private static func record(_ number: Int, _ title: String) -> String {
        var text = ""
        for character in title.unicodeScalars {
            switch character {
            case "\\", "\u{22}": text += "\\\(character)"
            case "\t", "\n", "\r": text += character == "\t" ? "\\t" : character == "\n" ? "\\n" : "\\r"
            default: text.unicodeScalars.append(character)
            }
        }
        return #"{"id":\#(number),"title":"\#(text)"}"#
    }

    private static func records(_ numbers: Range<Int>) -> String {
        let objects = numbers.map { record($0, texts[$0 % texts.count]) }
        return "[\(objects.joined(separator: ","))]"
    }

    @Test func `every text arrives as it is`() async throws {
        let bench = try await HubBench()
        try await bench.sync(Self.records(0..<Self.texts.count))
        #expect(try await bench.publish().rows == Self.texts.count)
        let found = try await bench.query(
            "SELECT encode(convert_to(title, 'UTF8'), 'hex') = encode(convert_to(siding_body ->> 'title', 'UTF8'), 'hex') FROM @.issues"
        )
        #expect(found == Array(repeating: "t", count: Self.texts.count))
        let lengths = try await bench.query("SELECT octet_length(title) FROM @.issues ORDER BY id")
        #expect(lengths == Self.texts.map { "\($0.utf8.count)" })
        #expect(try await bench.query("SELECT count(*) FROM @.issues WHERE price IS NULL") == ["\(Self.texts.count)"])
    }

    @Test func `more than one chunk and more than one batch arrive`() async throws {
        let bench = try await HubBench()
        let long = String(repeating: "\\\t", count: 30_000)
        let objects = (0..<12).map { Self.record($0, "\($0)\(long)") }
        try await bench.sync("[\(objects.joined(separator: ","))]")
        #expect(try await bench.publish { $0.most.rows = 9 }.rows == 12)
        #expect(
            try await bench.query(
                "SELECT count(*), min(length(title)), sum(id) FROM @.issues WHERE title LIKE id || '%'")
                == ["12 60001 66"])
    }

    @Test func `a server that does not copy into such a table gets rows by statements`() async throws {
        let bench = try await HubBench()
        try await bench.sync(Self.records(0..<2))
        try await bench.publish()
        let role = "r\(UInt64.random(in: .min ... .max))"
        for sql in [
            "CREATE ROLE \(role) LOGIN", "GRANT USAGE ON SCHEMA \"\(bench.target.schema)\" TO \(role)",
            "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA \"\(bench.target.schema)\" TO \(role)",
            "ALTER TABLE @.issues ENABLE ROW LEVEL SECURITY",
            "CREATE POLICY own ON @.issues USING (siding_station = 'van-2')",
        ] { _ = try await bench.query(sql) }
        var other = try await HubBench("van-2", beside: bench)
        other.target.address = bench.server.settings(user: role).address
        try await other.sync(Self.records(0..<7))
        #expect(try await other.publish { $0.most.rows = 2 }.rows == 7)
        #expect(
            try await bench.query("SELECT siding_station, count(*) FROM @.issues GROUP BY 1 ORDER BY 1") == [
                "van-1 2", "van-2 7",
            ])
    }

    @Test func `rows of the station that were left there are replaced`() async throws {
        let bench = try await HubBench()
        try await bench.sync(Self.records(0..<5))
        try await bench.publish()
        // The position is lost, the rows are not; the file knows nothing of the hub.
        _ = try await bench.query("DELETE FROM @.siding_positions RETURNING station")
        _ = try await bench.query("UPDATE @.issues SET title = 'old', siding_revision = 0 RETURNING id")
        let other = try await HubBench(beside: bench)
        try await other.sync(Self.records(0..<7))
        let report = try await other.publish { $0.most.rows = 2 }
        #expect(report.error == nil)
        #expect(report.rows == 7)
        #expect(try await other.query("SELECT count(*) FROM @.issues WHERE title = siding_body ->> 'title'") == ["7"])
    }
}
