// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

/// Pages whose records are lines, or members of an object.
struct LinesAndMembersTests {
    private func read(
        _ page: Page, _ records: JSONPath, key: [JSONPath] = [JSONPath(member: "id")],
        limits: JSONLimits = JSONLimits(),
        columns: [JSONPath] = [], envelope: [JSONPath] = []
    ) throws(PageFault) -> PageContents {
        try page.read(
            PageReader(
                records: records, key: key, columns: columns, envelope: envelope, limits: limits,
                readsSurroundings: true))
    }

    private func members(_ text: String, at path: String = "$.items.*", key: [JSONPath] = [.memberName]) throws
        -> (page: Page, contents: PageContents)
    {
        let page = Page(text)
        return (page, try read(page, JSONPath(parsing: path), key: key))
    }

    // MARK: Lines

    @Test(arguments: [
        "{\"id\":1}\n{\"id\":2}\n", "{\"id\":1}\n{\"id\":2}", "\r\n{\"id\":1}\r\n\r\n \t\n{\"id\":2} \r\n\n",
        "{\"id\":\n1}\n{\"id\":2}",
    ])
    func `each line is a record, with or without blank lines and a last line break`(text: String) throws {
        let page = Page(text)
        let contents = try read(page, .lines)
        #expect(contents.records.map(page.key) == ["1", "2"])
        #expect(contents.hasList && !contents.isOneRecord && contents.recordsPath == .root)
    }

    @Test(arguments: ["", "\n", " \r\n\t\n"])
    func `a page without lines is an empty list`(text: String) throws {
        let contents = try read(Page(text), .lines, envelope: [JSONPath(member: "next")])
        #expect(contents.records.isEmpty && contents.hasList && contents.envelope.count == 1)
    }

    @Test func `a page of lines that was cut anywhere inside a line is a fault, never a shorter page`() throws {
        let text = #"{"id":1,"a":"x"}"# + "\n" + #"{"id":2,"a":[1,{"b":null}]}"#
        let first = text.utf8.firstIndex(of: UInt8(ascii: "\n")).map {
            text.utf8.distance(from: text.startIndex, to: $0)
        }
        for length in 1..<text.utf8.count {
            let page = Page(Array(text.utf8.prefix(length)))
            if length == first || length == (first ?? 0) + 1 {
                #expect(try read(page, .lines).records.count == 1)
            } else {
                #expect(throws: PageFault.self, "\(length)") { try read(page, .lines) }
            }
        }
    }

    @Test(arguments: [
        "{\"id\":1}{\"id\":2}", "{\"id\":1} {\"id\":2}", "{\"id\":1},\n{\"id\":2}", "{\"id\":1}\n]\n",
        "\u{FEFF}{\"id\":1}\n",
        "{\"id\":1}\nid,name\n",
    ])
    func `a line that is not a value is a fault of the page`(text: String) {
        #expect(throws: PageFault.self) { try read(Page(text), .lines) }
    }

    @Test func `a faulty record is the fault of its line alone`() throws {
        let page = Page("{\"id\":1}\n{\"id\":2,\"id\":3}\n7\n[]\n{\"name\":\"x\"}\n{\"id\":\"4\"}\n")
        let contents = try read(page, .lines)
        #expect(contents.records.map(page.key) == ["1", nil, nil, nil, nil, "4"])
        #expect(contents.records[1].fault?.code == "duplicate_name")
        #expect(contents.records[2].fault?.code == "missing_key" || contents.records[2].fault?.code == "not_an_object")
        #expect(contents.records[4].fault?.code == "missing_key")
    }

