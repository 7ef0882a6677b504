// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONSyntaxTests {
    static func error(_ text: String, limits: JSONLimits = JSONLimits()) -> JSONSyntaxError? {
        JSONTestSuiteTests.error(of: Array(text.utf8), limits: limits)
    }

    @Test(arguments: [
        ("", 0, "byte 0: expected a value, found the end"),
        ("  ", 2, "byte 2: expected a value, found the end"),
        ("[1 2]", 3, "byte 3: expected ',' or ']', found '2'"),
        ("[1,]", 3, "byte 3: expected a value, found ']'"),
        ("[,1]", 1, "byte 1: expected a value, found ','"),
        ("[", 1, "byte 1: expected a value or ']', found the end"),
        ("{", 1, "byte 1: expected a member name in double quotes, or '}', found the end"),
        (#"{"a" 1}"#, 5, "byte 5: expected ':', found '1'"),
        (#"{"a":1,}"#, 7, "byte 7: expected a member name in double quotes, found '}'"),
        (#"{"a":1 "b":2}"#, 7, "byte 7: expected ',' or '}', found '\"'"),
        ("{'a':1}", 1, "byte 1: expected a member name in double quotes, or '}', found \"'\""),
        ("[01]", 2, "byte 2: expected ',' or ']', found '1'"),
        ("[-]", 2, "byte 2: expected a digit, found ']'"),
        ("[1.]", 3, "byte 3: expected a digit, found ']'"),
        ("[1e+]", 4, "byte 4: expected a digit, found ']'"),
        ("[+1]", 1, "byte 1: expected a value, found '+'"),
        ("[.5]", 1, "byte 1: expected a value, found '.'"),
        ("[nul]", 1, "byte 1: expected a value, found 'n'"),
        ("truE", 0, "byte 0: expected a value, found 't'"),
        (#"["\x"]"#, 3, "byte 3: expected one of \" \\ / b f n r t u after a backslash, found 'x'"),
        (#"["\u12g4"]"#, 6, "byte 6: expected four hexadecimal digits after \\u, found 'g'"),
        (#"["\ud800\u12"]"#, 12, "byte 12: expected four hexadecimal digits after \\u, found '\"'"),
        (#"["abc"#, 5, "byte 5: expected the closing quote of a string, found the end"),
        (#"["abc\"#, 6, "byte 6: expected one of \" \\ / b f n r t u after a backslash, found the end"),
        (
            "[\"a long string with a\ttab\"]", 22,
            "byte 22: a control character inside a string must be escaped, found byte 0x09"
        ),
        ("1 1", 2, "byte 2: expected nothing after the value, found '1'"),
        ("[]\u{1B}[2J", 2, "byte 2: expected nothing after the value, found byte 0x1B"),
        ("[]é", 2, "byte 2: expected nothing after the value, found byte 0xC3"),
    ])
    func `an error names the byte and what was expected there`(text: String, offset: Int, description: String) {
        let error = Self.error(text)
        #expect(error?.offset == offset)
        #expect(error?.description == description)
    }

    @Test func `limits are met exactly`() {
        let limits = JSONLimits(maxDepth: 2, maxValues: 4, maxStringBytes: 3)
        #expect(Self.error(#"[[1,"abc"]]"#, limits: limits) == nil)
        #expect(Self.error("[[[]]]", limits: limits)?.problem == .tooDeep)
        #expect(Self.error("[[[]]]", limits: limits)?.offset == 2)
        #expect(Self.error("[1,2,3,4]", limits: limits)?.problem == .tooManyValues)
        #expect(Self.error(#"["abcd"]"#, limits: limits)?.problem == .stringTooLong)
        #expect(Self.error(#"{"abcd":1}"#, limits: limits)?.problem == .stringTooLong)
    }

    @Test(arguments: [63, 64, 65, 127, 128, 129, 1000, 100_000])
    func `containers of any depth are closed as they were opened`(depth: Int) {
        let limits = JSONLimits(maxDepth: depth)
        let open = String(repeating: #"[{"a":"#, count: depth / 2)
        let close = String(repeating: "}]", count: depth / 2)
        #expect(Self.error(open + "1" + close, limits: limits) == nil)
        #expect(Self.error(open + "1" + close.dropLast(), limits: limits)?.found == nil)
        #expect(Self.error(open + "1" + String(close.dropLast()) + "}", limits: limits)?.found == UInt8(ascii: "}"))
        #expect(Self.error(open + "1]" + close.dropFirst(), limits: limits)?.found == UInt8(ascii: "]"))
    }

    @Test func `an excerpt is short and printable`() throws {
        let text =
            "[\"" + String(repeating: "\\u001b", count: 50) + "\u{7F}\u{202E}\u{1B}\n"
            + String(repeating: "x", count: 100)
        let error = try #require(Self.error(text))
        let excerpt = Array(text.utf8).withUnsafeBytes { error.excerpt(of: $0) }
        #expect(excerpt.contains("\\u{1b} xxx"))
        #expect(excerpt.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(excerpt.count < 100)
    }

    @Test func `strings are read alike at every distance from the end`() {
        for length in 0..<70 {
            let plain = String(repeating: "x", count: length)
            #expect(Self.error("\"\(plain)\"") == nil)
            #expect(Self.error("\"\(plain)é\"") == nil)
            #expect(Self.error("\"\(plain)\\n\"") == nil)
            #expect(Self.error("\"\(plain)")?.offset == length + 1)
            #expect(Self.error("\"\(plain)\u{1F}\"")?.offset == length + 1)
            #expect(Self.error("\"\(plain)\\q\"")?.offset == length + 2)
        }
    }
}
