internal import HTTPTypes
package import SidingChain
package import SidingJSON

/// What one answer reports about the extent of its listing: how many records and pages there are, whether there are more, and
/// where the next page is.
///
/// An answer without a next page may end a listing only if nothing on it says otherwise: an origin may page in a way that
/// `auto` does not know, or drop a link. A number or flag counts only where origins put what concerns the whole listing: around
/// the records, in a member such as `meta` or `pagination` there, or in header fields. ``ExtentName`` says what names mean.
package struct ListingExtent: Sendable, Hashable {
    /// A number that the origin reports, and where.
    package struct Report: Sendable, Hashable {
        package var count: Int
        package var place: String

        package init(count: Int, place: String) { (self.count, self.place) = (count, place) }
    }

    /// A next page that the answer names.
    package struct Lead: Sendable, Hashable {
        package enum Kind: Sendable, Hashable { case url, number, token, unreadable }
        /// Where it stands: at a path of the body, or in a header field.
        package enum Place: Sendable, Hashable, CustomStringConvertible {
            case body(JSONPath)
            case header(String)

            package var description: String {
                switch self {
                case .body(let path): path.description
                case .header(let name): "the header field \(name)"
                }
            }
        }
        package var kind: Kind
        package var place: Place
        package var text: String
        /// Whether the name leaves no doubt: a `cursor` may also be that of this page.
        package var isCertain: Bool
    }

    /// The number of records; nil if it is not reported, or counts the records of this page alone.
    package private(set) var total: Report?
    package private(set) var pages: Report?
    /// Where the answer says that there is more.
    package private(set) var more: String?
    /// Whether it says that there is no more.
    package private(set) var saysEnd = false
    package private(set) var leads: [Lead] = []
    /// The page size that the answer reports.
    package private(set) var size: Report?
    /// The position of this page among the records, and the member with it.
    package private(set) var offset: Report?
    /// The number of this page.
    package private(set) var number: Report?

    private var totals: [Report] = []
    private var counts: [Report] = []
    /// The number in `{"page": 1, "of": 3}`.
    private var numberBehind: Report?

    /// - Parameter recordsPath: where the records are.
    package init(_ answer: PageAnswer, recordsAt recordsPath: JSONPath) {
        for (path, value) in answer.surroundings {
            note(leadAt: path, value, in: answer)
            guard let place = ExtentPlace(path, around: recordsPath) else { continue }
            note(value, place, in: answer)
        }
        for field in answer.headerFields { note(field) }
        if let link = answer.link(to: "last") { note(lastPage: link, at: "Link rel=\"last\"") }
        if number != nil, pages == nil { pages = numberBehind }
        weighTotals(of: answer)
    }

    private mutating func weighTotals(of answer: PageAnswer) {
        // A bare `count` is often that of this page, or its size, and says something only where nothing else does.
        if totals.isEmpty {
            let asked = answer.url?.askedPageSize?.size
            totals = counts.filter { report in
                // In `paging`, beside a start, it is the page size.
                let isEcho = offset?.place == "start" && report.place.contains("paging")
                return report.count > answer.recordCount && report.count != size?.count && report.count != asked
                    && !isEcho
            }
        }
        // A total has at least the records of its page: others, such as -1, stand for one that is not known.
        totals.removeAll { $0.count < answer.recordCount }
        let ofAll = totals.filter { $0.count != answer.recordCount }
        let filtered = totals.filter { $0.place.lowercased().contains("filter") }
        let candidates = filtered.isEmpty ? (ofAll.isEmpty ? totals : ofAll) : filtered
        total = candidates.min { $0.count < $1.count }
    }

    // MARK: Values around the records

    private mutating func note(_ value: EnvelopeScalar, _ place: ExtentPlace, in answer: PageAnswer) {
        if let count = value.wholeNumber {
            note(count, place.name, at: place.path.description, member: place.member, isSummary: place.isSummary)
        }
        note(flag: value, place.name, at: place.path.description)
        if place.name.isLastPage, case .text(let text) = value { note(lastPage: text, at: place.path.description) }
        // A number may be the offset of this page.
        if place.name.lead == .possible, !(place.name.isOffset && value.wholeNumber != nil) {
            note(.body(place.path), value, isCertain: false, in: answer)
        }
    }

    private mutating func note(
        _ count: Int, _ name: ExtentName, at place: String, member: String, isSummary: Bool = false
    ) {
        let report = Report(count: count, place: place)
        switch name.count {
        // In a summary, a bare `total` may be one of amounts.
        case .records? where !(isSummary && name.words == ["total"]): totals.append(report)
        case .unknown?: counts.append(report)
        case .pages?: pages = report
        case .pageSize?: size = report
        case .records?, nil: break
        }
        if name.words == ["of"] { numberBehind = report }
        if name.isOffset { offset = Report(count: count, place: member) }
        if name.isPageNumber { number = Report(count: count, place: member) }
    }

    private mutating func note(flag value: EnvelopeScalar, _ name: ExtentName, at place: String) {
        guard let moreIfTrue = name.moreIfTrue, let truth = value.truth(orNumber: name.isFlagged) else { return }
        if truth == moreIfTrue { more = more ?? place } else { saysEnd = true }
    }

    private mutating func note(_ field: HTTPField) {
        let (name, text) = (field.name.rawName, field.value.trimmingPrefix { $0 == " " })
        if field.name.canonicalName == "content-range" {
            text.split(separator: "/").last.flatMap { Int($0) }.map { totals.append(Report(count: $0, place: name)) }
            return
        }
        if text.hasPrefix("{"), name.lowercased().contains("pagination"),
            let members = try? JSONDocument(String(text)).members
        {
            // `X-Pagination: {"TotalCount": 150}`
            for member in members {
                note(
                    scalar: EnvelopeScalar(member.value), ExtentName(member.name), at: "\(name).\(member.name)",
                    member.name)
            }
            return
        }
        let meaning = ExtentName(name)
        note(scalar: .text(String(text)), meaning, at: name, name)
        if let lead = meaning.lead { note(.header(name), .text(String(text)), isCertain: lead == .certain) }
    }

    private mutating func note(scalar: EnvelopeScalar?, _ name: ExtentName, at place: String, _ member: String) {
        guard let scalar else { return }
        scalar.wholeNumber.map { note($0, name, at: place, member: member) }
        note(flag: scalar, name, at: place)
    }

    /// Notes how many pages there are, or at least how many records, as the URL of the last page shows it.
    private mutating func note(lastPage reference: String, at place: String) {
        let query = reference.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for parameter in QueryParameter.all(in: query) {
            guard let number = parameter.value.flatMap({ Int($0) }) else { continue }
            let name = ExtentName(parameter.name)
            if name.isPageNumber { pages = pages ?? Report(count: number, place: place) }
            if name.isOffset { totals.append(Report(count: number + 1, place: place)) }
        }
    }

    // MARK: Next pages

    /// Notes a value if its name, or one on the way to it, is that of a next page.
    private mutating func note(leadAt path: JSONPath, _ value: EnvelopeScalar, in answer: PageAnswer) {
        let names = path.components.map { component in
            if case .member(let name) = component { ExtentName(name) } else { ExtentName(words: []) }
        }
        for (index, name) in names.enumerated() {
            // An element of an array is a related record rather than a lead, unless the array is the lead.
            if name.words.isEmpty { break }
            let rest = ExtentName(words: names[index...].flatMap(\.words))
            guard name.continues || (name.lead == .certain && rest.lead == .certain) else { continue }
            return note(.body(path), value, isCertain: true, in: answer)
        }
        if case .text("next") = value, ["rel", "relation"].contains(names.last?.words.joined()) {
            note(linkAt: path, in: answer)
        }
    }

    /// Notes the URL beside a `"rel": "next"`, as in lists of links.
    private mutating func note(linkAt relation: JSONPath, in answer: PageAnswer) {
        let link = relation.components.dropLast()
        for (path, value) in answer.surroundings {
            guard path.components.dropLast() == link, case .member(let name)? = path.components.last,
                ["href", "url", "uri", "link"].contains(name.lowercased())
            else { continue }
            note(.body(path), value, isCertain: true, in: answer)
        }
    }

    private mutating func note(
        _ place: Lead.Place, _ value: EnvelopeScalar, isCertain: Bool, in answer: PageAnswer? = nil
    ) {
        let kind: Lead.Kind
        let text: String
        switch value {
        case .text(let name):
            guard !Self.nowhere.contains(name.lowercased()) else { return }
            kind = PageAnswer.isReference(name) ? .url : value.wholeNumber == nil ? .token : .number
            text = PlainText.oneLine(name, limit: 60)
            // The token of this page, which its request had.
            if !isCertain, answer?.requested(name) ?? false { return }
        case .number(let digits):
            // 0 and negative numbers stand for "none".
            guard let number = Double(digits), number > 0, isCertain || !(answer?.requested(digits) ?? false) else {
                return
            }
            kind = value.wholeNumber == nil ? .unreadable : .number
            text = digits
        case .bool(true): (kind, text) = (.unreadable, "true")
        case .bool, .structure: return
        }
        leads.append(Lead(kind: kind, place: place, text: text, isCertain: isCertain))
    }

    // MARK: Names of parameters

    package static func isOffset(_ name: String) -> Bool { ExtentName(name).isOffset }

    package static func isPageNumber(_ name: String) -> Bool { ExtentName(name).isPageNumber }

    private static let nowhere: Set<String> = ["", "null", "none", "nil", "false", "0", "-1", "undefined"]
}

