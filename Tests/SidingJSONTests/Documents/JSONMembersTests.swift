// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONMembersTests {
    static func members(_ text: String) -> [JSONMember] {
        Array(text.utf8).withUnsafeBytes { JSONMembers.topLevelMembers(of: $0) }
    }

    static func value(_ path: String, _ text: String) throws -> String? {
        let path = try JSONPath(parsing: path)
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { JSONMembers.value(at: path, in: $0) }
            .map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    @Test func `members come in their order with kind and place`() {
        let text =
            #"{ "id" : 1,"\u0061b":1.0 , "s":"x\"", "o":{"id":2},"l":[ ],"t":true,"f":false,"n":null,"big":-123}"#
        let members = Self.members(text)
        #expect(members.map(\.name) == ["id", "ab", "s", "o", "l", "t", "f", "n", "big"])
        #expect(members.map(\.kind) == [.number, .number, .string, .object, .array, .true, .false, .null, .number])
        #expect(members.filter(\.escaped).map(\.name) == ["ab"])
        #expect(members.filter(\.isInteger).map(\.name) == ["id", "big"])
        let bytes = Array(text.utf8)
        let values = members.map { String(decoding: bytes[$0.valueRange], as: UTF8.self) }
        #expect(values == ["1", "1.0", #""x\"""#, #"{"id":2}"#, "[ ]", "true", "false", "null", "-123"])
    }

    @Test(arguments: ["[]", "1", "{}", "", "{\"a\":", "{\"a\"", "{\"a\":1", "nonsense"])
    func `text that is not a whole object has no members`(text: String) {
        #expect(Self.members(text).isEmpty)
    }

    @Test(arguments: [
        ("$", " [1, 2] ", "[1, 2]" as String?),
        ("$.a.b[1]", #"{"x":{"b":[0]},"a":{"c":1,"b":[1,{"d":2}]}}"#, #"{"d":2}"#),
        ("$.a[*]", #"{"a":[1]}"#, "[1]"),
        ("$.ab", #"{"\u0061b":3}"#, "3"),
        ("$.a", #"{"b":1}"#, nil), ("$[2]", "[1,2]", nil), ("$[0]", "{}", nil), ("$.a", "[]", nil), ("$[0]", "[]", nil),
        ("$.a", #"{"b":1"#, nil),
    ])
    func `a value is found by its path`(path: String, text: String, expected: String?) throws {
        #expect(try Self.value(path, text) == expected)
    }
}
