// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
public import SidingJSON
internal import SidingSQLite

/// A full-text search in a resource.
public struct TextSearch: Sendable, Hashable {
    /// The name of the resource to search in.
    public var resource: String
    /// The members to search. The index covers all members ever searched: a new one rebuilds it once.
    public var fields: [JSONPath]
    /// What to search for.
    public var text: Text
    /// The most matches that are returned.
    public var limit: Int
    /// How many of the best matches are left out, for a next page.
    public var offset: Int
    /// Nil for no snippets.
    public var snippet: SnippetStyle?
    var fieldNames: [String] { fields.map(\.description) }

    /// How to read the search text.
    public enum Text: Sendable, Hashable {
        /// All words, in any order. Nothing in them is syntax.
        case words(String)
        /// The words in this order, side by side. Nothing in them is syntax.
        case phrase(String)
        /// All words, the last one as a prefix: for search as you type. Nothing in them is syntax.
        case beginning(String)
        /// FTS5's query language (https://sqlite.org/fts5.html#full_text_query_syntax), whose syntax can be wrong.
        /// Its column filters do not know the members: those are ``TextSearch/fields``.
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

        /// Unmarked by default, 12 words.
        public init(before: String = "", after: String = "", words: Int = 12) {
            (self.before, self.after, self.words) = (before, after, words)
        }
    }

    /// 50 matches by default, without snippets.
    public init(
        of resource: String, fields: [JSONPath], text: Text, limit: Int = 50, offset: Int = 0,
        snippet: SnippetStyle? = nil
    ) {
        (self.resource, self.fields, self.text, self.limit) = (resource, fields, text, limit)
        (self.offset, self.snippet) = (offset, snippet)
    }
}

/// A record found by a text search.
package struct TextMatch: Sendable, Hashable {
    package var record: Record
    /// The rank; lower is better. Comparable only within one search.
    package var rank: Double
    package var snippet: String?
}

/// The members that a search covers if none are chosen.
package struct TextMembers: Sendable, Hashable {
    package var paths: [JSONPath]
    /// Their columns in the view.
    package var names: [String]
    /// Whether they are declared as texts.
    package var areDeclared: Bool

    /// The parameters are the properties of the same names.
    package init(paths: [JSONPath] = [], names: [String] = [], areDeclared: Bool = false) {
        (self.paths, self.names, self.areDeclared) = (paths, names, areDeclared)
    }
}

extension Store {
    /// The members to search if none are chosen: the declared columns of type text, else the members of the view in which a text was
    /// seen. None for a resource that was never stored.
    package func textMembers(of resource: String) async throws(StoreError) -> TextMembers {
        try await read { snapshot in
            guard let view = try ResourceView.load(named: resource, snapshot) else { return TextMembers() }
            let declared = view.schema.columns.filter { $0.type == .text }
            guard declared.isEmpty else {
                return TextMembers(paths: declared.map(\.path), names: declared.map(\.name), areDeclared: true)
            }
            let fields = try FieldsTable.load(of: view.resource, snapshot)
            let texts = view.columns.filter { fields.kinds(of: $0.member).contains(.string) }
            return TextMembers(paths: texts.map { JSONPath(member: $0.member) }, names: texts.map(\.name))
        }
    }

    /// The matching records, best first; none for a text without words or a resource that was never stored.
    ///
    /// The first search of a resource, or in a member that was not searched before, builds the index in short write transactions
    /// that read every record.
    /// - Throws: ``StoreError/Kind/invalidQuery`` for an invalid ``TextSearch/Text/query(_:)``.
    package func search(_ search: TextSearch) async throws(StoreError) -> [TextMatch] {
        guard !search.fields.isEmpty else {
            throw StoreError(
                .invalidQuery, "'\(search.resource)' has no texts to search",
                hint: "declare columns of type text, or in a program 'searchable' properties")
        }
        guard let query = TextQuery.expression(search.text) else { return [] }
        if let matches = try await askIndex(for: search, query) { return matches }
        try await buildIndex(for: search)
        // Another process may have begun it anew meanwhile, for a search in more members.
        guard let matches = try await askIndex(for: search, query) else {
            throw StoreError(
                .outdated, "the text index of '\(search.resource)' changed while it was built", hint: "try again")
        }
        return matches
    }