/// A place around the records at which an origin reports what concerns the whole listing.
private struct ExtentPlace {
    let path: JSONPath
    /// The member's name as it is written.
    let member: String
    /// The member's name, with those on the way to it that are no usual containers: `total.count`.
    let name: ExtentName
    let isSummary: Bool

    /// - Returns: nil if the path is too deep, or leads through an array.
    init?(_ path: JSONPath, around recordsPath: JSONPath) {
        var components = path.components[...]
        for component in recordsPath.withoutEach.components {
            guard components.count > 1, components.first == component else { break }
            components = components.dropFirst()
        }
        var names: [String] = []
        for component in components {
            guard case .member(let name) = component else { return nil }
            names.append(name)
        }
        guard names.count <= 3, let member = names.last else { return nil }
        isSummary = names.dropLast().contains { $0.lowercased().contains("summary") }
        var words = names.map { ExtentName($0) }
        // Elasticsearch: `hits.total.value`.
        if words.count > 1, words.last?.words == ["value"] { words.removeLast() }
        while words.count > 1, words[0].isContainer { words.removeFirst() }
        (self.path, self.member, name) = (path, member, ExtentName(words: words.flatMap(\.words)))
    }
}

extension HTTPURL {
    /// The page size that a query parameter with a usual name requests, and that parameter. An origin may have a lower maximum.
    package var askedPageSize: (name: String, size: Int)? {
        queryParameters.lazy.compactMap { parameter in
            let name = ExtentName(parameter.name)
            guard name.isPageSize || name.words == ["count"] else { return nil }
            return parameter.value.flatMap { Int($0) }.map { (parameter.name, $0) }
        }.first
    }
}

extension EnvelopeScalar {
    fileprivate init?(_ value: JSONDocument) {
        switch value.kind {
        case .string: self = .text(value.string ?? "")
        case .number: self = .number(String(decoding: value.bytes, as: UTF8.self))
        case .true, .false: self = .bool(value.kind == .true)
        case .null, .array, .object: return nil
        }
    }

    /// The value, if it is a whole number (`150`, `150.0`) or the text of one (`"150"`, `"1,500"`).
    fileprivate var wholeNumber: Int? {
        switch self {
        case .number(let text): Int(text) ?? Double(text).flatMap { Int(exactly: $0) }
        case .text(let text):
            Int(text)
                ?? (text.wholeMatch(of: /[0-9]{1,3}([,._' ][0-9]{3})+/) == nil ? nil : Int(text.filter(\.isNumber)))
        case .bool, .structure: nil
        }
    }

    /// - Parameter orNumber: whether 0 and 1 count.
    fileprivate func truth(orNumber: Bool) -> Bool? {
        switch self {
        case .bool(let truth): truth
        case .text(let text): Bool(text.lowercased())
        case .number(let digits): orNumber ? ["0": false, "1": true][digits] : nil
        case .structure: nil
        }
    }
}