    @Test func `the limits of a page hold for lines`() throws {
        let page = Page("{\"id\":1,\"a\":[[1]]}\n{\"id\":2}\n{\"id\":\"long\"}\n")
        #expect(throws: PageFault.tooManyRecords(limit: 2, offset: 28)) {
            try read(page, .lines, limits: JSONLimits(maxRecords: 2))
        }
        #expect(throws: PageFault.self) { try read(page, .lines, limits: JSONLimits(maxValues: 4)) }
        #expect(try read(page, .lines, limits: JSONLimits(maxDepth: 2)).records[0].fault?.code == "too_deep")
        #expect(
            try read(page, .lines, limits: JSONLimits(maxStringBytes: 3)).records[2].fault?.code == "string_too_long")
    }

    @Test func `a line has columns, and none of its members is taken for one around the records`() throws {
        let page = Page("{\"id\":1,\"next\":\"/2\",\"total\":9}\n")
        let contents = try read(
            page, .lines, columns: [JSONPath(member: "total")], envelope: [JSONPath(member: "next"), .root])
        #expect(contents.records[0].columns.count == 1 && contents.records[0].columns[0]?.kind == .number)
        #expect(contents.envelope == [nil, nil] && contents.surroundings.isEmpty)
    }

    @Test func `several values in a page that is not a list of lines are reported as such`() throws {
        #expect(
            try Page("{\"id\":1}\n{\"id\":2}\n").fault()?.description
                == "the page is not JSON: byte 9: expected nothing after the value, found '{'")
    }

    @Test(arguments: 0..<20)
    func `records are read alike from an array, from lines and from members`(seed: Int) throws {
        var random = SeededGenerator(state: UInt64(seed) &* 6113)
        for _ in 0..<20 {
            let array = Page(RandomJSON.page(using: &random))
            let listed = try array.read(records: "$.items[*]")
            let bodies = listed.records.map(array.body)
            let lines = Page(bodies.joined(separator: "\n"))
            let object = Page("{" + bodies.enumerated().map { "\"m\($0)\":\($1)" }.joined(separator: ",") + "}")
            let fromLines = try read(lines, .lines)
            let fromMembers = try read(object, JSONPath(parsing: "$.*"))
            for (page, contents) in [(lines, fromLines), (object, fromMembers)] {
                #expect(contents.records.map(page.body) == bodies)
                #expect(contents.records.map(page.key) == listed.records.map(array.key))
                #expect(contents.records.map(\.memberSet) == listed.records.map(\.memberSet))
                #expect(contents.records.map(\.fault?.code) == listed.records.map(\.fault?.code))
            }
            let named = try read(object, JSONPath(parsing: "$.*"), key: [.memberName])
            #expect(named.records.map(object.key) == bodies.indices.map { "m\($0)" })
        }
    }

    // MARK: Members

    @Test(arguments: [
        ("$.items.*", #"{"next":"u","items":{"a1":{"n":1},"b\u00e9":{"n":2}},"list":[3]}"#, ["a1", "bé"]),
        ("$.*", #"{"a1":{"n":1},"":{"n":2}}"#, ["a1", ""]),
        (#"$.d."a b".*"#, #"{"d":{"a b":{"x":{"n":1},"x\n":{"n":2}}}}"#, ["x", "x\n"]),
        ("$.rates.*", #"{"base":"EUR","rates":{"USD":1.1,"CHF":"0.95"}}"#, ["USD", "CHF"]),
    ])
    func `the members of an object are records, and their names are keys`(
        path: String, text: String, keys: [String]
    ) throws {
        let (page, contents) = try members(text, at: path)
        #expect(contents.records.map(page.key) == keys)
        #expect(contents.records.allSatisfy { $0.key?.kind == .string })
        #expect(contents.hasList && !contents.isOneRecord)
        #expect(contents.recordsPath.description + ".*" == path)
    }

    @Test func `the stored record is the member's value unchanged`() throws {
        let (page, contents) = try members(#"{"items":{"a" : { "n" : 1.0 } , "b":[1]}}"#)
        #expect(contents.records.map(page.body) == [#"{ "n" : 1.0 }"#, "[1]"])
    }

    @Test(arguments: [#"{"items":{}}"#, #"{"items":[]}"#, #"{"items":null}"#])
    func `an empty object, an empty array and null are an empty page`(text: String) throws {
        #expect(try members(text).contents.records.isEmpty)
    }

    @Test func `records of members may have their keys inside, alone or beside the name`() throws {
        let text = #"{"items":{"a":{"id":7},"b":{"n":1}}}"#
        let inside = try members(text, key: [JSONPath(member: "id")])
        #expect(inside.contents.records.map(inside.page.key) == ["7", nil])
        let both = try members(text, key: [.memberName, JSONPath(member: "id")])
        #expect(both.contents.records.map(both.page.key) == [#"["a",7]"#, nil])
        let array = try members(#"{"items":[{"id":7}]}"#, key: [JSONPath(member: "id")])
        #expect(array.contents.records.map(array.page.key) == ["7"])
        #expect(try members(#"{"items":[{"id":7}]}"#).contents.records[0].fault?.reason == "the key $key is missing")
    }

    @Test func `a name that is not text, or too long, is the fault of its record alone`() throws {
        let page = Page(#"{"a":{},"\ud800":{},"\u0000":{},"longer":{},"b":{"c":1,"c":2},"a":{"n":1}}"#)
        let contents = try read(
            page, JSONPath(parsing: "$.*"), key: [.memberName], limits: JSONLimits(maxStringBytes: 6))
        #expect(contents.records.map(page.key) == ["a", nil, nil, "longer", nil, "a"])
        #expect(
            contents.records.map { $0.fault?.code }
                == [nil, "lone_surrogate", "key_not_usable", nil, "duplicate_name", nil])
        let short = try read(page, JSONPath(parsing: "$.*"), key: [.memberName], limits: JSONLimits(maxStringBytes: 5))
        #expect(short.records[3].fault?.code == "string_too_long")
    }

    @Test func `members beside others that are records say nothing about the listing`() throws {
        let page = Page(#"{"next":"/2","total":9}"#)
        let contents = try read(
            page, JSONPath(parsing: "$.*"), key: [.memberName], envelope: [JSONPath(member: "next")])
        #expect(contents.records.count == 2 && contents.envelope == [nil] && contents.surroundings.isEmpty)
        let inside = Page(#"{"items":{"next":{"id":1}},"next":"/2"}"#)
        let found = try read(
            inside, JSONPath(parsing: "$.items.*"), key: [.memberName],
            envelope: [JSONPath(member: "next"), JSONPath(parsing: "$.items.next")])
        #expect(inside.string(found.envelope[0]) == "/2" && found.envelope[1] == nil)
        #expect(found.surroundings.map(\.path.description) == ["$.next"])
    }

    @Test(arguments: [#"{"items":7}"#, #"{"other":{}}"#, #"{"items":{"a":1}"#, #"{"items":{"a":1},"items":{}}"#])
    func `a page without members at the path is a fault`(text: String) throws {
        #expect(throws: PageFault.self) { try members(text) }
    }
}