    /// What the index finds; nil if it is missing, outdated, not filled yet, or lacks a searched member.
    private func askIndex(for search: TextSearch, _ query: String) async throws(StoreError) -> [TextMatch]? {
        try await read { snapshot in
            guard let table = try RecordsTable.load(named: search.resource, snapshot), table.layout != nil else {
                return []
            }
            let (index, isCurrent) = try TextIndex.covering(search.fieldNames, of: table.resource, snapshot)
            guard isCurrent, index.fillFrom == nil else { return nil }
            do {
                return try Self.matches(search, query, index, of: table, snapshot)
            } catch let error as SQLiteError {
                // The statement itself is valid, so SQLite's error is about the search text.
                guard case .query = search.text, error.kind == .other else { throw error }
                throw StoreError(
                    .invalidQuery, "the search text is no FTS5 query: \(error.message)",
                    hint:
                        "https://sqlite.org/fts5.html describes the language; column filters (title: word) do not work, and plain words need none"
                )
            }
        }
    }

    private func buildIndex(for search: TextSearch) async throws(StoreError) {
        _ = try await inSteps { rows, transaction in
            guard let table = try RecordsTable.load(named: search.resource, transaction) else { return .nothing }
            // Another process may have built it in the meantime, or one with more members.
            var (index, isCurrent) = try TextIndex.covering(search.fieldNames, of: table.resource, transaction)
            if !isCurrent {
                try index.create(over: table, transaction)
                index.fillFrom = RecordsTable.beginning
            }
            return try index.fill(next: rows, of: table, transaction)
        }
    }

    private static func matches(
        _ search: TextSearch, _ query: String, _ index: TextIndex, of table: RecordsTable,
        _ snapshot: borrowing Snapshot
    ) throws -> [TextMatch] {
        let snippet: SQL =
            search.snippet == nil ? "NULL" : "snippet(\(identifier: index.table), -1, ?, ?, '…', ?)"
        var arguments: [SQLiteValue] = []
        if let style = search.snippet {
            let words = Int64(min(max(style.words, 1), 64))
            arguments = [.text(style.before), .text(style.after), .integer(words)]
        }
        let expression = index.expression(query, in: search.fieldNames)
        arguments += [.text(expression), .integer(Int64(max(search.limit, 0))), .integer(Int64(max(search.offset, 0)))]
        let statement = BoundSQL(
            sql: """
                SELECT r.key, r.body, r.first_seen_at, r.changed_at, r.deleted_at, r.run, r.revision, r.pending, t.rank,
                    \(snippet) AS snippet
                FROM \(identifier: index.table) t JOIN \(table.rows) r ON r.rowid = t.rowid
                WHERE \(identifier: index.table) MATCH ? ORDER BY t.rank, r.key LIMIT ? OFFSET ?
                """, arguments: arguments)
        return try snapshot.query(statement) { row in
            TextMatch(
                record: try Record(row, of: search.resource), rank: try row.double("rank"),
                snippet: try row.optionalText("snippet"))
        }
    }
}

/// Translates a search text to FTS5's query language.
enum TextQuery {
    /// Nil if the text has no words.
    ///
    /// Words are quoted, so that nothing in them is syntax (https://sqlite.org/fts5.html#fts5_strings). Words without a letter or
    /// digit are omitted, as FTS5 finds no token in them.
    static func expression(_ text: TextSearch.Text) -> String? {
        switch text {
        case .words(let text): words(text)?.map(quoted).joined(separator: " ")
        case .phrase(let text): (words(text)?.joined(separator: " ")).map(quoted)
        case .beginning(let text): (words(text)?.map(quoted).joined(separator: " ")).map { $0 + "*" }
        case .query(let text): text.allSatisfy(\.isWhitespace) ? nil : text
        }
    }

    /// Nil if there are none.
    private static func words(_ text: String) -> [String]? {
        // A NUL would end the expression.
        let words = text.split { $0.isWhitespace || $0 == "\0" }.map(String.init).filter { word in
            word.unicodeScalars.contains { $0.properties.isAlphabetic || $0.properties.numericType != nil }
        }
        return words.isEmpty ? nil : words
    }

    private static func quoted(_ word: String) -> String {
        "\"" + word.unicodeScalars.reduce(into: "") { $0 += $1 == "\"" ? "\"\"" : String($1) } + "\""
    }
}
