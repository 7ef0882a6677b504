// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct PageReaderTests {
    @Test(arguments: [
        (nil as String?, #"[{"id":1},{"id":2}]"#, "$"),
        (nil, #" {"next":null,"rows":[{"id":1} , {"id":2} ],"n":{"deep":[1]}} "#, "$.rows"),
        (nil, #"{"a.b":[{"id":1},{"id":2}]}"#, #"$."a.b""#),
        ("$", "[{\"id\":1},\n\t{\"id\":2}]", "$"),
        ("$[*]", #"[{"id":1},{"id":2}]"#, "$"),
        ("$.items[*]", #"{"other":[1],"items":[{"id":1},{"id":2}],"more":[]}"#, "$.items"),
        ("$.data.items", #"{"data":{"items":[{"id":1},{"id":2}]},"items":[]}"#, "$.data.items"),
        ("$.pages[1].items", #"{"pages":[{"items":[{"id":9}]},{"items":[{"id":1},{"id":2}]}]}"#, "$.pages[1].items"),
        (#"$."it\"ems""#, #"{"it\u0022ems":[{"id":1},{"id":2}]}"#, #"$."it\"ems""#),
    ])
    func `records are found where they are declared, or where they can only be`(
        records: String?, text: String, path: String
    ) throws {
        let page = Page(text)
        let contents = try page.read(records: records)
        #expect(contents.records.map(page.key) == ["1", "2"])
        #expect(contents.records.map(page.body) == [#"{"id":1}"#, #"{"id":2}"#])
        #expect(contents.recordsPath.description == path)
    }

    @Test(arguments: [
        (nil as String?, "[]"), (nil, #"{"items":[ ]}"#), ("$", "[]"), ("$.a", #"{"a":[]}"#),
        ("$.a", #"{"a":null}"#), ("$.a[*]", #"{"a":null}"#), ("$", "null"),
    ])
    func `an empty page has no records and is not a fault`(records: String?, text: String) throws {
        #expect(try Page(text).read(records: records).records.isEmpty)
    }

    @Test func `a root object is one record where the records are declared as the root`() throws {
        let page = Page(#" {"id":7,"list":[1],"next":{"url":"u"}} "#)
        let contents = try page.read(records: "$", envelope: ["$.next.url"])
        #expect(contents.records.map(page.key) == ["7"])
        #expect(contents.records.map(page.body) == [#"{"id":7,"list":[1],"next":{"url":"u"}}"#])
        #expect(page.string(contents.envelope[0]) == "u")
    }

    @Test(arguments: [
        ("$.resource", #"{"next":"u","resource":{"id":7,"list":[1],"a":{"next":"v"}},"list":[{"id":1}]}"#),
        ("$.d.resource", #"{"list":[],"d":{"resource":{"id":7,"list":[1],"a":{"next":"v"}}},"next":"u"}"#),
        ("$.d[1]", #"{"d":[{"id":1},{"id":7,"list":[1],"a":{"next":"v"}},{"id":2}],"next":"u"}"#),
    ])
    func `an object at the declared path is one record, where the path asks for no array`(
        records: String, text: String
    ) throws {
        let page = Page(text)
        let contents = try page.read(records: records, envelope: ["$.next", "\(records).a.next"])
        #expect(contents.records.map(page.key) == ["7"])
        #expect(contents.records.map(page.body) == [#"{"id":7,"list":[1],"a":{"next":"v"}}"#])
        #expect(contents.recordsPath.description == records && contents.hasList)
        #expect(contents.envelope.map(page.string) == ["u", "v"])
        #expect(try page.fault(records: "\(records)[*]") != nil)
    }

    @Test(arguments: [
        (
            nil as String?, "17",
            "the page is a number and holds no array of records; declare its path as `records`" as String?
        ),
        (nil, #"{"items":null}"#, "the page is an object and holds no array of records; declare its path as `records`"),
        (
            "$.items", #"{"data":[],"d2":[]}"#,
            "the records are expected at $.items, where nothing stands; there are arrays at $.data, $.d2"
        ),
        (
            "$.a.b[*]", #"{"a":{"b":{"id":1}}}"#,
            "the records are expected at $.a.b[*], where an object stands; without [*] the object is one record, "
                + "with .* its members are records"
        ),
        (
            "$.a.b", #"{"a":[{"b":[]}]}"#,
            "the records are expected at $.a.b, where nothing stands; there are arrays at $.a"
        ),
        (
            "$[*]", #"{"id":1}"#,
            "the records are expected at $[*], where an object stands; without [*] the object is one record, "
                + "with .* its members are records"
        ),
        ("$.a", #"{"a":7,"b":{}}"#, "the records are expected at $.a, where a number stands"),
        ("$", #""text""#, "the records are expected at $, where a string stands"),
        (
            "$.items", #"{"items":{"1":{"n":1},"2":{"n":2}}}"#,
            "$.items is one record without its key, and its members are objects: if they are the records, declare "
                + "`records: $.items.*`, and `key: $key` if their names are the keys"
        ),
        (
            "$", #"{"a":{"n":1}}"#,
            "$ is one record without its key, and its members are objects: if they are the records, declare `records: $.*`, "
                + "and `key: $key` if their names are the keys"
        ),
        // One record, complete or not.
        ("$.items", #"{"items":{"id":1,"a":{}}}"#, nil), ("$.items", #"{"items":{"id":{}}}"#, nil),
        ("$.items", #"{"items":{"a":{},"n":1}}"#, nil), ("$.items", #"{"items":{}}"#, nil),
    ])
    func `a page without records says what stands in their place`(
        records: String?, text: String, description: String?
    ) throws {
        #expect(try Page(text).fault(records: records)?.description == description)
    }

    @Test func `a list of errors is not one of records, unless it is declared`() throws {
        let page = Page(#"{"data":null,"errors":[{"id":"E1","message":"throttled"}]}"#)
        #expect(
            try page.fault()?.description
                == "the page is an object that lists errors and holds no array of records; declare its path as `records`"
        )
        #expect(try page.read(records: "$.errors").records.count == 1)
        #expect(try Page(#"{"data":null,"errors":[]}"#).read().records.isEmpty)
    }

    @Test func `several arrays are ambiguous until one is declared`() throws {
        let page = Page(#"{"items":[{"id":1}],"errors":[],"x\u001b":[]}"#)
        let fault = try page.fault()
        #expect(fault == .ambiguousRecords(candidates: ["$.items", "$.errors", "$.\"x\u{1B}\""]))
        #expect(fault?.description.contains("\u{1B}") == false)
        #expect(try page.read(records: "$.items").records.count == 1)
    }

    @Test(arguments: [
        ("$.items", #"{"items":[{"id":1}],"items":[{"id":2}]}"#, "$.items"),
        ("$.d.items", #"{"d":{"items":[{"id":1}]},"d":1}"#, "$.d"),
        ("$.items", #"{"next":"a","items":[],"\u006eext":"b"}"#, "$.next"),
    ])
    func `a name on a wanted path that stands twice is a fault of the page`(
        records: String, text: String, path: String
    ) throws {
        guard case .repeatedName(let found, _) = try Page(text).fault(records: records, envelope: ["$.next"]) else {
            Issue.record("no such fault")
            return
        }
        #expect(found.description == path)
    }

    @Test func `wanted values are found before, behind, around and inside the records`() throws {
        let page = Page(
            #"""
            {"paging":{"next":{"url":"a\/b?c=\u00e9"}}, "total":12, "items":[{"id":"x"},{"id":"y"}],
             "has_more" : true, "none":null, "list":[1,[2,"three"]], "lone":"\ud800"}
            """#)
        let envelope = [
            "$.paging.next.url", "$.total", "$.has_more", "$.none", "$.list[1][1]", "$.items", "$.items[1].id",
            "$.missing", "$.paging.missing.url", "$.list", "$.lone", "$",
        ]
        let values = try page.read(records: "$.items[*]", envelope: envelope).envelope
        #expect(page.string(values[0]) == "a/b?c=é")
        #expect(page.text(values[1]) == "12")
        #expect(page.text(values[2]) == "true")
        #expect(values[3]?.kind == .null)
        #expect(page.string(values[4]) == "three")
        #expect(values[5]?.kind == .array)
        #expect(page.string(values[6]) == "y")
        #expect(values[7] == nil && values[8] == nil)
        #expect(values[9].map { String(decoding: page.bytes[$0.range], as: UTF8.self) } == #"[1,[2,"three"]]"#)
        #expect(values[10]?.kind == .string && page.string(values[10]) == nil)
        #expect(values[11]?.range == 0..<page.bytes.count)
    }

    @Test func `wanted values are found around records that were not declared`() throws {
        let page = Page(#"{"a":{"b":[1]},"items":[{"id":"x"}],"c":"d"}"#)
        let values = try page.read(envelope: ["$.items", "$.c", "$.a.b[0]", "$.items[0].id"]).envelope
        #expect(values.map(page.text) == [nil, "d", "1", "x"])
        #expect(values[0]?.kind == .array)
    }

    @Test func `limits outside of the records fault the page`() throws {
        let limits = JSONLimits(maxDepth: 3, maxValues: 9, maxStringBytes: 5)
        #expect(try Page(#"{"items":[],"a":[[1]]}"#).fault(records: "$.items", limits: limits) == nil)
        let deep = try Page(#"{"items":[],"a":[[[1]]]}"#).fault(records: "$.items", limits: limits)
        #expect(deep == .tooDeep(limit: 3, offset: 18))
        let long = try Page(#"{"items":[],"a":"123456"}"#).fault(records: "$.items", limits: limits)
        #expect(long == .stringTooLong(limit: 5, offset: 16))
        #expect(try Page("[1,2,3,4,5,6,7,8]").fault(limits: limits) == nil)
        #expect(try Page("[1,2,3,4,5,6,7,8,9]").fault(limits: limits) == .tooManyValues(limit: 9, offset: 17))
        #expect(try Page(#"[{"a":[1,2,3]},{"b":[4]},5]"#).fault(limits: limits) == .tooManyValues(limit: 9, offset: 25))
    }

    @Test func `a page with more records than the limit is a fault, with any records`() throws {
        let limits = JSONLimits(maxRecords: 2)
        #expect(try Page("[{},{}]").fault(limits: limits) == nil)
        #expect(try Page("[{},{},{},{}]").fault(limits: limits) == .tooManyRecords(limit: 2, offset: 7))
        #expect(try Page("[1,2,3]").fault(limits: limits) == .tooManyRecords(limit: 2, offset: 5))
        guard case .syntax = try Page("[1,2,3,]").fault(limits: limits) else {
            Issue.record("a page that is not JSON is told as such")
            return
        }
    }

    @Test func `a deep path is followed no deeper than the limit`() throws {
        let fault = try Page(#"{"a":{"b":{"c":[]}}}"#).fault(records: "$.a.b.c", limits: JSONLimits(maxDepth: 3))
        #expect(fault == .tooDeep(limit: 3, offset: 15))
    }

    @Test(
        arguments: [
            [0xEF, 0xBB, 0xBF, 0x5B, 0x5D], [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], [0xFE, 0xFF, 0x00, 0x5B],
            [0x5B, 0x00, 0x5D, 0x00], [0x00, 0x5B, 0x00, 0x5D], [0x00, 0x00, 0x00, 0x5B],
        ] as [[UInt8]])
    func `a byte order mark and wide encodings are not UTF-8`(bytes: [UInt8]) {
        #expect {
            _ = try Page(bytes).read()
        } throws: { error in
            guard case PageFault.notUTF8(let error) = error else { return false }
            return error.offset == 0
        }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x8E], [0xFF],
        ] as [[UInt8]])
    func `ill-formed UTF-8 in a record faults the page and names its byte`(sequence: [UInt8]) {
        let start = Array(#"[{"id":1,"name":"Zoë is long enough"#.utf8)
        #expect {
            _ = try Page(start + sequence + Array(#""}]"#.utf8)).read()
        } throws: { error in
            guard case PageFault.notUTF8(let error) = error else { return false }
            return error.offset == start.count
        }
    }

    @Test func `an empty body is not JSON`() throws {
        #expect(try Page("").fault()?.description == "the page is not JSON: byte 0: expected a value, found the end")
    }
}
