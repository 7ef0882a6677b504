/// What a name around the records means for the extent of a listing, such as `totalCount`, `has_more` or `X-Next-Cursor`.
///
/// Origins spell these names in many ways, so a name is cut into words, and the words decide: all of them must be usual for its
/// class. `total_amount` and `nextEvent` therefore mean nothing here.
struct ExtentName: Hashable {
    /// In lower case.
    var words: [String]

    /// - Parameter nouns: what the origin calls its records; such a word counts as `records`.
    init(_ name: String, _ nouns: RecordNouns = RecordNouns()) {
        words = nouns.generalized(Self.words(of: name, nouns))
    }

    init(words: [String]) { self.words = words }

    /// What a number of this name counts.
    enum Count: Hashable {
        case records
        /// The records, but not exactly.
        case estimate
        /// Maybe the records of this page.
        case unknown
        /// The records behind this page.
        case remaining
        case pages, pageSize
    }

    /// How surely a text of this name leads to the next page.
    enum Certainty: Hashable { case certain, possible }

    var count: Count? {
        if isPageSize { return .pageSize }
        if isPages { return .pages }
        if isRemaining { return .remaining }
        guard isOnly(Self.records, Self.counting, Self.filling, Self.estimating) else { return nil }
        if has(Self.estimating) { return has("total", "count", "counts", "cnt") || has(Self.several) ? .estimate : nil }
        if has("total", "totals", "found", "matched", "matching") { return .records }
        let isCounted = has("count", "counts", "cnt", "num", "number", "nb", "no")
        if isCounted, has("all", "available", "filter", "filtered", "odata") || has(Self.records) { return .records }
        if has("filtered", "available"), has(Self.records) { return .records }
        return has("count", "counts", "cnt") || isBareNumber ? .unknown : nil
    }

    /// `hits`, `resultSize`.
    private var isBareNumber: Bool {
        isOnly(Self.several) || (has("size") && has("result", "results", "hits") && isOnly(Self.records, ["size"]))
    }

    /// `remaining` in a header field is rather a quota (`X-Remaining`).
    private var isRemaining: Bool {
        has("remaining", "left") && words != ["left"] && isOnly(Self.records, Self.counting, ["remaining", "left"])
    }

    /// Whether a parameter of this name requests a page size.
    var isAskedSize: Bool {
        if isPageSize { return true }
        return isOnly(Self.asking, Self.records, Self.filling, ["batch", "chunk", "offset", "filter"])
            && has(Self.asking)
    }

    /// Whether it names a page size, in a request or in an answer.
    var isPageSize: Bool {
        guard isOnly(Self.records, Self.sizing, Self.filling) else { return false }
        if has("per") || has("limit", "take", "top", "pagelen") { return true }
        if has("page") { return has("size", "length", "len", "limit") }
        return words == ["size"] || words == ["rows"] || (has("max") && has(Self.records))
    }

    /// Whether a page size of this name goes with offsets.
    var isLimit: Bool { has("limit", "take", "top") && !has("page") }

    private var isPages: Bool {
        guard has("pages") || (has("page") && has("count", "total", "last", "max")) else { return false }
        return isOnly(["page", "pages", "last", "max"], Self.counting, Self.filling)
    }

    /// For a flag of this name: whether it says that there is more where it is true (true) or where it is false (false).
    var moreIfTrue: Bool? {
        guard isOnly(Self.records, Self.flagging, Self.filling) else { return nil }
        if has("more", "truncated", "incomplete", "exceeded", "partial") { return true }
        if has("next", "additional") { return has("has", "have", "exists", "available") ? true : nil }
        return has("last", "done", "end", "ended", "eof", "final", "finished", "complete", "completed", "exhausted")
            ? false : nil
    }

    /// Whether a flag of this name is rather the state of a job, unless it stands beside what concerns pages.
    var isState: Bool { words == ["complete"] || words == ["completed"] }

    /// Whether it is a word for the records.
    var isOfRecords: Bool { isOnly(Self.records) }

    /// Whether 0 and 1 of this name are a flag.
    var isFlagged: Bool { has("has", "have", "is", "are", "more") }

    var nextPage: Certainty? {
        if has("next"), isOnly(Self.nextPageWords, Self.filling, ["next"]) { return .certain }
        if continues { return .certain }
        if words == ["offset"] || words == ["page", "token"] { return .possible }
        guard has("cursor", "bookmark", "marker", "scroll", "after"), !has("start", "from", "first") else { return nil }
        return isOnly(Self.nextPageWords, Self.filling, ["end", "last"]) ? .possible : nil
    }

    /// Whether it names where to continue, so that any value below it does.
    var continues: Bool {
        has("continuation", "continue", "resumption", "evaluated")
            && isOnly(
                Self.nextPageWords, Self.filling, ["continuation", "continue", "resumption", "evaluated", "last"])
    }

    /// Whether a URL of this name is that of the last page.
    var isLastPage: Bool { has("last") && isOnly(["last", "page", "url", "uri", "href", "link"]) }

