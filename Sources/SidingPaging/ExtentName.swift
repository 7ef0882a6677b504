/// What a name around the records means for the extent of a listing, such as `totalCount`, `has_more` or `X-Next-Cursor`.
///
/// Origins spell these names in many ways, so a name is cut into words, and the words decide: all of them must be usual for its
/// class. `total_amount` and `nextEvent` therefore mean nothing here.
struct ExtentName: Hashable {
    /// In lower case.
    var words: [String]

    init(_ name: String) { words = Self.words(of: name) }

    init(words: [String]) { self.words = words }

    /// What a number of this name counts.
    enum Count: Hashable { case records, unknown, pages, pageSize }

    /// How surely a text of this name leads to the next page.
    enum Lead: Hashable { case certain, possible }

    var count: Count? {
        if isPageSize { return .pageSize }
        if isPages { return .pages }
        guard isOnly(Self.records, Self.counting, Self.filling) else { return nil }
        if has("total", "totals", "found", "matched", "matching") { return .records }
        let isCounted = has("count", "counts", "num", "number", "nb", "no")
        if isCounted, has("all", "available", "filter", "filtered", "odata") || has(Self.records) { return .records }
        return has("filtered", "available") && has(Self.records) ? .records : has("count", "counts") ? .unknown : nil
    }

    /// Whether it names a page size, in a request or in an answer.
    var isPageSize: Bool {
        guard isOnly(Self.records, Self.sizing, Self.filling) else { return false }
        if has("per") || has("limit", "take", "top", "pagelen") { return true }
        if has("page") { return has("size", "length", "len", "limit") }
        return words == ["size"] || words == ["rows"] || (has("max") && has(Self.records))
    }

    private var isPages: Bool {
        guard isOnly(["page", "pages", "last", "max"], Self.counting, Self.filling) else { return false }
        return has("pages") || (has("page") && has("count", "total", "last", "max"))
    }

    /// For a flag of this name: whether it says that there is more where it is true (true) or where it is false (false).
    var moreIfTrue: Bool? {
        guard isOnly(Self.records, Self.flagging, Self.filling) else { return nil }
        if has("more", "truncated", "incomplete", "exceeded") { return true }
        if has("next") { return has("has", "have", "exists", "available") ? true : nil }
        return has("last", "done", "end", "ended", "final", "finished", "complete", "completed", "exhausted")
            ? false : nil
    }

    /// Whether 0 and 1 of this name are a flag.
    var isFlagged: Bool { has("has", "have", "is", "are", "more") }

    var lead: Lead? {
        if has("next"), isOnly(Self.leading, Self.filling, ["next"]) { return .certain }
        if continues { return .certain }
        guard isOnly(Self.leading, Self.filling, ["end", "last"]), !has("start", "from", "first") else { return nil }
        if has("cursor", "bookmark", "marker", "scroll", "after") { return .possible }
        return words == ["offset"] || words == ["page", "token"] ? .possible : nil
    }

    /// Whether it names where to continue, so that any value below it does.
    var continues: Bool {
        has("continuation", "continue", "resumption", "evaluated")
            && isOnly(Self.leading, Self.filling, ["continuation", "continue", "resumption", "evaluated", "last"])
    }

    /// Whether a URL of this name is that of the last page.
    var isLastPage: Bool { has("last") && isOnly(["last", "page", "url", "uri", "href", "link"]) }

    /// Whether it names an object that holds what concerns the whole listing.
    var isContainer: Bool { isOnly(Self.containing) }

    /// Whether it names the position of a page by records.
    var isOffset: Bool {
        isOnly(["offset", "skip", "start", "index", "from", "at", "current"]) && has("offset", "skip", "start", "from")
    }

    /// Whether it names the number of a page.
    var isPageNumber: Bool {
        words == ["number"] || (has("page") && isOnly(["page", "current", "number", "num", "no", "index"]))
    }

    // MARK: Words

    private func has(_ any: String...) -> Bool { words.contains(where: any.contains) }

    private func has(_ any: Set<String>) -> Bool { words.contains(where: any.contains) }

    private func isOnly(_ sets: Set<String>...) -> Bool {
        !words.isEmpty && words.allSatisfy { word in sets.contains { $0.contains(word) } }
    }

    private static let records: Set<String> = [
        "record", "records", "result", "results", "item", "items", "row", "rows", "element", "elements", "entry",
        "entries", "object", "objects", "hit", "hits", "match", "matches", "document", "documents", "docs", "data",
        "resource", "resources",
    ]
    private static let counting: Set<String> = [
        "total", "totals", "count", "counts", "size", "found", "matched", "matching", "available", "filter", "filtered",
        "all",
        "num", "number", "nb", "no", "of", "overall",
    ]
    private static let sizing: Set<String> = [
        "per", "page", "size", "length", "len", "limit", "max", "take", "top", "pagelen",
    ]
    private static let flagging: Set<String> = [
        "has", "have", "is", "are", "more", "next", "page", "pages", "available", "exist", "exists", "truncated",
        "incomplete", "last", "done", "end", "ended", "final", "finished", "complete", "completed", "exhausted",
        "reached", "response", "of", "list", "stream", "exceeded", "transfer", "limit",
    ]
    private static let leading: Set<String> = [
        "page", "pages", "link", "url", "uri", "href", "token", "cursor", "marker", "offset", "start", "number", "num",
        "key", "id", "record", "records", "result", "results", "skip", "after", "path", "request", "batch", "position",
        "index", "from", "scroll", "bookmark", "query", "params", "mark", "max", "partition",
    ]
    /// Words without a meaning of their own.
    private static let filling: Set<String> = [
        "x", "wp", "ms", "odata", "pagination", "list", "collection", "search", "query",
    ]
    private static let containing: Set<String> = [
        "meta", "metadata", "pagination", "paging", "page", "pager", "paginator", "info", "information", "link",
        "links", "response", "result", "results", "set", "data", "cursor", "cursors", "list", "collection", "search",
        "hits", "header", "headers", "range", "summary", "status",
    ]
    private static let known: Set<String> = [
        records, counting, sizing, flagging, leading, filling, containing,
        ["pages", "last", "max", "continuation", "continue", "resumption", "evaluated", "current", "at", "first"],
    ].reduce(into: []) { $0.formUnion($1) }

    /// The words of `name`: cut at signs and before capital letters, and where no capitals show the words (`totalcount`), into
    /// those of the classes.
    private static func words(of name: String) -> [String] {
        var runs: [[Character]] = [[]]
        var before: Character = " "
        for character in name {
            let isCut = character.isUppercase && (before.isLowercase || before.isNumber)
            if isCut || !(character.isLetter || character.isNumber) { runs.append([]) }
            if character.isLetter || character.isNumber { runs[runs.count - 1].append(character) }
            before = character
        }
        return runs.filter { !$0.isEmpty }.flatMap { run in
            let text = String(run).lowercased()
            return known.contains(text) ? [text] : parts(of: Substring(text)) ?? [text]
        }
    }

    /// The known words that `text` consists of, the longest first; nil if it has others.
    private static func parts(of text: Substring) -> [String]? {
        guard !text.isEmpty else { return [] }
        guard text.utf8.count <= 24 else { return nil }
        // Known words have at most 12 letters; single letters would be found anywhere.
        for length in (2...12).reversed() where length <= text.count && known.contains(String(text.prefix(length))) {
            if let rest = parts(of: text.dropFirst(length)) { return [String(text.prefix(length))] + rest }
        }
        return nil
    }
}
