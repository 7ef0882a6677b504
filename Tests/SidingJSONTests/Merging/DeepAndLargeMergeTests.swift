// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

/// Nothing recurses, and large documents are worked on.
struct DeepAndLargeMergeTests {
    static let deep = JSONLimits(maxDepth: .max, maxValues: .max, maxStringBytes: .max)

    /// Objects in objects, or arrays in arrays, around one value.
    static func nested(_ depth: Int, _ value: String) throws -> JSONDocument {
        let open = String(repeating: #"{"a":"#, count: depth)
        let close = String(repeating: "}", count: depth)
        return try JSONDocument(open + value + close, limits: deep)
    }

    @Test(arguments: [127, 128, 20_000]) func `documents of any depth are patched, combined and compared`(depth: Int)
        throws
    {
        let one = try Self.nested(depth, "1")
        let two = try Self.nested(depth, "2")
        #expect(JSONMergePatch(two).applied(to: one) == two)
        #expect(JSONMergePatch(two).applied(to: .null) == two)
        #expect(try JSONMergePatch.combine(JSONMergePatch(one), JSONMergePatch(two)).document == two)
        #expect(try JSONMergePatch.difference(from: one, to: two).document == two)
        #expect(!one.isEquivalent(to: two))
        #expect(try Self.nested(depth, "1.0").isEquivalent(to: one))
        let withNull = try Self.nested(depth, "null")
        #expect(JSONMergePatch(withNull).applied(to: .null) == (try Self.nested(depth - 1, "{}")))
        let fault = #expect(throws: MergePatchFault.self) { try JSONMergePatch.difference(from: .null, to: withNull) }
        #expect(fault?.path.components.count == depth)
    }

    @Test(arguments: [127, 128, 20_000]) func `documents of any depth are merged and rewritten`(depth: Int) throws {
        let base = try Self.nested(depth, #"{"x":1,"y":1}"#)
        let mine = try Self.nested(depth, #"{"x":2,"y":1}"#)
        let theirs = try Self.nested(depth, #"{"x":1,"y":2}"#)
        let difference = ThreeWayDifference(base: base, mine: mine, theirs: theirs)
        #expect(difference.merged == (try Self.nested(depth, #"{"x":2,"y":2}"#)))
        #expect(difference.rows.map(\.change) == [.mine, .theirs])
        #expect(difference.rows[0].path.components.count == depth + 1)
        let conflict = ThreeWayDifference(base: base, mine: try Self.nested(depth, "1"), theirs: theirs)
        #expect(conflict.conflicts.count == 1)
    }

    @Test func `a merge of documents at the depth limit is within it`() throws {
        let target = try JSONDocument(Self.nested(128, "1").text)
        let patch = try JSONDocument(Self.nested(64, Self.nested(64, "2").text).text)
        let result = JSONMergePatch(patch).applied(to: target)
        #expect(result.isStrictlyValid)
        let merged = ThreeWayDifference(base: .emptyObject, mine: target, theirs: try JSONDocument(#"{"b":1}"#)).merged
        #expect(merged?.isStrictlyValid == true)
    }

    /// An object of so many members, of which every tenth has another value and every 33rd is missing, and some are new.
    /// What is missing in one edit is no object in the others: patches of such could not be combined.
    static func object(_ count: Int, edit: Int) throws -> JSONDocument {
        var text = "{"
        for index in 0..<count where edit == 0 || index % 33 != edit {
            if text.utf8.count > 1 { text += "," }
            let value = edit != 0 && index % 10 == edit ? "\(edit)" : "\(index).50"
            let isScalar = index % 33 == 1 || index % 33 == 2
            text += "\"member number \(index)\":"
            text += isScalar ? value : "{\"v\":\(value),\"t\":\"tmp-\(index % 7)\"}"
        }
        for index in 0..<(edit == 0 ? 0 : count / 50) { text += ",\"new \(edit) \(index)\":[\(index)]" }
        return try JSONDocument(text + "}")
    }

    /// All operations over objects of that size; the answers are checked, so that nothing can be left out.
    static func work(_ count: Int) throws -> Int {
        let base = try object(count, edit: 0)
        let mine = try object(count, edit: 1)
        let theirs = try object(count, edit: 2)
        let patch = try JSONMergePatch.difference(from: base, to: mine)
        #expect(patch.applied(to: base).isEquivalent(to: mine))
        let second = try JSONMergePatch.difference(from: mine, to: theirs)
        #expect(try JSONMergePatch.combine(patch, second).applied(to: base).isEquivalent(to: theirs))
        let difference = ThreeWayDifference(base: base, mine: mine, theirs: theirs)
        // A member that one side removed and the other changed.
        #expect(!difference.conflicts.isEmpty)
        #expect(difference.rows.count > count / 10)
        return base.bytes.count
    }

    @Test func `documents of a megabyte and more are worked on`() throws {
        #expect(try Self.work(25_000) > 1_000_000)
    }

    @Test func `single values of a megabyte are compared and merged`() throws {
        let digits = String(repeating: "1234567890", count: 100_000)
        let text = String(repeating: #"\u0061b"#, count: 150_000)
        let numbers = "[" + (0..<30_000).map { "\($0).0" }.joined(separator: ",") + "]"
        for (one, other) in [
            (digits, digits + ".000"), ("1e" + digits, "10e" + digits),
            ("\"\(text)\"", "\"" + String(repeating: "ab", count: 150_000) + "\""),
            (numbers, numbers.replacing(".0", with: "")),
        ] {
            let left = try JSONDocument("{\"a\":\(one)}")
            let right = try JSONDocument("{\"a\":\(other)}")
            let isEqual = !one.hasPrefix("1e")
            #expect(left.isEquivalent(to: right) == isEqual)
            let difference = try JSONMergePatch.difference(from: left, to: right)
            #expect((difference.document == .emptyObject) == isEqual)
            #expect(difference.applied(to: left).isEquivalent(to: right))
        }
    }
}
