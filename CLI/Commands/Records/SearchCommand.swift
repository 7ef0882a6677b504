import ArgumentParser
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
        for hit in found.hits { Output.line(options.json ? hit.object.text : hit.line(options.terminal)) }
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
        case .query: "FTS5's language: one OR two, two NOT one, NEAR(one two), begin*."
        }
    }
}

/// A search that shows the best matches.
struct RecordSearch {
    let resource: String
    let text: TextSearch.Text
    /// The maximum number of matches, less than `Int.max`.
    let limit: Int

    struct Found {
        var hits: [SearchHitText]
        var hasRecords: Bool
        /// Whether more records match than are shown.
        var hasMore = false

        func remark(of search: RecordSearch) -> String? {
            if !hasRecords { return "'\(search.resource)' has no records" }
            if hits.isEmpty { return "no record of '\(search.resource)' matches" }
            return hasMore ? "more records match; --limit 0 shows all" : nil
        }
    }

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

    private func find(in store: Store) async throws -> Found {
        guard try await store.count(of: resource).count > 0 else { return Found(hits: [], hasRecords: false) }
        let style = SearchHitText.unforgeableStyle()
        let matches = try await store.search(
            TextSearch(
                of: resource, fields: try await store.textMembers(of: resource), text: text, limit: limit + 1,
                snippet: style))
        let hits = matches.prefix(limit).map { SearchHitText($0, style) }
        return Found(hits: hits, hasRecords: true, hasMore: matches.count > limit)
    }
}
