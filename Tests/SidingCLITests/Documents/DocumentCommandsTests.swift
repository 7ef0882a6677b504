// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing

@testable import SidingCLI

/// The commands in the documents that no test runs: other programs' names stand in them, and origins of other people.
@Suite struct DocumentCommandsTests {
    /// The scripts of a page: what its blocks for shells and for cron tell a reader to type.
    private static func scripts(_ page: String) -> [String] {
        page.matches(of: /(?ms)^```(sh|bash|console|cron)\n(.*?)^```$/).map { block in
            switch block.1 {
            case "console": block.2.matches(of: /(?m)^\$ (.*)$/).map { String($0.1) }.joined(separator: "\n")
            case "cron": String(block.2).replacing(/(?m)^(?:[^\s]+ +){5}/, with: "")
            default: String(block.2)
            }
        }
    }

    @Test func `every command of siding in the documents is one that siding takes`() throws {
        var count = 0
        for (path, page) in try DocumentPages.all() {
            for command in Self.scripts(page).flatMap({ ShellScript($0).commands }) where command.first == "siding" {
                count += 1
                #expect(throws: Never.self, "\(path): \(command.joined(separator: " "))") {
                    try SidingCommand.parseAsRoot(Array(command.dropFirst()))
                }
            }
        }
        #expect(count > 100)
    }

    /// The commands in the running text of a page, which may leave out arguments and values: `siding queue show`,
    /// `siding sync --max-bytes`.
    private static func mentioned(_ page: String) -> [[String]] {
        page.replacing(/(?ms)^```.*?^```$/, with: "").matches(of: /`siding ([^`]+)`/).compactMap { command in
            let text = command.1.replacing(/[\[\]…]/, with: "").replacing("\n", with: " ")
            // A word in capitals stands for any value.
            return ShellScript(text).commands.first?.map { $0.wholeMatch(of: /[A-Z]+/) == nil ? $0 : "1" }
        }
    }

    /// Why siding does not know a command of running text; nil if only arguments are missing or values are none.
    private static func fault(_ words: [String]) -> String? {
        var (words, message) = (words, "")
        // No command needs more than a few.
        for _ in 1...5 {
            do {
                _ = try SidingCommand.parseAsRoot(words)
                return nil
            } catch {
                message = SidingCommand.message(for: error)
            }
            guard let missing = message.firstMatch(of: /^Missing (?:value for|expected argument '(--[a-z-]+)?)/) else {
                return message.contains(/^(?:Unknown option|Unexpected argument|\d+ unexpected arguments)/)
                    ? message : nil
            }
            words += (missing.1.map { [String($0)] } ?? []) + ["1"]
        }
        return message
    }

    @Test func `every command that a text names has the subcommands and options in it`() throws {
        var seen: Set<[String]> = []
        // The changelog has lists of subcommands, decisions have alternatives that were never made.
        for (path, page) in try DocumentPages.all() where path != "CHANGELOG.md" && !path.contains("/Decisions/") {
            for words in Self.mentioned(page) where seen.insert(words).inserted {
                #expect(Self.fault(words) == nil, "\(path): siding \(words.joined(separator: " "))")
            }
        }
        #expect(seen.count > 90)
        #expect(Self.fault(["export", "--since", "1"]) != nil)
        #expect(Self.fault(["queue", "show"]) == nil)
    }

    @Test func `a shell's words are read as a shell reads them`() {
        let script = ShellScript(
            """
            siding query "SELECT \\"a b\\"" 2> errors | jq .   # the rest
            siding send a.create -d '{"x":
              1}' \\
              --json > out; siding sync#1 && true
            """)
        #expect(
            script.commands == [
                ["siding", "query", "SELECT \"a b\""], ["jq", "."],
                ["siding", "send", "a.create", "-d", "{\"x\":\n  1}", "--json"], ["siding", "sync#1"], ["true"],
            ])
    }

    @Test func `every target of make that the documents name is one of the Makefile`() throws {
        let makefile = try DocumentPages.text("Makefile")
        var targets: Set<String> = []
        for (path, page) in try DocumentPages.all() {
            let prose = page.matches(of: /`make ([a-z-]+)[^`]*`/).map { String($0.1) }
            let typed = Self.scripts(page).flatMap { ShellScript($0).commands }.filter { $0.first == "make" }
                .flatMap { $0.dropFirst().filter { !$0.contains("=") } }
            for target in prose + typed {
                #expect(makefile.contains("\n\(target): ") || makefile.contains("\n\(target):\n"), "\(path): \(target)")
            }
            targets.formUnion(prose + typed)
        }
        #expect(targets.count >= 20)
    }

    @Test func `the tests that a contributor runs first are there`() throws {
        let page = try DocumentPages.text("CONTRIBUTING.md")
        let filters = page.matches(of: /--filter ([A-Za-z]+)\.([A-Za-z]+)/)
        #expect(!filters.isEmpty)
        for filter in filters {
            let folder = DocumentPages.root.appending(path: "Tests/\(filter.1)")
            let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects as? [String] ?? []
            #expect(files.contains { $0.hasSuffix("/\(filter.2).swift") }, "\(filter.0)")
        }
    }
}
