// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingJSON
import SidingManifest
import Testing

@Suite struct ColumnGrammarTests {
    private static func file(_ columns: String) -> String {
        """
        version: 1
        sources: { a: { base_url: https://example.com } }
        resources:
          issues:
            path: /issues
            key: id
            columns: \(columns)
        """
    }

    @Test func `columns are read by type, by path and in full`() throws {
        let issues = try #require(try Fixture.parse(FullConfig.text).resources.first)
        #expect(
            issues.schema.columns == [
                RecordColumn("id", .integer), RecordColumn("author", at: try JSONPath(parsing: "$.user.login")),
                RecordColumn(
                    "updated_at", .datetime(.rfc3339), at: try JSONPath(parsing: "$.meta.updated"), isIndexed: true),
                RecordColumn("seen", .datetime(.epochMilliseconds)),
            ])
        #expect(
            try Fixture.parse(Self.file("{ no: text }")).resources.first?.schema.columns == [RecordColumn("no", .text)])
    }

    @Test func `each type has its word`() throws {
        let types: [ColumnType] = [
            .integer, .real, .decimal, .text, .boolean, .datetime(.rfc3339), .date, .json,
        ]
        let columns = types.map { "\($0.name)_: \($0.name)" }.joined(separator: ", ")
        #expect(
            try Fixture.parse(Self.file("{ \(columns) }")).resources.first?.schema.columns
                == types.map { RecordColumn("\($0.name)_", $0) })
    }

    @Test func `columns beyond the limit are one fault, at the first of them`() {
        let columns = (1...600).map { "m\($0): text" }.joined(separator: ",\n        ")
        let faults = Fixture.faults(Self.file("{ \(columns) }"))
        #expect(faults.count == 1, "\(faults.count)")
        #expect(faults.first?.hasPrefix("siding.yaml:207:") == true, "\(faults)")
        #expect(faults.first?.contains("600 columns are more than 200") == true)
    }

    @Test(arguments: [
        ("{}", "is empty"), ("[id]", "is a list"), ("{ id: int }", "is 'int'"), ("{ id: ~ }", "a type (integer"),
        ("{ id: [text] }", "a type (integer"), ("{ id: \"$.a[*]\" }", "several values"), ("{ id: $a }", "after a part"),
        ("{ id: { typ: text } }", "unknown key 'typ'"), ("{ id: { type: int } }", "is 'int'"),
        ("{ id: { type: text, format: epoch } }", "only for the type datetime"),
        ("{ id: { type: date, format: epoch } }", "only for the type datetime"), ("{ id: decimals }", "did you mean"),
        ("{ id: money }", "decimal"),
        ("{ id: { index: 1 } }", "is '1'"), ("{ siding_key: text }", "siding_ are Siding's own"),
        ("{ id: text, ID: text }", "ignores upper and lower case"), ("{ q: '$.\"a\\\"b\"' }", "cannot reach"),
        ("{ \"a\\nb\": text }", "control character"),
    ])
    func `a column that cannot be is a fault in its place`(_ columns: String, _ words: String) {
        let faults = Fixture.faults(Self.file(columns))
        #expect(faults.contains { $0.hasPrefix("siding.yaml:7:") && $0.contains(words) }, "\(faults)")
    }
}
