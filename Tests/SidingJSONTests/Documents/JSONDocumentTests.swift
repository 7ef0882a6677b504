// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONDocumentTests {
    static func fault(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) -> DocumentFault? {
        do throws(DocumentFault) {
            _ = try JSONDocument(bytes, limits: limits)
            return nil
        } catch {
            return error
        }
    }

    static func fault(_ text: String, limits: JSONLimits = JSONLimits()) -> DocumentFault? {
        fault(Array(text.utf8), limits: limits)
    }

    static func text(_ document: JSONDocument?) -> String? {
        document.map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    @Test(arguments: [
        (" {\"a\": 1}\n", JSONKind.object, "{\"a\": 1}"), ("\t[ ]", .array, "[ ]"), (#""x""#, .string, #""x""#),
        (" -1.50E+2 ", .number, "-1.50E+2"), ("true", .true, "true"), ("false ", .false, "false"),
        ("null", .null, "null"),
    ])
    func `a document is one value of any kind, without the space around it`(text: String, kind: JSONKind, kept: String)
        throws
    {
        let document = try JSONDocument(text)
        #expect(document.kind == kind)
        #expect(Self.text(document) == kept)
        #expect(document.isNull == (kind == .null))
        #expect(document.bool == (kind == .true ? true : kind == .false ? false : nil))
        #expect(document.digits == (kind == .number ? kept : nil))
        #expect(document.string == (kind == .string ? "x" : nil))
        #expect((document.members != nil) == (kind == .object))
        #expect((document.elements != nil) == (kind == .array))
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, RecordFault.duplicateName("a", offset: 7)),
        (#"{"a":1,"\u0061":2}"#, .duplicateName("a", offset: 7)),
        (#"[{"o":{"x":1,"y":2,"x":1}}]"#, .duplicateName("x", offset: 19)),
        (#""\ud800""#, .loneSurrogate(offset: 0)),
        (#"{"\udc00":1}"#, .loneSurrogate(offset: 1)),
        ("[[[[0]]]]", .tooDeep(limit: 3, offset: 3)),
        (#"["123456789"]"#, .stringTooLong(limit: 8, offset: 1)),
        (#"{"123456789":1}"#, .stringTooLong(limit: 8, offset: 1)),
    ])
    func `ambiguous text is refused, with its byte`(text: String, fault: RecordFault) {
        #expect(Self.fault(text, limits: JSONLimits(maxDepth: 3, maxStringBytes: 8)) == .rule(fault))
        #expect(Self.fault("  " + text, limits: JSONLimits(maxDepth: 3, maxStringBytes: 8))?.offset == fault.offset + 2)
    }

    @Test(arguments: [
        ("", JSONSyntaxError.Problem.expectedValue, 0), (" \n", .expectedValue, 2), ("{} {}", .expectedEnd, 3),
        ("[1,]", .expectedValue, 3), ("nul", .expectedValue, 0), ("NaN", .expectedValue, 0),
        ("\u{FEFF}{}", .byteOrderMark, 0), (#"{"a":1,"a":2"#, .expectedCommaOrObjectEnd, 12),
    ])
    func `text that is not JSON is refused before any other fault`(
        text: String, problem: JSONSyntaxError.Problem, offset: Int
    ) {
        guard case .syntax(let error) = Self.fault(text) else {
            Issue.record("accepted")
            return
        }
        #expect(error.problem == problem)
        #expect(error.offset == offset)
    }

    @Test(
        arguments: [
            ([0x22, 0x61, 0xFF, 0x22], 2), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1), ([0x7B, 0x22, 0xE2, 0x82, 0x22, 0x3A, 0x31, 0x7D], 2),
        ] as [([UInt8], Int)])
    func `bytes that are not UTF-8 are refused where they stand`(bytes: [UInt8], offset: Int) {
        #expect(Self.fault(bytes)?.offset == offset)
        guard case .syntax(let error) = Self.fault(bytes) else {
            Issue.record("accepted")
            return
        }
        #expect(error.problem == .invalidUTF8)
    }

    @Test func `no depth of nesting does harm`() {
        let bomb = String(repeating: "[", count: 200_000)
        #expect(Self.fault(bomb)?.offset == 200_000)
        let closed = bomb + String(repeating: "]", count: 200_000)
        #expect(Self.fault(closed) == .rule(.tooDeep(limit: 128, offset: 128)))
        let objects = String(repeating: #"{"a":"#, count: 200_000)
        #expect(Self.fault(objects + "1" + String(repeating: "}", count: 200_000))?.offset == 128 * 5)
        #expect(Self.fault("[1,2,3]", limits: JSONLimits(maxValues: 3)) != nil)
    }

    @Test(arguments: [
        "9007199254740993", "-9007199254740993", "123456789012345678901234567890", "0.1000", "-0", "1E400",
        "3.14159265358979323846264338327950288",
    ])
    func `a number keeps every digit`(digits: String) throws {
        let document = try JSONDocument(#"{"n": \#(digits) , "m":0}"#)
        #expect(document.value(at: JSONPath(member: "n"))?.digits == digits)
        #expect(document.members?.first?.value.digits == digits)
    }

    @Test func `parts are found by path, in place, and share the bytes of the whole`() throws {
        let whole = try JSONDocument(#" {"a":{"\u0062":[1,{"c":"x\ny"}]},"n":null} "#)
        let part = try #require(whole.value(at: JSONPath(parsing: "$.a.b[1]")))
        #expect(Self.text(part) == #"{"c":"x\ny"}"#)
        #expect(part.value(at: JSONPath(member: "c"))?.string == "x\ny")
        #expect(Self.text(whole.value(at: .root)) == Self.text(whole))
        let address = { (bytes: ArraySlice<UInt8>) in bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(address(part.bytes) - address(whole.bytes) == 18)
        #expect(part.bytes.startIndex == whole.bytes.startIndex + 18)
    }

    @Test func `null is a value, and a missing member has none`() throws {
        let document = try JSONDocument(#"{"a":null,"b":[]}"#)
        #expect(document.value(at: JSONPath(member: "a"))?.isNull == true)
        #expect(document.value(at: JSONPath(member: "c")) == nil)
        #expect(try document.value(at: JSONPath(parsing: "$.b[0]")) == nil)
        #expect(try document.value(at: JSONPath(parsing: "$.a.b")) == nil)
    }

    @Test func `members and elements come in their order`() throws {
        let document = try JSONDocument(#"{"z":1,"\u0061":[10, [] ,{"a":2}],"é":"é"}"#)
        #expect(document.members?.map(\.name) == ["z", "a", "é"])
        #expect(document.members?.map(\.value.kind) == [.number, .array, .string])
        #expect(document.members?[1].value.elements?.map { Self.text($0) } == ["10", "[]", #"{"a":2}"#])
    }

    @Test func `an empty object is not an empty array, nor the other way round`() throws {
        let object = try JSONDocument("{}")
        let array = try JSONDocument("[]")
        #expect(object.elements == nil)
        #expect(object.members?.isEmpty == true)
        #expect(array.members == nil)
        #expect(array.elements == [])
        #expect(object != array)
    }

    @Test func `documents are equal byte for byte`() throws {
        #expect(try JSONDocument(" [1] ") == JSONDocument("[1]"))
        #expect(try JSONDocument("[[1]]").elements?.first == JSONDocument("[1]"))
        #expect(try JSONDocument("1.0") != JSONDocument("1"))
        #expect(try JSONDocument(#"{"a":1,"b":2}"#) != JSONDocument(#"{"b":2,"a":1}"#))
    }

    @Test func `documents are made of documents, each as it is, names sorted`() throws {
        let number = try JSONDocument("1.50")
        let made = JSONDocument(object: [
            "b": JSONDocument(array: [number, .null, JSONDocument(bool: true), JSONDocument(integer: -7)]),
            "a\"\u{1}": JSONDocument(string: "x\n\u{2028}"), "c": JSONDocument(array: []), "d": .emptyObject,
        ])
        let text = #"{"a\"\u0001":"x\n\u2028","b":[1.50,null,true,-7],"c":[],"d":{}}"#
        #expect(Self.text(made) == text)
        #expect(try JSONDocument(text) == made)
    }

    @Test(arguments: try JSONTestSuiteTests.samples(""))
    func `a document is any text of the grammar that is not ambiguous`(sample: JSONTestSuiteTests.Sample) {
        let isJSON = JSONTestSuiteTests.error(of: sample.bytes, limits: JSONLimits(maxDepth: .max)) == nil
        switch Self.fault(sample.bytes) {
        case nil: #expect(isJSON)
        case .rule: #expect(isJSON)
        case .syntax, .tooLarge: #expect(!isJSON)
        }
    }

    @Test func `of the samples to be accepted only repeated names are refused`() throws {
        let refused = try JSONTestSuiteTests.samples("y_").filter { Self.fault($0.bytes) != nil }.map(\.name)
        #expect(refused == ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"])
    }

    @Test func `a fault shows what stands around it, short and printable`() {
        let text = #"{"id":1,"name":"# + "\u{1B}[2J" + String(repeating: "x", count: 1000)
        let fault = Self.fault(text)
        let excerpt = Array(text.utf8).withUnsafeBytes { fault?.excerpt(of: $0) }
        #expect(excerpt?.contains(#""name":\u{1b}[2J"#) == true)
        #expect((excerpt?.count ?? 0) < 60)
    }
}
