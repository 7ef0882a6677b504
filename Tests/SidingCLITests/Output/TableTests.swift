// SPDX-License-Identifier: Apache-2.0
import Testing
import SidingChain

@testable import SidingCLI

@Suite struct TableTests {
    private func table(_ rows: [[String]]) -> Table {
        var table = Table(["name", ">count"])
        for row in rows { table.add(row) }
        return table
    }

    @Test func `columns line up by display width, not by characters`() {
        let lines = table([["北京", "7"], ["Łódź", "1234"], ["e\u{301}", "5"]]).lines(width: nil)
        #expect(lines == ["NAME  COUNT", "北京      7", "Łódź   1234", "e\u{301}         5"])
    }

    @Test func `the widest column gives way until the table fits the terminal`() {
        let lines = table([[String(repeating: "x", count: 100), "1"]]).lines(width: 30)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 30 })
        #expect(lines[1].contains("x…"))
    }

    @Test func `a note is below its row, broken between words and not cut`() {
        var table = Table(["name", ">count"])
        table.add(["a", "1"], note: String(repeating: "word ", count: 40))
        table.add(["b", "2"])
        let lines = table.lines(width: 30)
        #expect(lines.first == "NAME  COUNT" && lines[1] == "a         1" && lines.last == "b         2")
        let note = lines[2..<(lines.count - 1)]
        #expect(note.allSatisfy { $0.hasPrefix("    word") && DisplayWidth.of($0) <= 30 })
        #expect(note.joined().split(separator: "word", omittingEmptySubsequences: false).count == 41)
        #expect(table.lines(width: nil).allSatisfy { DisplayWidth.of($0) <= 120 })
    }

    @Test func `a wide character is never cut in half`() {
        #expect(DisplayWidth.cut("北京北京", to: 4) == "北…")
        #expect(DisplayWidth.cut("abcd", to: 4) == "abcd")
    }

    @Test func `no control character of remote data gets through`() {
        let evil = "a\u{1B}]52;c;AA\u{7}\u{202E}\u{9B}31m"
        var table = Table([evil])
        table.add([evil])
        for line in table.lines(width: nil) {
            #expect(
                line.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{202E}"
                })
        }
    }
}

@Suite struct WordsTests {
    @Test(arguments: ["0s", "500ms", "30s", "15m", "2h", "7d", "1.5s"])
    func `a duration on the command line is one of the config, or none`(text: String) {
        #expect(DurationArgument(argument: text)?.duration == DurationText.parse(text))
    }

    @Test(arguments: [("500KB", 500_000), ("2MiB", 2_097_152), ("1GB", 1_000_000_000), ("4096", 4_096)])
    func `a size on the command line is one of the config`(text: String, bytes: Int) {
        #expect(SizeArgument(argument: text)?.bytes == bytes)
    }

    @Test(arguments: ["", "0", "-1", "2 MiB", "2mib", "1.5MiB", "2TiB", "MiB", "999999999999999GiB"])
    func `text that is not a size is refused`(text: String) {
        #expect(SizeArgument(argument: text) == nil)
    }

    @Test(arguments: ["", "5", "s", "-3s", "nans", "infs", "1e99d", "5 s", "5w"])
    func `text that is not a duration is refused`(text: String) {
        #expect(DurationArgument(argument: text) == nil)
    }
}
