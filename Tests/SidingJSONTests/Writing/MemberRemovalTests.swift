// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct MemberRemovalTests {
    @Test(arguments: [
        (#"{"a":1,"b":2,"c":3}"#, ["$.a"], #"{"b":2,"c":3}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["$.b"], #"{"a":1,"c":3}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["$.c"], #"{"a":1,"b":2}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["$.a", "$.b"], #"{"c":3}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["$.b", "$.c"], #"{"a":1}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["$.a", "$.c"], #"{"b":2}"#),
        (#"{"a":1,"b":2,"c":3}"#, ["$.a", "$.b", "$.c"], "{}"),
        (#"{ "a" : 1 , "b" : 1.50 }"#, ["$.a"], #"{ "b" : 1.50 }"#),
        (#"{ "a" : 1 , "b" : 2 }"#, ["$.b"], #"{ "a" : 1 }"#),
        (#"{"u":{"mail":"x","id":7},"n":[1,{"mail":2}]}"#, ["$.u.mail"], #"{"u":{"id":7},"n":[1,{"mail":2}]}"#),
        (#"{"a":{"b":{"c":1}},"d":"},{"}"#, ["$.a.b.c", "$.d"], #"{"a":{"b":{}}}"#),
        (#"{"a":1,"x":0,"a":2}"#, ["$.a"], #"{"x":0}"#),
        (#"{"\u0061":1,"b":2}"#, ["$.a"], #"{"b":2}"#),
        // Composed and decomposed letters are different names.
        ("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}", ["$.caf\u{E9}"], "{\"cafe\u{301}\":2}"),
        ("{\"caf\u{E9}\":1,\"cafe\u{301}\":2}", ["$.cafe\u{301}"], "{\"caf\u{E9}\":1}"),
    ])
    func `members are removed, and the rest stays byte for byte`(value: String, paths: [String], left: String) throws {
        let removal = MemberRemoval(try paths.map { try JSONPath(parsing: $0) })
        #expect(removal.applied(to: value) == left)
    }

    @Test(arguments: [#"{"b":1}"#, "[1,2]", "7", #""a""#, "{}", #"{"a.b":1,"b":{"a":1}}"#])
    func `where nothing is removed, the result is nil`(value: String) throws {
        #expect(
            MemberRemoval([try JSONPath(parsing: "$.a"), try JSONPath(parsing: "$.b.c")]).applied(to: value) == nil)
    }

    @Test func `the values of a page are treated one by one`() throws {
        let page = #"{"items":[{"a":1,"b":2}, {"b":3}],"a":9}"#
        let bytes = Array(page.utf8)
        let values = [#"{"b":3}"#, #"{"a":1,"b":2}"#].compactMap { text in
            page.firstRange(of: text).map { page.utf8.distance(from: page.startIndex, to: $0.lowerBound) }
                .map { $0..<$0 + text.utf8.count }
        }
        let left = bytes.withUnsafeBytes { MemberRemoval([JSONPath(member: "b")]).applied(to: values, in: $0) }
        #expect(left.map { String(decoding: $0, as: UTF8.self) } == #"{"items":[{"a":1}, {}],"a":9}"#)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `the rest of any object is the object without the members`(seed: UInt64) throws {
        var generator = SeededGenerator(state: seed)
        let names = ["a", "b", "c", "d"].shuffled(using: &generator).prefix(Int.random(in: 0...4, using: &generator))
        let space = ["", " ", "\n\t "]
        let members = names.map { name -> String in
            let around = { (generator: inout SeededGenerator) in space.randomElement(using: &generator) ?? "" }
            return around(&generator) + #""\#(name)""# + around(&generator) + ":" + around(&generator)
                + (["1", #"",""#, "[{}]", #"{"a":{"b":0}}"#].randomElement(using: &generator) ?? "")
                + around(&generator)
        }
        let text = "{" + members.joined(separator: ",") + (members.isEmpty ? " " : "") + "}"
        let gone = Set(["a", "b", "c", "d"].filter { _ in Bool.random(using: &generator) })
        let removal = MemberRemoval(gone.map { JSONPath(member: $0) })
        let left = try JSONDocument(removal.applied(to: text) ?? text)
        let whole = try JSONDocument(text)
        let wanted = (whole.members ?? []).filter { !gone.contains($0.name) }
        let found = left.members ?? []
        #expect(left.kind == .object)
        #expect(found.map { $0.name } == wanted.map { $0.name })
        #expect(found.map { $0.value } == wanted.map { $0.value })
    }
}

extension MemberRemoval {
    fileprivate func applied(to text: String) -> String? {
        Array(text.utf8).withUnsafeBytes { applied(to: $0) }.map { String(decoding: $0, as: UTF8.self) }
    }
}
