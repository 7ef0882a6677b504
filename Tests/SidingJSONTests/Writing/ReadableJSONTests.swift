// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct ReadableJSONTests {
    @Test(
        arguments: [
            (#""\u00e7\u00E9""#, #""çé""#), (#""\ud83d\ude80""#, "\"🚀\""), (#"{"\u00fc":"a\u0062"}"#, #"{"ü":"ab"}"#),
            // What ends a string, cannot be seen, or is half of a character stays.
            (#""\u0022\u005c\u0000\u001b\u202e\u200b""#, #""\u0022\u005c\u0000\u001b\u202e\u200b""#),
            (#""\ud83d \ude80 \ud83dx""#, #""\ud83d \ude80 \ud83dx""#),
            // Not an escape of a character: an escaped backslash stands before it.
            (#""\\u00e7 \\\u00e7""#, #""\\u00e7 \\ç""#), (#""\n\"\/""#, #""\n\"\/""#),
            // Cut off in the middle.
            (#""\u00e"#, #""\u00e"#), (#""\"#, #""\"#), (#""\ud83d\ude8"#, #""\ud83d\ude8"#), ("", ""), ("12", "12"),
        ])
    func `escapes of harmless characters become the characters`(_ json: String, _ readable: String) {
        #expect(String(decoding: ReadableJSON.bytes(Array(json.utf8)), as: UTF8.self) == readable)
    }

    @Test func `the meaning stays with any escapes`() throws {
        for value in 0..<0x3000 {
            let digits = String(value, radix: 16)
            let json = #"{"k":"a\u\#(String(repeating: "0", count: 4 - digits.count))\#(digits)b"}"#
            let before = try JSONDocument(json)
            let after = try JSONDocument(ReadableJSON.bytes(Array(json.utf8)))
            #expect(before.isEquivalent(to: after), "\(json)")
        }
    }
}
