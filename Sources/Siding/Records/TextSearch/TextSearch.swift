public import SidingJSON

/// What to look for in the texts of a resource.
public struct TextSearch: Sendable, Hashable {
    public var resource: String
    /// The members that are searched. The index is over all that were ever searched: a new one builds it anew, once.
    public var fields: [JSONPath]
    public var text: Text
    public var limit: Int
    public var offset: Int
    /// Nil for none.
    public var snippet: SnippetStyle?

    /// How the text is meant.
    public enum Text: Sendable, Hashable {
        /// Every word, in any order. Nothing in it is syntax.
        case words(String)
        /// The words in this order, side by side. Nothing in it is syntax.
        case phrase(String)
        /// Every word, the last of which may go on: for searching while a person types. Nothing in it is syntax.
        case beginning(String)
        /// FTS5's own language (https://sqlite.org/fts5.html#full_text_query_syntax), in which a text may be wrong.
        case query(String)
    }

    /// How the matching part of a record is shown.
    public struct SnippetStyle: Sendable, Hashable {
        /// Stands before each word that matches.
        public var before: String
        /// Stands behind each word that matches.
        public var after: String
        /// At most 64.
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

/// A record that was found by its text.
public struct TextMatch: Sendable, Hashable {
    public var record: Record
    /// The lower, the better; comparable within one search only.
    public var rank: Double
    public var snippet: String?

    public init(record: Record, rank: Double, snippet: String? = nil) {
        self.record = record
        self.rank = rank
        self.snippet = snippet
    }
}
