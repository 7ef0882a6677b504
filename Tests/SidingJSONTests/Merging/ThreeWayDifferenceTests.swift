// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct ThreeWayDifferenceTests {
    static func difference(_ base: String?, _ mine: String, _ theirs: String) throws -> ThreeWayDifference {
        ThreeWayDifference(
            base: try base.map { try JSONDocument($0) }, mine: try JSONDocument(mine), theirs: try JSONDocument(theirs))
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let base: String?
        let mine: String
        let theirs: String
        /// Who changed what: "mine $.a".
        let rows: [String]
        let merged: String?
        var testDescription: String { "\(base ?? "-") | \(mine) | \(theirs)" }
        init(_ base: String?, _ mine: String, _ theirs: String, _ rows: [String], _ merged: String?) {
            (self.base, self.mine, self.theirs, self.rows, self.merged) = (base, mine, theirs, rows, merged)
        }
    }

    static let table: [Row] = [
        Row(#"{"a":1}"#, #"{"a":1}"#, #"{"a":1}"#, [], #"{"a":1}"#),
        // One side.
        Row(#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"a":1,"b":1}"#, ["mine $.a"], #"{"a":2,"b":1}"#),
        Row(#"{"a":1,"b":1}"#, #"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, ["theirs $.a"], #"{"a":2,"b":1}"#),
        Row(#"{"a":1}"#, #"{"a":1,"b":2}"#, #"{"a":1.0}"#, ["mine $.b"], #"{"a":1.0,"b":2}"#),
        Row(#"{"a":1}"#, #"{"a":1,"b":null}"#, #"{"a":1 }"#, ["mine $.b"], #"{"a":1,"b":null }"#),
        Row(#"{"a":1,"b":2}"#, #"{"a":1}"#, #"{"a":1, "b":2}"#, ["mine $.b"], #"{"a":1}"#),
        Row(#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, #"{"a":1}"#, ["theirs $.b"], #"{"a":1}"#),
        Row(
            #"{"a":{"b":{"c":1,"d":1}}}"#, #"{"a":{"b":{"c":2,"d":1}}}"#, #"{"a":{"b":{"d":1,"c":1}}}"#,
            ["mine $.a.b.c"], #"{"a":{"b":{"d":1,"c":2}}}"#),
        Row("1", "2", "1.0", ["mine $"], "2"), Row("1", "1.0", "[]", ["theirs $"], "[]"),
        Row(#"{"a":1}"#, "null", #"{ "a":1}"#, ["mine $"], "null"),
        // Both, at different places.
        Row(#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"b":3,"a":1}"#, ["theirs $.b", "mine $.a"], #"{"b":3,"a":2}"#),
        Row(
            #"{"o":{"x":1,"y":1}}"#, #"{"o":{"x":2,"y":1}}"#, #"{"o":{"x":1}}"#, ["mine $.o.x", "theirs $.o.y"],
            #"{"o":{"x":2}}"#),
        Row("{}", #"{"m":1}"#, #"{"t":1}"#, ["theirs $.t", "mine $.m"], #"{"t":1,"m":1}"#),
        // Both alike, however it is spelt: theirs is kept.
        Row(#"{"a":1}"#, #"{"a":2}"#, #"{"a":2.0}"#, ["both $.a"], #"{"a":2.0}"#),
        Row(#"{"a":1,"b":1}"#, #"{"b":1}"#, #"{ "b":1}"#, ["both $.a"], #"{ "b":1}"#),
        Row("{}", #"{"o":{"x":1,"y":2}}"#, #"{"o":{"y":2,"x":1}}"#, ["both $.o"], #"{"o":{"y":2,"x":1}}"#),
        Row("1", #"{"a":1}"#, #"{ "a":1}"#, ["both $"], #"{ "a":1}"#),
        // Both, not alike.
        Row(#"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#, ["conflict $.a"], nil),
        Row(#"{"a":1}"#, "{}", #"{"a":3}"#, ["conflict $.a"], nil),
        Row(#"{"a":1}"#, #"{"a":3}"#, "{}", ["conflict $.a"], nil),
        Row(#"{"a":{"b":1}}"#, #"{"a":{"b":2}}"#, "{}", ["conflict $.a"], nil),
        Row(#"{"a":{"b":1}}"#, #"{"a":{"b":2}}"#, #"{"a":null}"#, ["conflict $.a"], nil),
        Row("{}", #"{"a":1}"#, #"{"a":2}"#, ["conflict $.a"], nil),
        Row("1", "2", "3", ["conflict $"], nil),
        Row(#"{"a":5}"#, #"{"a":{"x":1}}"#, #"{"a":{"y":1}}"#, ["conflict $.a"], nil),
        Row(#"{"a":null}"#, #"{"a":{"x":1}}"#, #"{"a":{"y":1}}"#, ["conflict $.a"], nil),
        Row(
            #"{"a":1,"b":1,"c":1}"#, #"{"a":2,"b":2,"c":1}"#, #"{"a":1,"b":3,"c":3}"#,
            ["mine $.a", "conflict $.b", "theirs $.c"], nil),
        // Objects that both added are gone into.
        Row("{}", #"{"o":{"x":1}}"#, #"{"o":{"y":1}}"#, ["theirs $.o.y", "mine $.o.x"], #"{"o":{"y":1,"x":1}}"#),
        Row("{}", #"{"o":{"x":1}}"#, #"{"o":{"x":2}}"#, ["conflict $.o.x"], nil),
        // Without a base.
        Row(
            nil, #"{"a":1,"b":1}"#, #"{"b":1.0,"c":1}"#, ["both $.b", "theirs $.c", "mine $.a"],
            #"{"b":1.0,"c":1,"a":1}"#),
        Row(nil, #"{"a":1}"#, #"{"a":2}"#, ["conflict $.a"], nil),
        Row(nil, #"{"a":1}"#, #"{"a":1.0}"#, ["both $"], #"{"a":1.0}"#),
        Row(nil, "1", "[]", ["conflict $"], nil), Row(nil, "{}", "[]", ["conflict $"], nil),
        // Arrays are one value each.
        Row(#"{"l":[1,2]}"#, #"{"l":[1,3]}"#, #"{"l":[1.0,2]}"#, ["mine $.l"], #"{"l":[1,3]}"#),
        Row(#"{"l":[1,2]}"#, #"{"l":[1,3]}"#, #"{"l":[4,2]}"#, ["conflict $.l"], nil),
        Row(
            #"{"l":[{"id":1},{"id":2}]}"#, #"{"l":[{"id":2},{"id":1}]}"#, #"{"l":[{"id":1,"v":9},{"id":2}]}"#,
            ["conflict $.l"], nil),
        Row(#"{"l":[1]}"#, #"{"l":[1,2]}"#, #"{"l":[ 1, 2.0 ]}"#, ["both $.l"], #"{"l":[ 1, 2.0 ]}"#),
        // Names that need quotes, and such that are written with escapes.
        Row(
            #"{"x y":{"a.b":1,"é":1}}"#, #"{"x y":{"a.b":2,"\u00e9":2}}"#, #"{"x\u0020y":{"\u00e9":1,"a.b":1}}"#,
            [#"mine $."x y"."é""#, #"mine $."x y"."a.b""#], #"{"x\u0020y":{"\u00e9":2,"a.b":2}}"#),
    ]

    @Test(arguments: table)
    func `the changes of each side are listed by path, and merged where they agree`(row: Row) throws {
        let difference = try Self.difference(row.base, row.mine, row.theirs)
        #expect(difference.rows.map { "\($0.change.rawValue) \($0.path)" } == row.rows)
        #expect(difference.merged?.text == row.merged)
        #expect(difference.conflicts == difference.rows.filter(\.isConflict).map(\.path))
        #expect((difference.merged == nil) == !difference.conflicts.isEmpty)
    }

    @Test func `a row holds the value of each, to the byte, and nothing where there is none`() throws {
        let difference = try Self.difference(
            #"{"a":{"b":1.0},"c":null}"#, #"{"a":{"b":2.50},"c":null,"d":[ 1 ]}"#, #"{"a":{},"c":"\u00e9"}"#)
        let rows = difference.rows.map { row in
            [row.path.description, row.base?.text, row.mine?.text, row.theirs?.text]
        }
        #expect(
            rows == [
                ["$.a.b", "1.0", "2.50", nil], ["$.c", "null", "null", #""\u00e9""#], ["$.d", nil, "[ 1 ]", nil],
            ])
        #expect(difference.rows.map(\.isConflict) == [true, false, false])
    }

    @Test func `of a conflict either side can be had, and all that does not conflict stays`() throws {
        let difference = try Self.difference(
            #"{"a":1,"b":1,"c":1,"d":1,"e":1}"#, #"{"a":2,"b":2,"c":1,"e":5}"#, #"{"a":3,"b":1,"c":3,"d":4}"#)
        #expect(difference.conflicts.map(\.description) == ["$.a", "$.d", "$.e"])
        #expect(difference.merged(preferring: .theirs).text == #"{"a":3,"b":2,"c":3,"d":4}"#)
        #expect(difference.merged(preferring: .mine).text == #"{"a":2,"b":2,"c":3,"e":5}"#)
        let root = try Self.difference("1", "[ 2]", #""3""#)
        #expect(root.merged(preferring: .mine).text == "[ 2]")
        #expect(root.merged(preferring: .theirs).text == #""3""#)
    }

    @Test func `a preference changes nothing where there is no conflict`() throws {
        let difference = try Self.difference(#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"a":1,"b":2}"#)
        for side in ThreeWayDifference.Side.allCases {
            #expect(difference.merged(preferring: side) == difference.merged)
        }
    }
}
