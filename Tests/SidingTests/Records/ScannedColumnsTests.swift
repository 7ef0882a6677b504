// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingOrigin
import SidingSQLite
import SidingTesting
import Testing

@testable import Siding

/// A stored column holds the same whether its value was read from the record or computed by the column's expression.
@Suite struct ScannedColumnsTests {
    private static let types: [ColumnType] =
        [.any, .integer, .real, .decimal, .text, .boolean, .date]
        + ColumnType.TimeFormat.allCases.map(ColumnType.datetime)

    /// Values as they stand in JSON: usual ones, and those at the edge of what is usual.
    private static let values = [
        "null", "true", "false", "{}", "[]", #"{"b":1}"#, "[1,2]", "0", "-0", "7", "-7", "0.5", "-0.0", "1e3", "1E-2",
        "1.0",
        "123456789012345", "1234567890123456", "999999999999999999", "9007199254740993", "9223372036854775807",
        "-9223372036854775807", "9999999999999999999", "1000000000000000000",
        "9223372036854775808", "-9223372036854775808", "99999999999999999999", "0.1", "0.30000000000000004", "1e400",
        "-1e400",
        "122.41941550000001", "1e-400", "5.0e-324", "1700000000", "1700000000123", "253402300799", "253402300800",
        "253402300799999", "-1", "1700000000.5",
        #""""#, #"" ""#, #""a""#, #""true""#, #""false""#, #""TRUE""#, #""7""#, #""007""#, #""1.5""#, #""+5""#,
        #"" 5""#, #""now""#,
        #""-4713-11-24T12:00:00Z""#, #""\n""#, #""a\"b""#, #""\u00e9""#, #""\ud83d\ude00""#, #""a\u0000b""#, #""é日本""#,
        #""2024-01-31""#, #""2024-01-31T09:30""#, #""2024-01-31T09:30:00""#, #""2024-01-31T09:30:00Z""#,
        #""2024-01-31t09:30:00z""#,
        #""2024-01-31 09:30:00Z""#, #""2024-01-31T09:30:00+00:00""#, #""2024-01-31T09:30:00-00:00""#,
        #""2024-01-31T09:30:00+02:00""#, #""2024-01-31T09:30:00+0200""#, #""2024-02-29T00:00:00Z""#,
        #""2023-02-29T00:00:00Z""#,
        #""1900-02-29T00:00:00Z""#, #""2000-02-29T23:59:59Z""#, #""2024-04-31T00:00:00Z""#, #""2024-01-31T24:00:00Z""#,
        #""2024-01-31T23:59:60Z""#, #""2024-13-01T00:00:00Z""#, #""2024-00-01T00:00:00Z""#, #""0000-01-01T00:00:00Z""#,
        #""0001-01-01T00:00:00Z""#, #""9999-12-31T23:59:59.999Z""#, #""2024-01-31T09:30:00.1Z""#,
        #""2024-01-31T09:30:00.12Z""#,
        #""2024-01-31T09:30:00.123Z""#, #""2024-01-31T09:30:00.1234Z""#, #""2024-01-31T09:30:00.1235Z""#,
        #""2024-01-31T09:30:00.123456Z""#, #""2024-01-31T09:30:00.123500Z""#, #""2024-01-31T09:30:00.999999Z""#,
        #""2024-01-31T09:30:59.9996Z""#, #""2024-01-31T09:30:00.123456789Z""#, #""2024-01-31T09:30:00.1234567891Z""#,
        #""2024-01-31T09:30:00.Z""#, #""2024-01-31T09:30:00.5+00:00""#, #""2024-01-31T09:30:00Z ""#,
        #""2024-01-31T09:30:0Z""#, #""2024-02-30""#, #""2024-02-29""#, #""0000-01-01""#, #""2024-01-31x""#,
        #""2024-1-31""#,
        #""20240131""#, #""9.50""#, #""-9.50""#, #""100""#, #""0.10""#, #""1.""#, #"".5""#, #""1.2.3""#, #""1,5""#,
        #""123456789012345""#, #""1234567890123456.78""#, #""12.5 EUR""#, #""0""#, #""-0""#, #""00.0""#,
    ]

