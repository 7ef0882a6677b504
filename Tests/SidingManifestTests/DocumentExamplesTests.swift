// SPDX-License-Identifier: Apache-2.0
import Foundation
import SidingManifest
import Testing

/// The configs in the documentation against the grammar.
@Suite struct DocumentExamplesTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The YAML blocks of a document that are whole configs, each with the line that it begins at.
    private static func configs(_ path: String) throws -> [(line: Int, text: String)] {
        let document = try String(contentsOf: root.appending(path: path), encoding: .utf8)
        return document.matches(of: /(?m)^```yaml\n((?:(?!```).*\n)*)```$/).compactMap { match in
            let text = String(match.1)
            guard text.hasPrefix("version: 1") || text.contains("\nversion: 1") else { return nil }
            return (document[..<match.range.lowerBound].count { $0 == "\n" } + 2, text)
        }
    }

    /// Parses a config, and says why it is refused.
    private static func faults(_ text: String) -> String? {
        do {
            _ = try Fixture.parse(text)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(arguments: [
        ("Docs/Config.md", 20), ("Docs/Recipes.md", 12), ("Docs/CommandLine.md", 1), ("Docs/Install.md", 1),
        ("Docs/Metrics.md", 1), ("Docs/Notifications.md", 4), ("Docs/FirstSteps.md", 1), ("Docs/Operating.md", 3),
        ("Docs/Networks.md", 1), ("Docs/Hub.md", 1), ("README.md", 1),
    ])
    func `every whole config in the documentation is valid`(document: String, count: Int) throws {
        let configs = try Self.configs(document)
        #expect(configs.count >= count)
        for config in configs { #expect(Self.faults(config.text) == nil, "\(document):\(config.line)") }
    }

    @Test func `every YAML block of the reference and the recipes is a whole config`() throws {
        for path in ["Docs/Config.md", "Docs/Recipes.md"] {
            let document = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
            let blocks = document.matches(of: /(?m)^```yaml$/).count
            #expect(try Self.configs(path).count == blocks, "\(path)")
        }
    }
}
