// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// Holds the guide of chains to the files that it speaks of.
@Suite struct ChainsDocumentTests {
    /// A row of the checklist: what is offered, where it is made, and the tests that would fail without it.
    private struct Row {
        var name: String
        var sources: [String]
        var tests: [(file: String, sentence: String)]
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    private static func document() throws -> String { try text("Docs/Chains.md") }

    /// The rows of the tables of the checklist.
    private static func checklist() throws -> [Row] {
        let lines = try text("Tests/Checklist.md").split(separator: "\n")
        return lines.compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard line.hasPrefix("|"), cells.count == 3, cells[1] != "source file", !cells[1].hasPrefix("---") else {
                return nil
            }
            return Row(name: cells[0], sources: files(cells[1]), tests: tests(cells[2]))
        }
    }

    private static func files(_ cell: String) -> [String] {
        cell.matches(of: /`([^`]+\.swift)`/).map { String($0.1) }
    }

    /// Each sentence belongs to the file before it.
    private static func tests(_ cell: String) -> [(file: String, sentence: String)] {
        var file = ""
        var tests: [(file: String, sentence: String)] = []
        for match in cell.matches(of: /`([^`]+\.swift)`|“([^”]+)”/) {
            if let name = match.1 { file = String(name) }
            if let sentence = match.2 { tests.append((file, String(sentence))) }
        }
        return tests
    }

    /// Whether `sentence` is the name of a test, as a function's or as what is displayed for it.
    private static func isTest(_ sentence: String, in text: String) -> Bool {
        if text.contains("func `\(sentence)`(") { return true }
        return text.matches(of: /@Test\(\s*"([^"]*)"/).contains { $0.1 == sentence }
    }

    @Test func `every row of the checklist names a source file that is there, and a test`() throws {
        let rows = try Self.checklist()
        #expect(rows.count >= 80)
        for row in rows {
            #expect(!row.sources.isEmpty && !row.tests.isEmpty, "\(row.name)")
            for source in row.sources { #expect(Self.exists("Sources/\(source)"), "\(row.name): \(source)") }
        }
    }

    @Test func `every test that the checklist names is in its file`() throws {
        for row in try Self.checklist() {
            for (file, sentence) in row.tests {
                let path = "Tests/\(file)"
                guard Self.exists(path) else {
                    Issue.record("\(row.name): \(path) is not there")
                    continue
                }
                let isThere = Self.isTest(sentence, in: try Self.text(path))
                #expect(isThere, "\(path): \(sentence)")
            }
        }
    }

    @Test func `every public node stands in the document`() throws {
        let document = try Self.document()
        let nodes = try Self.publicNodes()
        #expect(nodes.count >= 50)
        let missing = nodes.filter { !document.contains("`\($0)`") }
        #expect(missing.isEmpty)
    }

    /// The map of names: its whole text, and the columns "here" alone.
    private static func mapOfNames() throws -> (text: String, here: String) {
        let document = try document()
        let start = try #require(document.range(of: "## Map of names")).upperBound
        let cells = document[start...].split(separator: "\n").map { $0.split(separator: "|") }
        return (
            String(document[start...]), cells.filter { $0.count == 3 }.map { String($0[1]) }.joined(separator: "\n")
        )
    }

    /// The words in the code of a text.
    private static func names(_ text: String) -> Set<String> {
        Set(text.matches(of: /`[^`]+`/).flatMap { $0.output.matches(of: /[A-Za-z]\w+/).map { String($0.output) } })
    }

    @Test func `every node and every method of the builder is in the map of names`() throws {
        let named = Self.names(try Self.mapOfNames().text)
        #expect(try Self.publicNodes().filter { !named.contains($0) } == [])
        let builder = try ["URLChainBuilder", "URLChainBuilder+Build"].map {
            try Self.text("Sources/SidingNodes/Building/\($0).swift")
        }.joined()
        let methods = Set(builder.matches(of: /public func (\w+)/).map { String($0.1) })
        #expect(methods.count >= 15)
        #expect(methods.subtracting(named).sorted() == [])
    }

    @Test func `every name that the map gives is in the sources`() throws {
        let sources = Self.root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var words: Set<Substring> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            words.formUnion(
                try String(contentsOf: file, encoding: .utf8).split { !$0.isLetter && !$0.isNumber && $0 != "_" })
        }
        let named = Self.names(try Self.mapOfNames().here)
        #expect(named.count >= 80)
        #expect(named.filter { !words.contains(Substring($0)) }.sorted() == [])
    }

    @Test func `the assembly in the document is the one in the source`() throws {
        let source = try Self.text("Sources/SidingNodes/Building/ChainAssembly+Nodes.swift")
        let fence = try #require(source.firstMatch(of: /\/\/\/ ```\n(?<lines>(?:\/\/\/ [^`\n]*\n)+)\/\/\/ ```/))
        let figure = fence.lines.split(separator: "\n").map { $0.dropFirst(4) }.joined(separator: "\n")
        #expect(figure.contains("RetryNode(AccessSafeNode("))
        let isThere = try Self.document().contains("```\n\(figure)\n```")
        #expect(isThere, "\(figure)")
    }

    @Test func `the document says that macros are not offered`() throws {
        let isSaid = try Self.document().contains("Macros are not offered: plain `CodingKeys`")
        #expect(isSaid)
    }

    /// The names of the public structs that are nodes.
    private static func publicNodes() throws -> [String] {
        let sources = root.appending(path: "Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        var nodes: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /public struct (\w+)[^\n]*: (?:Wrapper)?Node\b/) {
                nodes.insert(String(match.1))
            }
        }
        return nodes.sorted()
    }
}
