// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingJSON
import Testing

struct JSONWriterTests {
    static func text(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `commas stand between values and nowhere else`() {
        let text = Self.text { writer in
            writer.beginObject()
            writer.name("a")
            writer.beginArray()
            writer.integer(1)
            writer.beginObject()
            writer.endObject()
            writer.beginArray()
            writer.endArray()
            writer.null()
            writer.endArray()
            writer.name("b")
            writer.bool(true)
            writer.name("c")
            writer.bool(false)
            writer.endObject()
        }
        #expect(text == #"{"a":[1,{},[],null],"b":true,"c":false}"#)
    }

    @Test func `control sequences of a terminal are escaped`() {
        let text = Self.text { $0.string("a\"b\\c/\n\r\t\u{0}\u{1B}[2J\u{7F}\u{85}\u{9F}é東🎉") }
        #expect(text == #""a\"b\\c/\n\r\t\u0000\u001b[2J\u007f\u0085\u009fé東🎉""#)
        #expect(Self.text { $0.name("\u{1B}") } == #""\u001b":"#)
    }

    @Test func `every scalar below U+3000 reads back as itself`() throws {
        let original = String(String.UnicodeScalarView((0..<0x3000).compactMap { Unicode.Scalar($0) }))
        let text = Self.text { $0.string(original) }
        let decoded = try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed) as? String
        #expect(decoded?.unicodeScalars.elementsEqual(original.unicodeScalars) == true)
        #expect(JSONTestSuiteTests.error(of: Array(text.utf8)) == nil)
    }

    @Test func `bytes that are not UTF-8 become the replacement character`() {
        let bytes: [UInt8] = [0x61, 0xFF, 0x62]
        #expect(Self.text { writer in bytes.withUnsafeBytes { writer.string($0) } } == "\"a\u{FFFD}b\"")
    }

    @Test(arguments: [
        (0.1, "0.1"), (1, "1.0"), (-0.0, "-0.0"), (1e300, "1e+300"), (1e-7, "1e-07"), (.infinity, "null"),
        (-.infinity, "null"), (.nan, "null"),
    ])
    func `a double is written with its shortest digits, or as null`(number: Double, text: String) {
        let written = Self.text { $0.double(number) }
        #expect(written == text)
        #expect(JSONTestSuiteTests.error(of: Array(written.utf8)) == nil)
    }

    @Test func `integers of every width are written`() {
        let text = Self.text { writer in
            writer.beginArray()
            writer.integer(Int64.min)
            writer.integer(UInt64.max)
            writer.integer(UInt8(7))
            writer.endArray()
        }
        #expect(text == "[-9223372036854775808,18446744073709551615,7]")
    }

    @Test(arguments: [
        (" { \"a b\" : [ 1 , 2.50 ,\n\"x \\\" y\\\\\" ] ,\t\"c\" : { } }\r\n", #"{"a b":[1,2.50,"x \" y\\"],"c":{}}"#),
        (#""\u0061 \\""#, #""\u0061 \\""#), ("1e400", "1e400"),
        ("\"\u{7F}\u{9B}é\u{202E}\"", #""\u007f\u009bé\u202e""#),
        ("\"\u{E0041}🎉\"", #""\udb40\udc41🎉""#),
    ])
    func `given JSON loses its spacing, and its control sequences are escaped`(given: String, written: String) {
        let bytes = Array(given.utf8)
        let text = Self.text { writer in
            writer.beginArray()
            bytes.withUnsafeBytes { writer.raw($0) }
            writer.null()
            writer.endArray()
        }
        #expect(text == "[" + written + ",null]")
    }

    @Test func `given bytes that are not JSON are written without harm`() {
        for bytes in [[0x22], [0x22, 0x5C], [0x5C], [], [0xFF]] as [[UInt8]] {
            let text = Self.text { writer in bytes.withUnsafeBytes { writer.raw($0) } }
            #expect(text.utf8.count <= 3)
        }
    }
}
