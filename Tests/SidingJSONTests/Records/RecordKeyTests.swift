// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct RecordKeyTests {
    @Test(arguments: [
        (#"{"id":"abc"}"#, "abc", RecordKey.Kind.string),
        (#"{"id":" "}"#, " ", .string),
        (#"{"id":"12"}"#, "12", .string),
        (#"{"id":"a\"b\\c\/\u00e9\ud83c\udf89\n"}"#, "a\"b\\c/é🎉\n", .string),
        (#"{"id":"東京"}"#, "東京", .string),
        (#"{"id":0}"#, "0", .integer),
        (#"{"id":-0}"#, "0", .integer),
        (#"{"id":-7}"#, "-7", .integer),
        (#"{"id":123456789012345678901234567890}"#, "123456789012345678901234567890", .integer),
    ])
    func `a key is the decoded string or the integer's own digits`(
        record: String, text: String, kind: RecordKey.Kind
    ) throws {
        let page = Page("[\(record)]")
        let slice = try page.read().records[0]
        #expect(page.key(slice) == text)
        #expect(slice.key?.kind == kind)
    }

    @Test func `a plain key owns no memory`() throws {
        let keys = try Page(#"[{"id":"abc"},{"id":12},{"id":"\u0061"}]"#).read().records.compactMap(\.key)
        #expect(keys.map(\.range) == [8..<11, 20..<22, nil])
    }

    @Test(arguments: [
        (["$.repo", "$.id"], #"{"id":5,"repo":"a"}"#, #"["a",5]"#),
        (["$.id", "$.repo"], #"{"id":-0,"repo":"a\u0062\""}"#, #"[0,"ab\""]"#),
        (["$.user.id", "$.tags[1]"], #"{"user":{"name":"x","id":9},"tags":["p","q"]}"#, #"[9,"q"]"#),
        (["$.id", "$.id"], #"{"id":"\/"}"#, #"["/","/"]"#),
        (["$.id", "$.region"], #"{"id":5,"region":""}"#, #"[5,""]"#),
    ])
    func `a composite key is a compact JSON array in the order of its paths`(
        paths: [String], record: String, text: String
    ) throws {
        let page = Page("[ \(record) ]")
        let slice = try page.read(key: paths).records[0]
        #expect(page.key(slice) == text)
        #expect(slice.key?.kind == .composite)
    }

    @Test func `a composite key without one of its members is a fault`() throws {
        let record = try Page(#"[{"id":1,"repo":null}]"#).read(key: ["$.id", "$.repo"]).records[0]
        #expect(record.fault == .keyNotUsable(JSONPath(member: "repo"), found: .null, offset: 16))
    }

    @Test(arguments: [
        ("$.user.id", #"{"id":1,"user":{"id":2}}"#, "2" as String?),
        ("$.user.id", #"{"user":{"x":{"id":3},"id":2}}"#, "2"),
        ("$.user.id", #"{"user":[{"id":3}]}"#, nil),
        ("$.ids[1]", #"{"ids":[7,8,9]}"#, "8"),
        ("$.ids[0].x", #"{"ids":[{"y":1,"x":"k"},{"x":2}]}"#, "k"),
        ("$.ids[3]", #"{"ids":[7,8,9]}"#, nil),
        ("$[0]", #"["a",1]"#, "a"),
        ("$", #""self""#, "self"),
        ("$", #"17"#, "17"),
        (#"$."user.id""#, #"{"user":{"id":1},"user.id":2}"#, "2"),
    ])
    func `a key path leads through objects and arrays`(path: String, record: String, text: String?) throws {
        let page = Page("[\(record)]")
        #expect(page.key(try page.read(key: [path]).records[0]) == text)
    }

    @Test func `no key path means that the record is its own key`() throws {
        let page = Page(#"["a",2,{}]"#)
        #expect(try page.read(key: []).records.map(page.key) == ["a", "2", nil])
    }

    @Test func `equal names in equal order have an equal memberSet, with any escapes`() throws {
        let page = Page(
            #"""
            [{"id":1,"a":{"x":1}}, {"id":2,"a":{"y":[1]}}, { "\u0069d" : 3 , "a" : null },
             {"a":1,"id":4}, {"id":5}, {"id":6,"a":1,"b":1}, {"id":7,"b":1}]
            """#)
        let shapes = try page.read().records.map(\.memberSet)
        #expect(Set(shapes[0..<3]).count == 1)
        #expect(Set(shapes).count == 5)
    }
}
