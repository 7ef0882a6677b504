// SPDX-License-Identifier: Apache-2.0
import SidingTesting
import Testing

@testable import Siding
@testable import SidingService

/// The parts that screens are made of.
@Suite struct PagePartsTests {
    @Test(
        arguments: [
            ("{}", "{}"), ("[]", "[]"), ("1.50", "1.50"), (#""a""#, #""a""#),
            (
                #"{"a":1,"b":[1,{"c":{}},[]]}"#,
                "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    {\n      \"c\": {}\n    },\n    []\n  ]\n}"
            ),
            (" { \"a\" : \"{[,:\\\"\" } ", "{\n  \"a\": \"{[,:\\\"\"\n}"), ("[\"\u{200B}\"]", "[\n  \"\\u200b\"\n]"),
        ])
    func `JSON is written with line breaks and without a change of meaning`(_ json: String, _ shown: String) {
        #expect(String(decoding: PrettyJSON.text(Array(json.utf8), limit: .max), as: UTF8.self) == shown)
    }

    @Test func `deep and cut JSON ends at the limit`() {
        let deep = Array(repeating: UInt8(ascii: "["), count: 10_000)
        #expect(PrettyJSON.text(deep, limit: 1_000).count == 1_000)
        #expect(PrettyJSON.text(deep, limit: .max).count < 10_000 * 70)
    }

    @Test(
        arguments: [
            ("a < b & \"c\" > 'd'", "a &lt; b &amp; &quot;c&quot; &gt; &#39;d&#39;"),
            ("\"\u{301}<\u{301}&\u{20DD}", "&quot;\u{301}&lt;\u{301}&amp;\u{20DD}"), ("é 漢 🛤", "é 漢 🛤"),
            ("line\nbreak\ttab", "line\nbreak\ttab"), ("\u{0}\u{1B}\u{202E}\r", "\\u{0}\\u{1b}\\u{202e}\\u{d}"),
        ])
    func `text is escaped by scalars`(_ text: String, _ html: String) {
        #expect(Array(HTMLText().escapeText(text).utf8) == Array(html.utf8))
    }

    @Test(
        arguments: [
            ("a", "/records/notes/a"), ("a/b", "/records/notes/a%2Fb"),
            ("ключ", "/records/notes/%D0%BA%D0%BB%D1%8E%D1%87"),
            ("", "/records/notes?key="), ("..", "/records/notes?key=.."), ("...", "/records/notes/..."),
            ("a\u{0}", nil), (String(repeating: "k", count: 9_000), nil),
        ])
    func `a key makes an address, if one can carry it`(_ key: String, _ address: String?) {
        #expect(PageLink.record(key, of: "notes") == address)
    }

    @Test func `bodies that are not text are not shown, and those that are cut say so`() {
        let binary = BodyExcerpt([0xFF, 0xFE, 0x00], limit: 100)
        #expect(binary.text == "" && binary.remark == "3 B that are not text")
        let cut = BodyExcerpt(Array("aé".utf8) + Array(repeating: UInt8(ascii: "b"), count: 100), limit: 2)
        #expect(cut.remark == "The beginning of 103 B.")
        let split = BodyExcerpt(Array("ab漢".utf8), limit: 4)
        #expect(split.text.hasPrefix("ab") && split.remark == "The beginning of 5 B.")
        let whole = BodyExcerpt(Array("plain".utf8), limit: 100)
        #expect(whole.text == "plain" && whole.remark == nil)
    }
}