    /// Whether it names an object that holds what concerns the whole listing.
    var isContainer: Bool { words.isEmpty || isOnly(Self.containing) }

    /// Whether it names an object, a header field or a list of links about pages.
    var isAboutPages: Bool {
        isOnly(Self.containing, Self.filling)
            && has("page", "pages", "paging", "pagination", "pager", "paginator", "meta", "metadata")
    }

    /// Whether it names a list of links.
    var isOfLinks: Bool { isAboutPages || (has("link", "links") && isOnly(Self.containing, Self.filling)) }

    /// Whether a header field of this name has a range: `0-49/150`.
    var isRange: Bool { words.last == "range" }

    /// Whether it names the position of a page by records.
    var isOffset: Bool {
        has("offset", "skip", "start", "from") && isOnly(["offset", "skip", "start", "index", "from", "at", "current"])
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
        "resource", "resources", "node", "nodes", "edge", "edges",
    ]
    /// Words that alone name a number of records.
    private static let several: Set<String> = [
        "records", "results", "items", "rows", "elements", "entries", "objects", "hits", "matches", "documents", "docs",
    ]
    private static let estimating: Set<String> = ["estimated", "estimate", "approximate", "approx"]
    private static let counting: Set<String> = [
        "total", "totals", "count", "counts", "size", "found", "matched", "matching", "available", "filter", "filtered",
        "all", "cnt", "num", "number", "nb", "no", "of", "overall",
    ]
    private static let sizing: Set<String> = [
        "per", "page", "size", "length", "len", "limit", "max", "take", "top", "pagelen",
    ]
    private static let asking: Set<String> = ["n", "num", "first", "max", "length", "rpp", "limit", "size", "count"]
    private static let flagging: Set<String> = [
        "has", "have", "is", "are", "more", "next", "page", "pages", "available", "exist", "exists", "truncated",
        "incomplete", "partial", "additional", "last", "done", "end", "ended", "eof", "final", "finished", "complete",
        "completed", "exhausted", "reached", "response", "of", "in", "list", "stream", "exceeded", "transfer", "limit",
    ]
    private static let nextPageWords: Set<String> = [
        "page", "pages", "link", "url", "uri", "href", "token", "cursor", "marker", "offset", "start", "number", "num",
        "key", "id", "record", "records", "result", "results", "skip", "after", "path", "request", "batch", "position",
        "index", "from", "scroll", "bookmark", "query", "params", "mark", "max", "partition", "since",
    ]
    /// Words without a meaning of their own.
    private static let filling: Set<String> = [
        "x", "wp", "ms", "odata", "pagination", "paging", "pager", "paginator", "list", "collection", "search", "query",
    ]
    private static let containing: Set<String> = [
        "meta", "metadata", "pagination", "paging", "page", "pager", "paginator", "info", "information", "link",
        "links", "response", "result", "results", "set", "data", "cursor", "cursors", "list", "collection", "search",
        "hits", "header", "headers", "range", "summary", "status", "attr", "attrs", "attribute", "attributes",
        "additional",
    ]
    /// All words that mean something.
    static let known: Set<String> = [
        records, estimating, counting, sizing, flagging, nextPageWords, filling, containing,
        [
            "pages", "last", "max", "continuation", "continue", "resumption", "evaluated", "current", "at", "first",
            "remaining", "left", "batch", "chunk", "rpp",
        ],
    ].reduce(into: []) { $0.formUnion($1) }

    /// The words of `name`: cut at signs and before capital letters, and where no capitals show the words (`totalcount`), into
    /// those of the classes. A namespace (`hydra:totalItems`) is left out.
    private static func words(of name: String, _ nouns: RecordNouns) -> [String] {
        var words: [String] = []
        var run: [UInt8] = []
        var mayCut = false
        func end() {
            guard !run.isEmpty else { return }
            let text = String(decoding: run, as: UTF8.self)
            words += known.contains(text) ? [text] : parts(of: run[...], nouns) ?? [text]
            run.removeAll(keepingCapacity: true)
        }
        // By bytes, as this is asked of every header field of every page. Letters outside ASCII have no classes.
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: ":"):
                words.removeAll()
                run.removeAll(keepingCapacity: true)
                mayCut = false
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if mayCut { end() }
                run.append(byte | 0x20)
                mayCut = false
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
                run.append(byte)
                mayCut = true
            default:
                end()
                mayCut = false
            }
        }
        end()
        return words
    }

    /// The known words that `text` consists of, the longest first; nil if it has others.
    private static func parts(of text: ArraySlice<UInt8>, _ nouns: RecordNouns) -> [String]? {
        guard !text.isEmpty else { return [] }
        guard text.count <= 24 else { return nil }
        // Known words have at most 12 letters; single letters would be found anywhere.
        for length in (2...12).reversed() where length <= text.count {
            let word = String(decoding: text.prefix(length), as: UTF8.self)
            guard known.contains(word) || nouns.contains(word) else { continue }
            if let rest = parts(of: text.dropFirst(length), nouns) { return [word] + rest }
        }
        return nil
    }
}
