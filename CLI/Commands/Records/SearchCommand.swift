// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import SidingJSON
import Siding
import SidingChain

/// `siding search RESOURCE WORDS`: finds records by words, best match first.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find records by the words in their texts, best match first.",
        discussion: """
            It searches the declared columns of type text; if there are none, all texts at the top level of the \
            records. Nothing in the words is syntax, except with --query. The first search builds an index, which \
            reads every record.
            """)

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Argument(help: "The words. A record must have all of them, in any order.") var words: [String]
    @Flag var form: WordForm?
    @Option(help: "The maximum number of records; 0 for all.") var limit = 20

    func validate() throws {
        if limit < 0 { throw ValidationError("--limit must be 0 or more.") }
    }

    func run() async throws {
        let workspace = try Workspace.load(options)
        let search = RecordSearch(resource: resource, text: text, limit: limit == 0 ? .max - 1 : min(limit, .max - 1))
        let found = try await search.run(in: workspace)
        let width = found.hits.map { DisplayWidth.of($0.key) }.max() ?? 0
        for hit in found.hits {
            Output.line(options.json ? hit.object.text : hit.line(options.terminal, keyWidth: width))
        }
        if !options.json, let remark = found.remark(of: search) { options.printMessage(remark) }
    }

    private var text: TextSearch.Text {
        let text = words.joined(separator: " ")
        return switch form {
        case nil: .words(text)
        case .phrase: .phrase(text)
        case .prefix: .beginning(text)
        case .query: .query(text)
        }
    }
}

/// How to read the words of a search, other than as words in any order.
enum WordForm: EnumerableFlag {
    case phrase, prefix, query

    static func help(for form: WordForm) -> ArgumentHelp? {
        switch form {
        case .phrase: "The words in this order, side by side."
        case .prefix: "The last word may be the beginning of a longer one."
        case .query: "FTS5's language without column filters: one OR two, two NOT one, NEAR(one two), begin*."
        }
    }
}

extension RecordSearch {
    func run(in workspace: Workspace) async throws -> Found {
        let found = try await workspace.withStore(.readOnly) { store -> Found? in
            do {
                return try await find(in: store)
            } catch let error as StoreError where error.kind == .inaccessible {
                return nil
            }
        }
        if let found { return found }
        // Only a search that has to build the index writes.
        return try await workspace.withStore(.readWrite) { try await find(in: $0) }
    }
}

extension SearchHitText {
    /// The key and the text on one line, with bold matches if the terminal has colour. Not cut to its width, so that every match is seen.
    func line(_ terminal: Terminal, keyWidth: Int) -> String {
        let texts = pieces.map { piece in
            let text = PlainText.oneLine(piece.text, limit: 200)
            return piece.isMatch && terminal.hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text
        }
        let padding = String(repeating: " ", count: max(keyWidth - DisplayWidth.of(key), 0) + 2)
        return key + padding + texts.joined()
    }

    fileprivate var key: String { PlainText.oneLine(match.record.key, limit: 60) }
}
