// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

/// The folders of `Siding` depend on each other as `Docs/Architecture.md` says, so that each can be read without those above it.
@Suite struct RoomsTests {
    /// Folders in the order of the table; what lies beside `Siding.swift` comes first.
    private let order: [String]
    /// The exceptions to the order, such as `Runs/ names Outbox/`.
    private let exceptions: Set<String>

    init() throws {
        let document = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Docs/Architecture.md").standardized
        let lines = try String(contentsOf: document, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: [" ", "`"]) }
        }
        let first = try #require(lines.firstIndex { $0.starts(with: ["folder", "contents"]) })
        let second = try #require(lines.firstIndex { $0.starts(with: ["folder", "names types of"]) })
        order = [""] + lines[first..<second].compactMap(\.first).filter { $0.hasSuffix("/") }
        exceptions = Set(
            lines[second...].filter { $0.count == 3 && $0[0].hasSuffix("/") && $0[1].hasSuffix("/") }
                .map { "\($0[0]) names \($0[1])" })
    }

    private static func folder(_ path: String) -> String {
        path.firstIndex(of: "/").map { String(path[...$0]) } ?? ""
    }

    /// The lines without comments and texts.
    private static func code(_ text: String) -> [Substring] {
        var isInText = false
        return text.split(separator: "\n").filter { line in
            if line.contains("\"\"\"") { isInText.toggle() }
            return !isInText && !line.drop { $0 == " " }.hasPrefix("//")
        }.map { line in line.split(separator: "\"", omittingEmptySubsequences: false) }.flatMap { parts in
            parts.indices.filter { $0 % 2 == 0 }.map { parts[$0] }
        }
    }

    /// The names that begin as those of types do.
    private static func names(_ line: Substring) -> [String] {
        line.utf8.split { !(65...90 ~= $0 || 97...122 ~= $0 || 48...57 ~= $0 || $0 == 95) }
            .filter { 65...90 ~= ($0.first ?? 0) }.compactMap { String($0) }
    }

    private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    /// The type that a line at the margin declares.
    private static func declared(_ line: Substring) -> String? {
        guard line.first?.isLetter ?? false else { return nil }
        let words = line.split { $0 == " " || $0 == ":" || $0 == "<" }
        guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count else { return nil }
        return String(words[kind + 1])
    }

    @Test func `a folder names types of those below it in the table, but for the exceptions that the table lists`()
        throws
    {
        let sources = try TableGatewayTests.sources()
        #expect(Set(sources.keys.map(Self.folder)) == Set(order), "a folder has no row")
        let code = sources.mapValues(Self.code)
        var homes: [String: String] = [:]
        for (path, lines) in code {
            for type in lines.compactMap(Self.declared) { homes[type] = Self.folder(path) }
        }
        #expect(homes.count > 250, "the types were not found")
        let places = Dictionary(uniqueKeysWithValues: zip(order, order.indices))
        var upwards: [String: Set<String>] = [:]
        for (path, lines) in code {
            let folder = Self.folder(path)
            for name in Set(lines.flatMap(Self.names)) {
                guard let home = homes[name], let above = places[home], let own = places[folder], above < own else {
                    continue
                }
                upwards["\(folder) names \(home)", default: []].insert("\(path): \(name)")
            }
        }
        for (use, names) in upwards where !exceptions.contains(use) { Issue.record("\(use): \(names.sorted())") }
        #expect(exceptions.subtracting(upwards.keys) == [], "an exception that is none")
    }
}
