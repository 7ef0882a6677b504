internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

/// What one answer reports about the extent of its listing: how many records and pages there are, whether there are more, and
/// where the next page is.
///
/// An answer without a next page may end a listing only if nothing on it says otherwise: an origin may page in a way that
/// `auto` does not know, or drop a link. ``ListingEnd`` weighs the evidence. A number or flag counts only where origins put what
/// concerns the whole listing: around the records, in a member such as `meta` or `pagination` there, or in header fields.
struct ListingExtent: Sendable, Hashable {
    /// A number that the origin reports, and where.
    struct Report: Sendable, Hashable {
        var count: Int
        var place: String
    }

    /// A next page that the answer names.
    struct Lead: Sendable, Hashable {
        enum Kind: Sendable, Hashable { case url, number, unreadable }
        var kind: Kind
        var place: JSONPath
        var text: String
    }

    /// The number of records; nil if it is not reported, or counts the records of this page alone.
    private(set) var total: Report?
    private(set) var pages: Report?
    /// Where the answer says that there is more.
    private(set) var more: String?
    /// Whether it says that there is no more.
    private(set) var saysEnd = false
    private(set) var leads: [Lead] = []
    /// The page size that the answer reports.
    private(set) var size: Int?
    /// The names of the whole numbers that it reports.
    private(set) var names: Set<String> = []

    /// That of an answer without a body.
    init() {}

    /// - Parameter recordsPath: where the records are.
    init(_ answer: PageAnswer, recordsAt recordsPath: JSONPath) {
        var totals: [Report] = []
        var counts: [Report] = []
        for (path, value) in answer.surroundings {
            note(lead: value, at: path)
            if case .text("next") = value, Self.word(of: path) == "rel" { note(linkAt: path, in: answer) }
            guard let words = Self.words(path, around: recordsPath) else { continue }
            note(value, named: words, at: path, &totals, &counts)
        }
        note(answer.headerFields, &totals)
        // A bare `count` is often that of this page, or its size, and says something only where nothing else does.
        if totals.isEmpty {
            totals = counts.filter { $0.count > answer.recordCount && $0.count != size && !isEcho($0, of: answer) }
        }
        // A total has at least the records of its page: others, such as -1, stand for one that is not known.
        totals.removeAll { $0.count < answer.recordCount }
        let ofAll = totals.filter { $0.count != answer.recordCount }
        let filtered = totals.filter { $0.place.lowercased().contains("filter") }
        let candidates = filtered.isEmpty ? (ofAll.isEmpty ? totals : ofAll) : filtered
        total = candidates.min { $0.count < $1.count }
    }

    /// Whether a `count` repeats the page size: it was requested by that name, or stands in `paging` beside a start.
    private func isEcho(_ report: Report, of answer: PageAnswer) -> Bool {
        (names.contains("start") && report.place.contains("paging"))
            || answer.url?.queryParameters.contains { $0.name == "count" && $0.value == "\(report.count)" } ?? false
    }

    // MARK: Reading

    private mutating func note(
        _ value: EnvelopeScalar, named words: [String], at path: JSONPath, _ totals: inout [Report],
        _ counts: inout [Report]
    ) {
        let name = words.last ?? ""
        // Elasticsearch: `hits.total.value`.
        let isTotal = Self.totals.contains(name) || (name == "value" && words.dropLast().last == "total")
        switch value {
        case .number, .text:
            guard let count = value.wholeNumber else { return }
            names.insert(name)
            if isTotal { totals.append(Report(count: count, place: path.description)) }
            if name == "count" { counts.append(Report(count: count, place: path.description)) }
            if Self.pages.contains(name) { pages = Report(count: count, place: path.description) }
            if AnyResource.sizeNames.contains(name) { size = count }
        case .bool(let truth):
            let isMore = Self.moreWhereTrue.contains(name) && truth || Self.moreWhereFalse.contains(name) && !truth
            let isEnd = Self.moreWhereTrue.contains(name) && !truth || Self.moreWhereFalse.contains(name) && truth
            if isMore { more = more ?? path.description }
            if isEnd { saysEnd = true }
        case .structure: break
        }
    }

    /// Notes the URL beside a `"rel": "next"`, as in lists of links.
    private mutating func note(linkAt relation: JSONPath, in answer: PageAnswer) {
        let link = relation.components.dropLast()
        for (path, value) in answer.surroundings {
            guard path.components.dropLast() == link, Self.leadMembers.contains(Self.word(of: path)),
                case .text(let text) = value, !text.isEmpty
            else { continue }
            let kind: Lead.Kind = PageAnswer.isReference(text) ? .url : .unreadable
            leads.append(Lead(kind: kind, place: path, text: PlainText.oneLine(text, limit: 60)))
        }
    }

    private mutating func note(_ fields: HTTPFields, _ totals: inout [Report]) {
        for field in fields {
            let (name, text) = (field.name.canonicalName, field.value)
            let range = name == "content-range" ? text.split(separator: "/").last.map(String.init) : nil
            guard let count = Int(range ?? text.trimmingPrefix { $0 == " " }.description) else { continue }
            let report = Report(count: count, place: field.name.rawName)
            if range != nil || Self.totalFields.contains(name) { totals.append(report) }
            if Self.pageFields.contains(name) { pages = report }
        }
    }