    /// Compares both ways for each record.
    ///
    /// - Returns: how many records were read, not computed.
    private func compare(_ records: [String], _ columns: [RecordColumn]) async throws -> Int {
        let store = try await FileBench().store
        let stored = columns.map { StoredColumn(column: $0) }
        let paths = columns.map(\.path)
        let scanned = try #require(ScannedColumns(stored, readAt: paths))
        let reader = PageReader(records: .root, key: [], columns: paths)
        return try await store.write { transaction in
            var count = 0
            for record in records {
                let page = Array("[\(record)]".utf8)
                let slice = try #require(try page.withUnsafeBytes { try reader.read($0) }.records.first)
                let expected = try transaction.first(
                    "SELECT \(stored.map { $0.value(of: "?1") }.joined)", record
                ) { row in stored.indices.map { row.value($0) } }
                var found: [SQLiteValue]?
                try page.withUnsafeBytes { bytes in
                    var find = try transaction.prepare("SELECT \(scanned.parameters.joined)")
                    let body = UnsafeRawBufferPointer(rebasing: bytes[slice.range])
                    guard try scanned.bind(slice.columns, of: body, to: &find, from: 1), try find.step() else {
                        return
                    }
                    found = stored.indices.map { find.row.value($0) }
                    count += 1
                }
                if let found { #expect(found == expected, "\(record)") }
            }
            return count
        }
    }

    @Test(arguments: types) func `values of all kinds are the same both ways`(_ type: ColumnType) async throws {
        let records = Self.values.map { #"{"z":[{"a":9}],"a":\#($0)}"# } + ["{}", "[]", "7", #"{"A":1}"#]
        let count = try await compare(records, [RecordColumn("a", type)])
        // Missing values, null and what is no object are usual for all types.
        #expect(count >= 5)
    }

    @Test func `random numbers and times are the same both ways`() async throws {
        var random = SeededGenerator(seed: 5)
        let columns = [
            RecordColumn("i", .integer), RecordColumn("r", .real), RecordColumn("t", .datetime(.rfc3339)),
            RecordColumn("s", .datetime(.epoch)), RecordColumn("m", .datetime(.epochMilliseconds)),
            RecordColumn("x", .text), RecordColumn("d", .decimal), RecordColumn("day", .date),
        ]
        var records: [String] = []
        for _ in 0..<5_000 {
            let digits = Int.random(in: 0...9, using: &random)
            let fraction =
                digits == 0 ? "" : "." + (0..<digits).map { _ in "\(Int.random(in: 0...9, using: &random))" }.joined()
            let (month, day) = (Int.random(in: 1...12, using: &random), Int.random(in: 1...31, using: &random))
            let time =
                "\(Int.random(in: 1000...9999, using: &random))-\(Self.two(month))-\(Self.two(day))T23:59:59\(fraction)Z"
            let real = Double(Int.random(in: -1_000_000_000...1_000_000_000, using: &random)) / 997
            records.append(
                """
                {"i":\(Int.random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)),"r":\(real),"t":"\(time)",
                "s":\(Int.random(in: 0...253_402_300_799, using: &random)),"m":\(Int.random(in: 0...253_402_300_799_999, using: &random)),
                "x":\(real),"d":"\(Int.random(in: 0...99_999_999, using: &random)).\(Self.two(day))",
                "day":"\(time.prefix(10))"}
                """)
        }
        let count = try await compare(records, columns)
        #expect(count > 4_000)
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    @Test func `members are found by name at every depth`() async throws {
        let columns = [
            RecordColumn("a", at: JSONPath(members: ["a", "b c", "é"])),
            RecordColumn("b", at: JSONPath(members: ["a", "d"])),
            RecordColumn("c", at: JSONPath(member: "c")), RecordColumn("d", .text, at: JSONPath(member: "c")),
        ]
        let records = [
            #"{"a":{"b c":{"é":1},"d":2},"c":"x"}"#, #"{"c":"x","a":{"d":2,"b c":{"é":"y"}}}"#,
            #"{"a":7,"c":null}"#, #"{"a":[{"d":1}],"c":true}"#, #"{"x":{"a":{"d":1}}}"#,
            #"{ "a" : { "d" : 2 } , "c" : 3 }"#,
        ]
        #expect(try await compare(records, columns) == records.count)
        // A name with escapes is left to SQLite, whose versions differ.
        #expect(try await compare([#"{"\u0061":{"d":1}}"#], columns) == 0)
    }

    @Test func `paths with an index, JSON columns and those that were not read are computed`() {
        let index = JSONPath.root.appending(.member("a")).appending(.index(0))
        let member = JSONPath(member: "a")
        let plain = StoredColumn(column: RecordColumn("a"))
        #expect(ScannedColumns([plain], readAt: [member]) != nil)
        #expect(ScannedColumns([StoredColumn(column: RecordColumn("a", at: index))], readAt: [index]) == nil)
        #expect(
            ScannedColumns([StoredColumn(column: RecordColumn("a", .json, isIndexed: true))], readAt: [member]) == nil)
        #expect(ScannedColumns([], readAt: []) == nil)
        #expect(ScannedColumns([plain], readAt: [JSONPath(member: "b")]) == nil)
    }

    @Test func `a page may hold usual and unusual records, and changes of both`() async throws {
        let bench = try await FileBench()
        let schema = RecordSchema(columns: [RecordColumn("n", .integer), RecordColumn("at", .datetime(.rfc3339))])
        try await bench.commit(
            #"[{"id":1,"n":1,"at":"2024-01-31T09:30:00Z"},{"id":2,"n":"2","at":"2024-01-31T09:30:00+02:00"},{"id":3}]"#,
            schema: schema)
        let query = "SELECT siding_key, n, typeof(n), at FROM posts ORDER BY siding_key"
        #expect(
            try await bench.rows(query) == [
                ["1", "1", "integer", "2024-01-31T09:30:00.000Z"], ["2", "2", "integer", "2024-01-31T07:30:00.000Z"],
                ["3", nil, "null", nil],
            ])
        try await bench.commit(
            #"[{"id":1,"n":1.0},{"id":2,"n":5,"at":"2024-01-31"},{"id":3,"n":"x","at":"soon"}]"#, schema: schema)
        #expect(
            try await bench.rows(query) == [
                ["1", "1", "integer", nil], ["2", "5", "integer", "2024-01-31T00:00:00.000Z"],
                ["3", "x", "text", "soon"],
            ])
    }
}
