// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing

@testable import SidingCLI

@Suite struct ReadmeTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// Every command that does something: `queue list`, `sync`, …
    private static func commands(_ type: any ParsableCommand.Type, _ prefix: String = "") -> [String] {
        let configuration = type.configuration
        let below = configuration.subcommands
        guard !below.isEmpty else { return [prefix] }
        return below.flatMap { child in
            commands(
                child, [prefix, child.configuration.commandName ?? ""].filter { !$0.isEmpty }.joined(separator: " "))
        }
    }

    @Test func `the README is at most 190 lines long`() throws {
        #expect(try Self.text("README.md").count { $0 == "\n" } <= 190)
    }

    @Test func `every command has an example in the reference of the command line`() throws {
        let lines = try Self.text("Docs/CommandLine.md").split(separator: "\n")
        for command in Self.commands(SidingCommand.self) {
            let example = "$ siding \(command)"
            #expect(lines.contains { $0 == example || $0.hasPrefix("\(example) ") }, "\(command)")
        }
    }

    @Test func `the reading order of a sync names at most forty files, and all of them exist`() throws {
        let document = try Self.text("Docs/Architecture.md")
        let start = try #require(document.range(of: "To read it, open these"))
        let end = try #require(document.range(of: "\n\nWhile pages", range: start.upperBound..<document.endIndex))
        let files = document[start.upperBound..<end.lowerBound].matches(of: /`([A-Za-z]+(?:\/[A-Za-z+]+)+)`/).map {
            String($0.1)
        }
        #expect(files.count > 30 && files.count <= 40)
        for file in files {
            let isOfOtherModule = file.prefixMatch(of: /Siding[A-Z]/) != nil
            let folder = file.hasPrefix("CLI/") ? "" : isOfOtherModule ? "Sources/" : "Sources/Siding/"
            let path = "\(folder)\(file).swift"
            #expect(FileManager.default.fileExists(atPath: Self.root.appending(path: path).path), "\(path)")
        }
    }

    @Test func `the program in the README is the one that is compiled`() throws {
        let program = try Self.text("Examples/Embedding/Embedding.swift")
            .trimmingPrefix("// SPDX-License-Identifier: Apache-2.0\n")
        #expect(try Self.text("README.md").contains("```swift\n\(program)```"))
    }

    /// All codes of the executable: `OutputFile` exits with 141 where the reader of standard output went away.
    private static let codes = ExitStatus.allCases.map { Int($0.rawValue) } + [141]

    @Test func `every exit code stands in the table of the documentation`() throws {
        let document = try Self.text("Docs/CommandLine.md")
        let rows = document.matches(of: /(?m)^\| (\d+(?:, \d+)*) \|/).flatMap {
            $0.1.matches(of: /\d+/).map { Int($0.0) }
        }
        #expect(Set(rows) == Set(Self.codes))
    }

    @Test func `siding --help names every exit code`() throws {
        let help = SidingCommand.configuration.discussion
        let start = try #require(help.range(of: "Exit codes: "))
        let text = help[start.upperBound...].prefix { $0 != "\n" }
        #expect(Set(text.matches(of: /\b\d+\b/).map { Int($0.0) }) == Set(Self.codes))
    }

    @Test func `the version is one that the changelog knows, or is about to`() throws {
        let changelog = try Self.text("CHANGELOG.md")
        #expect(changelog.contains("[\(Version.number)]") || changelog.contains("## [Unreleased]"))
    }
}