    private mutating func note(lead value: EnvelopeScalar, at path: JSONPath) {
        let words = path.components.map { component in
            if case .member(let name) = component { Self.word(name) } else { "" }
        }
        // An element of an array is a related record rather than a lead, unless the array is the lead.
        guard let first = words.firstIndex(where: Self.leads.contains), !words[..<first].contains("") else { return }
        let name = words.last { !$0.isEmpty } ?? ""
        guard Self.leads.contains(name) || Self.leadMembers.contains(name) else { return }
        switch value {
        case .text(let text) where !text.isEmpty:
            let kind: Lead.Kind = PageAnswer.isReference(text) ? .url : .unreadable
            leads.append(Lead(kind: kind, place: path, text: PlainText.oneLine(text, limit: 60)))
        case .number(let digits):
            // 0 and negative numbers stand for "none".
            guard let number = Double(digits), number > 0 else { return }
            let kind: Lead.Kind = value.wholeNumber == nil ? .unreadable : .number
            leads.append(Lead(kind: kind, place: path, text: digits))
        case .bool(true): leads.append(Lead(kind: .unreadable, place: path, text: "true"))
        case .text, .bool, .structure: break
        }
    }

    // MARK: Names

    /// The names on the way from the records' surroundings to the value, in lower-case letters and digits; nil if a name on the
    /// way is not usual for what concerns the whole listing.
    private static func words(_ path: JSONPath, around recordsPath: JSONPath) -> [String]? {
        var components = path.components[...]
        for component in recordsPath.withoutEach.components {
            guard components.count > 1, components.first == component else { break }
            components = components.dropFirst()
        }
        guard components.count <= 3 else { return nil }
        let words = components.compactMap { component in
            if case .member(let name) = component { word(name) } else { nil }
        }
        let around = words.dropLast()
        guard words.count == components.count,
            around.allSatisfy({ containers.contains($0) || ($0 == "total" && words.last == "value") })
        else { return nil }
        return words
    }

    /// The name of the member at `path`; empty for an element.
    private static func word(of path: JSONPath) -> String {
        if case .member(let name)? = path.components.last { word(name) } else { "" }
    }

    private static func word(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

    private static let containers: Set<String> = [
        "meta", "metadata", "pagination", "paging", "page", "pager", "paginator", "pageinfo", "pageinformation",
        "links",
        "response", "responsemetadata", "result", "results", "resultinfo", "resultset", "data", "info", "cursor",
        "cursors",
        "listinfo", "list", "searchinfo", "searchmetadata", "summary", "hits",
    ]
    private static let totals: Set<String> = [
        "total", "totalcount", "totalrecords", "totalresults", "totalitems", "totalrows", "totalelements", "totalhits",
        "totalsize", "totalentries", "totalobjects", "totalnumber", "totalmatches", "numfound", "odatacount", "nbhits",
        "recordcount", "resultcount", "itemcount", "countall", "recordsfiltered", "filteredcount", "totalfiltered",
    ]
    private static let pages: Set<String> = [
        "pages", "lastpage", "totalpages", "pagecount", "numpages", "nbpages", "totalpagecount", "pagestotal",
        "pagetotal",
    ]
    private static let moreWhereTrue: Set<String> = [
        "hasmore", "more", "hasnext", "hasnextpage", "hasmorepages", "hasmoreitems", "hasmoreresults", "morepages",
        "moreresults", "moreresultsavailable", "moreavailable", "truncated", "istruncated", "incompleteresults",
    ]
    private static let moreWhereFalse: Set<String> = [
        "islast", "islastpage", "last", "lastpage", "done", "isdone", "end",
    ]
    private static let leads: Set<String> = [
        "next", "nextpage", "nextlink", "nexturl", "nexthref", "nextpageurl", "nextpagelink", "nextpagetoken",
        "nextcursor",
        "nexttoken", "nextmarker", "nextoffset", "nextstart", "nextpagenumber", "odatanextlink", "nextrecordsurl",
        "continuationtoken",
    ]
    /// The members of an object that names the next page.
    private static let leadMembers: Set<String> = [
        "href", "url", "uri", "link", "page", "number", "offset", "after", "cursor", "token",
    ]
    private static let totalFields: Set<String> = [
        "x-total-count", "x-total", "x-wp-total", "total-count", "total-records", "x-total-records", "x-total-results",
        "x-total-items", "x-pagination-total", "x-pagination-total-count", "x-result-count",
    ]
    private static let pageFields: Set<String> = [
        "x-wp-totalpages", "x-total-pages", "total-pages", "x-pagination-page-count", "x-pagination-total-pages",
        "x-page-count",
    ]
}

extension EnvelopeScalar {
    /// The value, if it is a whole number or the text of one.
    fileprivate var wholeNumber: Int? {
        switch self {
        case .number(let text), .text(let text): Int(text)
        case .bool, .structure: nil
        }
    }
}
