// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import SidingManifest
import SidingOrigin
import SidingTesting
import Testing
import TestSupport

/// Whatever the file is, the answer is a refusal with a reason, soon.
@Suite struct RobustnessTests {
    @Test(arguments: [
        ("missing.yaml", "does not exist"), ("directory", "is a directory, not a file"),
        ("siding.yaml/below", "does not exist"), ("large.yaml", "is too large; the limit is 1024 KiB"),
        ("latin1.yaml", "is not UTF-8 text"), ("random.yaml", "is not UTF-8 text"),
        ("fifo", "is not a regular file"),
        ("loop", "is a symbolic link that leads nowhere"), ("/dev/zero", "is not a regular file"),
        ("", "is not a valid path"), ("a\0b", "is not a valid path"),
        (String(repeating: "x", count: 5000), "has a name that is too long"),
    ])
    func `a file that cannot be a configuration is refused with the reason`(_ path: String, _ reason: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write("version: 1", to: "siding.yaml")
        try directory.makeDirectory("directory")
        try directory.write(String(repeating: "# padding\n", count: 110_000), to: "large.yaml")
        try directory.write(Array("version: 1 # ".utf8) + [0xE9], to: "latin1.yaml")
        var random = SeededGenerator(seed: 7)
        try directory.write((0..<5000).map { _ in UInt8(truncatingIfNeeded: random.next()) }, to: "random.yaml")
        try directory.makePipe("fifo")
        try directory.makeLink("loop", to: "loop")
        let environment = ConfigEnvironment(variables: [:], workingDirectory: directory.path)
        #expect(throws: ConfigError.unreadable(path: path, reason: reason)) {
            try Config.load(path: path, environment: environment)
        }
    }

    @Test func `a file is read from the working directory and named as it was given`() throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("conf")
        try directory.write(
            ExampleConfig.blog.text.replacing("path: blog.db", with: "path: x.db"), to: "conf/siding.yaml")
        let environment = ConfigEnvironment(variables: [:], workingDirectory: directory.path)
        let config = try Config.load(path: "conf/siding.yaml", environment: environment)
        #expect(config.file == "conf/siding.yaml")
        #expect(config.databasePath == directory.path + "/conf/x.db")
        #expect(throws: ConfigError.unreadable(path: "~/conf/siding.yaml", reason: "does not exist")) {
            try Config.load(path: "~/conf/siding.yaml", environment: environment)
        }
    }

    @Test(arguments: [
        String(repeating: "[", count: 100_000), String(repeating: "{a: ", count: 100_000),
        String(repeating: "- ", count: 100_000) + "x", String(repeating: "? ", count: 50_000),
        (0..<900).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n"),
        String(repeating: "[", count: 500) + String(repeating: "]", count: 500),
        String(repeating: "a: 1\n", count: 100_000), String(repeating: "\"", count: 100_001),
        String(repeating: "&a ", count: 100_000), String(repeating: "*a ", count: 100_000),
        "a: \(String(repeating: "9", count: 900_000))",
        "a: &a \(String(repeating: "x", count: 900_000))\nb: [*a, *a]",
        String(repeating: "\u{0}", count: 1000), "%YAML 9.9\n---\na: 1", "%TAG ! x\n", "--- ---", "...", "\t", ":",
        "?", "!", "!!", "&", "*",
        "@", "`", "|", ">", "|9", "'", "\"", "\"\\ud800\"", "\"\\xff\"", "\"\\", "{", "}", "]", ",", "- -\n-", "<<",
        "<<: <<", "? ? ? a", "[a: b, c: d]: e",
        "\u{2028}\u{2029}\u{85}", "\r\r\r", "a: |\n  b\n c", "---\n---\n---", "a: !<tag:x> b", "!<", "&a\n*a",
        "{*a: b}", "{&a a: *a, ? *a : b}",
    ])
    func `text that is not a config has faults with places`(_ text: String) {
        let faults = Self.faults(text)
        #expect(!faults.isEmpty)
        Self.expectPlaces(faults, in: text)
    }

    @Test func `tens of thousands of unknown keys are all reported`() {
        let text = (0..<40_000).map { "retry\($0): 1\n" }.joined()
        let faults = Self.faults(text)
        #expect(faults.count == 40_003)
        Self.expectPlaces(faults, in: text)
    }

    @Test func `aliases that multiply are refused before they are expanded`() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...40 {
            text +=
                "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
                + "]\n"
        }
        let faults = Self.faults(text)
        #expect(faults.map(\.message) == ["more than 100000 values, aliases counted as often as they are used"])
        #expect(faults.first?.place.line == 5)
    }

    @Test func `aliases that multiply as keys are refused before they are compared`() {
        var text = "? &a0 [x, x]\n: 1\n"
        for level in 1...60 { text += "? &a\(level) [*a\(level - 1), *a\(level - 1)]\n: 1\n" }
        #expect(Self.faults(text).contains { $0.message == "a list, a map or an alias may not be a key" })
    }

    @Test func `merge keys that multiply are refused before they are merged`() {
        var text = "base: &base\n"
        for index in 0..<20_000 { text += "  k\(index): 1\n" }
        text += "all:\n" + String(repeating: "  - { <<: *base }\n", count: 30_000)
        #expect(Self.faults(text).contains { $0.message.hasPrefix("more than 100000 values") })
    }

    @Test func `aliases that nest are refused at the sixty-fifth level`() {
        var text = "a0: &a0 [x]\n"
        for level in 1...100 { text += "a\(level): &a\(level) [*a\(level - 1)]\n" }
        #expect(Self.faults(text).map(\.message) == ["nested more than 64 levels deep"])
    }

    @Test func `no change of one value for another makes anything but a configuration or faults with places`() async {
        let root = Sample.config
        var accepted = 0
        for (path, replacement) in Sample.exchanges {
            await Task.yield()
            let text = root.replacing(path, with: replacement).yaml
            let faults = Self.faults(text)
            Self.expectPlaces(faults, in: text)
            if faults.isEmpty { accepted += 1 }
        }
        #expect(Self.faults(root.yaml) == [])
        #expect(accepted > 50 / Sample.stride, "values that are free to be anything stay so")
        #expect(accepted < Sample.exchanges.count / 2)
    }

    @Test func `no damage to the text makes anything but a configuration or faults with places`() async {
        let original = Array(FullConfig.text.unicodeScalars)
        let alphabet = Array(" \n\t:-?[]{},#&*!|>'\"%@`\\~<0aZ\u{0}\u{85}é🙂".unicodeScalars)
        var random = SeededGenerator(seed: 42)
        for _ in 0..<Proof.choose(short: 500, middle: 800, long: 15_000) {
            await Task.yield()
            var scalars = original
            for _ in 0...Int.random(in: 0..<3, using: &random) {
                let index = Int.random(in: 0..<scalars.count, using: &random)
                let scalar = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: scalars[index] = scalar
                case 1: scalars.insert(scalar, at: index)
                case 2:
                    scalars.removeSubrange(index..<min(scalars.count, index + Int.random(in: 1..<30, using: &random)))
                default: scalars.removeLast(scalars.count - index - 1)
                }
            }
            var view = String.UnicodeScalarView()
            view.append(contentsOf: scalars)
            Self.expectPlaces(Self.faults(String(view)), in: String(view))
        }
    }

    private static func faults(_ text: String) -> [Fault] {
        do {
            _ = try Fixture.parse(text)
            return []
        } catch {
            return error.faults
        }
    }

    private static func expectPlaces(
        _ faults: [Fault], in text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let breaks: Set<Unicode.Scalar> = ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"]
        let lines = 1 + text.unicodeScalars.count { breaks.contains($0) }
        let areInside = faults.allSatisfy {
            (1...lines).contains($0.place.line) && $0.place.column >= 1 && !$0.message.isEmpty
        }
        #expect(areInside, "\(faults)", sourceLocation: sourceLocation)
        #expect(
            faults == faults.sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) },
            sourceLocation: sourceLocation)
    }
}
