// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

struct JSONExcerptTests {
    static func excerpt(_ text: String, limit: Int = 200, hiding name: String? = nil) throws -> String {
        try JSONDocument(text).excerpt(limit: limit) { $0 == name }
    }

    @Test(arguments: [
        #"{"a":[1,{},[],{"b":"x\"y"},null],"c":-1.50}"#, "[]", "{}", #""x""#, "null", "1e5", "[[1],[2,3]]",
        #"{"a":{"b":{"c":[true,false]}},"d":1}"#,
    ])
    func `a short value is shown whole`(text: String) throws {
        #expect(try Self.excerpt(text) == text)
        #expect(try JSONDocument(text).description == text)
    }

    @Test func `space between tokens is left out, and control characters are shown as such`() throws {
        #expect(try Self.excerpt("{ \"a\" :\n [ 1 ,\t2 ] }") == #"{"a":[1,2]}"#)
        #expect(try Self.excerpt("\"\u{202E}\u{7F}\"") == #""\u{202e}\u{7f}""#)
    }

    @Test(arguments: ["x", "é", "🎉"]) func `no value is shown beyond the limit`(character: String) throws {
        let long = String(repeating: character, count: 5000)
        for text in ["\"\(long)\"", "[\"\(long)\",1]", "{\"\(long)\":1}", "[[\"\(long)\"],\"\(long)\"]"] {
            let excerpt = try Self.excerpt(text, limit: 50)
            #expect(excerpt.unicodeScalars.count == 51)
            #expect(excerpt.hasSuffix("…"))
            #expect(text.hasPrefix(excerpt.dropLast()))
        }
        let digits = String(repeating: "1,", count: 10_000)
        #expect(try Self.excerpt("[\(digits)2]", limit: 9) == "[1,1,1,1,…")
        #expect(try Self.excerpt(String(repeating: "9", count: 10_000), limit: 3) == "999…")
        #expect(try Self.excerpt("12", limit: 0) == "…")
    }

    @Test func `a value at the limit is shown whole`() throws {
        #expect(try Self.excerpt(#""éé🎉""#, limit: 5) == #""éé🎉""#)
        #expect(try Self.excerpt(#""éé🎉""#, limit: 4) == #""éé🎉…"#)
    }

    @Test func `the value of a hidden name is left out, at any kind and depth`() throws {
        let text = #"{"a":1,"s":"x","b":[{"s":{"s":[1],"t":{}},"u":2},{"\u0073":[1,[2]]},{"s":3}],"c":"s"}"#
        let shown = #"{"a":1,"s":"…","b":[{"s":"…","u":2},{"\u0073":"…"},{"s":"…"}],"c":"s"}"#
        #expect(try Self.excerpt(text, hiding: "s") == shown)
    }
}
