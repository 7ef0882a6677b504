// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import Testing

@Suite struct PlainTextTests {
    @Test(arguments: [
        ("plain ż 漢 🙂", "plain ż 漢 🙂"), ("a\nb\tc\rd", "a b c d"), ("\u{1b}[31mred", "\\u{1b}[31mred"),
        ("a\u{202e}b", "a\\u{202e}b"), ("a\u{200b}b", "a\\u{200b}b"), ("\u{9b}31m", "\\u{9b}31m"),
        ("\u{7f}", "\\u{7f}"),
        ("\u{feff}", "\\u{feff}"), ("\u{2028}", "\\u{2028}"), ("\u{e0041}", "\\u{e0041}"), ("\u{0}", "\\u{0}"),
        ("", ""),
    ])
    func `foreign text becomes one harmless line`(_ text: String, _ shown: String) {
        #expect(PlainText.oneLine(text) == shown)
    }

    @Test func `it is cut with a mark where it is too long`() {
        #expect(PlainText.oneLine("abcd", limit: 4) == "abcd")
        #expect(PlainText.oneLine("abcde", limit: 4) == "abcd…")
        #expect(PlainText.oneLine(String(repeating: "x", count: 600)).count == 501)
    }
}
