// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

@Suite struct JSONDocumentSettingTests {
    private func set(_ document: String, _ path: String, _ value: String) throws -> String {
        let names = try #require(try JSONPath(parsing: path).memberNames)
        return String(
            decoding: try JSONDocument(document).setting(names, to: try JSONDocument(value)).bytes, as: UTF8.self)
    }

    @Test func `a member is exchanged in its place, a new one comes last, and all else keeps its bytes`() throws {
        #expect(try set(#"{ "b" : 1.0, "a":[ 2 ] }"#, "$.b", "7") == #"{"b":7,"a":[ 2 ]}"#)
        #expect(try set(#"{"b":1.00}"#, "$.a", #""x""#) == #"{"b":1.00,"a":"x"}"#)
    }

    @Test func `members on the path are entered, and created where they are missing or not objects`() throws {
        #expect(try set(#"{"v":{"n":3,"after":null}}"#, "$.v.after", "[1,\"a\"]") == #"{"v":{"n":3,"after":[1,"a"]}}"#)
        #expect(try set("{}", "$.a.b.c", "1") == #"{"a":{"b":{"c":1}}}"#)
        #expect(try set(#"{"a":5}"#, "$.a.b", "1") == #"{"a":{"b":1}}"#)
    }

    @Test func `names are compared by their bytes, with any escapes`() throws {
        #expect(try set(#"{"\u0061":1}"#, "$.a", "2") == #"{"a":2}"#)
        let composed = JSONDocument(object: ["\u{E9}": .null])
        let names = composed.setting(["e\u{301}"], to: JSONDocument(integer: 1)).members?.map(
            \.name.unicodeScalars.count)
        #expect(names == [1, 2])
    }

    @Test func `a path that counts elements, means several, or is the whole document is not a place of members`() throws
    {
        for path in ["$", "$.a[0]", "$.a[*]", "$[*]"] { #expect(try JSONPath(parsing: path).memberNames == nil) }
        #expect(try JSONPath(parsing: #"$.a."b.c""#).memberNames == ["a", "b.c"])
    }
}
