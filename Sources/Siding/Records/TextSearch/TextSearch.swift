public import SidingJSON

/// A full-text search in a resource.
public struct TextSearch: Sendable, Hashable {
    public var resource: String
    /// The members to search. The index covers all members ever searched: a new one rebuilds it once.
    public var fields: [JSONPath]
    public var text: Text
    public var limit: Int
    public var offset: Int
    /// Nil for no snippets.
    public var snippet: SnippetStyle?

    /// How to read the search text.
    public enum Text: Sendable, Hashable {
        /// All words, in any order. Nothing in them is syntax.
        case words(String)
        /// The words in this order, side by side. Nothing in them is syntax.
        case phrase(String)
        /// All words, the last one as a prefix: for search as you type. Nothing in them is syntax.
        case beginning(String)
        /// FTS5's query language (https://sqlite.org/fts5.html#full_text_query_syntax), whose syntax can be wrong.
        case query(String)
    }

    /// How to mark matches in a snippet.
    public struct SnippetStyle: Sendable, Hashable {
        /// Text before each matching word.
        public var before: String
        /// Text after each matching word.
        public var after: String
        /// The maximum number of words, at most 64.
        public var words: Int

        public init(before: String = "", after: String = "", words: Int = 12) {
            self.before = before
            self.after = after
            self.words = words
        }
    }

    public init(
        of resource: String, fields: [JSONPath], text: Text, limit: Int = 50, offset: Int = 0,
        snippet: SnippetStyle? = nil
    ) {
        self.resource = resource
        self.fields = fields
        self.text = text
        self.limit = limit
        self.offset = offset
        self.snippet = snippet
    }
}

/// A record found by a text search.
public struct TextMatch: Sendable, Hashable {
    public var record: Record
    /// The rank; lower is better. Comparable only within one search.
    public var rank: Double
    public var snippet: String?

    public init(record: Record, rank: Double, snippet: String? = nil) {
        self.record = record
        self.rank = rank
        self.snippet = snippet
    }
}
