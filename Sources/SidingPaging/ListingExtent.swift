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
    package struct NextPageReference: Sendable, Hashable {
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
        /// Whether the name is unambiguous: a `cursor` may also be that of this page.
        package var isCertain: Bool
    }

    /// The number of records; nil if it is not reported, or counts the records of this page alone.
    package private(set) var total: Report?
    /// Whether that number is called `total` and no more, so that it may be one of amounts.
    package private(set) var isTotalBare = false
    /// The number of records as the origin estimates it, where it reports no other.
    package private(set) var estimate: Report?
    package private(set) var pages: Report?
    /// Where the answer says that there is more.
    package private(set) var more: String?
    /// Whether it says that there is no more.
    package private(set) var saysEnd = false
    package private(set) var nextPages: [NextPageReference] = []
    /// The page size that the answer reports.
    package private(set) var size: Report?
    /// The position of this page among the records, and the member with it.
    package private(set) var offset: Report?
    /// The number of this page.
    package private(set) var number: Report?

    private var totals: [Report] = []
    private var counts: [Report] = []
    private var estimates: [Report] = []
    /// The places of the totals that are called so and no more.
    private var bare: Set<String> = []
    private let nouns: RecordNouns
    /// The number in `{"page": 1, "of": 3}`.
    private var numberBehind: Report?

    /// - Parameter recordsPath: where the records are.
    package init(_ answer: PageAnswer, recordsAt recordsPath: JSONPath) {
        let fields = answer.headerFields.filter { !Self.unrelatedFields.contains($0.name.canonicalName) }
        let isSilent = fields.isEmpty && answer.surroundings.isEmpty
        nouns = isSilent ? RecordNouns() : RecordNouns(path: recordsPath, url: answer.url, resource: answer.resource)
        for (path, value) in answer.surroundings {
            let names = path.components(around: recordsPath).map { step -> ExtentName? in
                if case .member(let name) = step { ExtentName(name, nouns) } else { nil }
            }
            note(nextPageAt: path, names, value, in: answer)
            if let place = ExtentPlace(path, names) { note(value, place, in: answer) }
        }
        for field in fields { note(field) }
        if let link = answer.link(to: "last") { note(lastPage: link, at: "Link rel=\"last\"") }
        // `{"page": 1, "of": 3}`, `{"from": 1, "to": 50, "of": 150}`
        if number != nil, pages == nil { pages = numberBehind }
        if number == nil, offset != nil, let numberBehind { totals.append(numberBehind) }
        weighTotals(of: answer)
    }

    private mutating func weighTotals(of answer: PageAnswer) {
        // A bare `count` is often that of this page, or its size, and says something only where nothing else does.
        if totals.isEmpty, !counts.isEmpty {
            let asked = answer.askedPageSizes(at: answer.url).map(\.size)
            totals = counts.filter { report in
                // In `paging`, beside a start, it is the page size.
                let isEcho = offset?.place == "start" && report.place.contains("paging")
                return report.count > answer.recordCount && report.count != size?.count && !asked.contains(report.count)
                    && !isEcho
            }
        }
        if totals.isEmpty { estimate = estimates.min { $0.count < $1.count } }
        // A total has at least the records of its page: others, such as -1, stand for one that is not known.
        totals.removeAll { $0.count < answer.recordCount }
        let ofAll = totals.filter { $0.count != answer.recordCount }
        let filtered = totals.filter { $0.place.lowercased().contains("filter") }
        let candidates = filtered.isEmpty ? (ofAll.isEmpty ? totals : ofAll) : filtered
        total = candidates.min { $0.count < $1.count }
        isTotalBare = total.map { bare.contains($0.place) } ?? false
    }

    // MARK: Values around the records

    private mutating func note(_ value: EnvelopeScalar, _ place: ExtentPlace, in answer: PageAnswer) {
        let (name, text) = (place.name, place.path.description)
        if let count = value.wholeNumber ?? value.counted(nouns) {
            // In a summary, a bare number may be one of amounts.
            let isAmount = place.isSummary && (name.words == ["total"] || name.count == .unknown)
            if !isAmount { note(count, name, at: text, member: place.member) }
        }
        // A job may be done or not.
        if !place.isState, place.isAboutPages || !name.isState { note(flag: value, name, at: text) }
        if case .text(let value) = value {
            if name.isLastPage { note(lastPage: value, at: text) }
            if name.isContainer { note(range: value, name, at: text, answer.recordCount) }
        }
        // A number may be the offset of this page.
        if name.nextPage == .possible, !(name.isOffset && value.wholeNumber != nil) {
            note(.body(place.path), value, isCertain: false, in: answer)
        }
    }

    private mutating func note(_ count: Int, _ name: ExtentName, at place: String, member: String) {
        let report = Report(count: count, place: place)
        switch name.count {
        case .records?:
            totals.append(report)
            if name.words == ["total"] { bare.insert(place) }
        case .estimate?: estimates.append(report)
        case .unknown?: counts.append(report)
        case .remaining?: if count > 0 { more = more ?? place }
        case .pages?: pages = report
        case .pageSize?: size = report
        case nil: break
        }
        if name.words == ["of"] { numberBehind = report }
        if name.isOffset { offset = Report(count: count, place: member) }
        if name.isPageNumber { number = Report(count: count, place: member) }
    }

    private mutating func note(flag value: EnvelopeScalar, _ name: ExtentName, at place: String) {
        guard let truth = value.truth(orNumber: name.isFlagged), let moreIfTrue = name.moreIfTrue else { return }
        if truth == moreIfTrue { more = more ?? place } else { saysEnd = true }
    }

    /// Notes the number behind `1-50 of 150`, or `page 1 of 3`: where the range is that of this page.
    private mutating func note(range text: String, _ name: ExtentName, at place: String, _ recordCount: Int) {
        guard text.utf8.count <= 60 else { return }
        let sides = text.lowercased().replacing(" of ", with: "/").split(separator: "/")
        guard sides.count == 2, let all = EnvelopeScalar.text(String(sides[1])).leadingNumber else { return }
        let numbers = sides[0].utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        if numbers.count == 2, numbers[0] <= numbers[1], (0...1).contains(recordCount - (numbers[1] - numbers[0])) {
            totals.append(Report(count: all, place: place))
        } else if numbers.count == 1, name.words.contains("page") || text.lowercased().contains("page") {
            pages = pages ?? Report(count: all, place: place)
        }
    }

    /// Usual fields with other meanings, left out because every page has them.
    private static let unrelatedFields: Set<String> = [
        "accept-ranges", "access-control-allow-origin", "age", "alt-svc", "cache-control", "connection",
        "content-encoding", "content-length", "content-security-policy", "content-type", "date", "etag", "expires",
        "keep-alive", "last-modified", "referrer-policy", "server", "set-cookie", "strict-transport-security",
        "transfer-encoding", "vary", "via", "x-content-type-options", "x-frame-options", "x-xss-protection",
    ]

    private mutating func note(_ field: HTTPField) {
        let (place, text) = (field.name.rawName, field.value.trimmingPrefix { $0 == " " })
        let name = ExtentName(place, nouns)
        if name.isRange {
            text.split(separator: "/").last.flatMap { Int($0) }.map { totals.append(Report(count: $0, place: place)) }
            return
        }
        if name.isAboutPages, let members = Self.members(of: text) {
            // `X-Pagination: {"TotalCount": 150}`, `Pagination: page=1, total=150`
            for (member, value) in members {
                note(scalar: value, ExtentName(member, nouns), at: "\(place).\(member)", member)
            }
            return
        }
        note(scalar: .text(String(text)), name, at: place, place)
        if let certainty = name.nextPage { note(.header(place), .text(String(text)), isCertain: certainty == .certain) }
    }

    /// The members of a header field's value; nil if it is only one value.
    private static func members(of text: Substring) -> [(name: String, value: EnvelopeScalar?)]? {
        if text.hasPrefix("{") {
            return (try? JSONDocument(String(text)).members)?.map { ($0.name, EnvelopeScalar($0.value)) }
        }
        guard text.utf8.contains(UInt8(ascii: "=")) else { return nil }
        return text.split { ",;&".contains($0) }.compactMap { pair in
            let sides = pair.split(separator: "=", maxSplits: 1)
            guard sides.count == 2 else { return nil }
            return (String(sides[0].drop { $0 == " " }), .text(String(sides[1].filter { $0 != "\"" })))
        }
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
            if name.isOffset, number < .max { totals.append(Report(count: number + 1, place: place)) }
        }
    }

    // MARK: Next pages

    /// Notes a value if its name, or one on the way to it, is that of a next page.
    ///
    /// - Parameter names: those on the way from the records, nil for an element of an array.
    private mutating func note(
        nextPageAt path: JSONPath, _ names: [ExtentName?], _ value: EnvelopeScalar, in answer: PageAnswer
    ) {
        for (index, name) in names.enumerated() {
            // An element of an array is a related record rather than a next page, unless the array names that.
            guard let name else { break }
            let rest = ExtentName(words: names[index...].flatMap { $0?.words ?? [] })
            guard name.continues || (name.nextPage == .certain && rest.nextPage == .certain) else { continue }
            return note(.body(path), value, isCertain: true, in: answer)
        }
        if case .text(let text) = value, text.lowercased() == "next" { note(linkAt: path, names, in: answer) }
    }

    /// Notes the URL beside a `"rel": "next"`, as in lists of links.
    private mutating func note(linkAt relation: JSONPath, _ names: [ExtentName?], in answer: PageAnswer) {
        // `"rel": ["next"]`
        let isList = names.last == .some(nil)
        guard let word = names.dropLast(isList ? 1 : 0).last??.words.joined() else { return }
        let isNamed = ["name", "type"].contains(word) && names.contains { $0?.isOfLinks ?? false }
        guard isNamed || ["rel", "relation", "ref"].contains(word) else { return }
        let link = relation.components.dropLast(isList ? 2 : 1)
        for (path, value) in answer.surroundings {
            guard path.components.dropLast() == link, case .member(let name)? = path.components.last,
                ["href", "url", "uri", "link"].contains(ExtentName(name).words.joined())
            else { continue }
            note(.body(path), value, isCertain: true, in: answer)
        }
    }

    private mutating func note(
        _ place: NextPageReference.Place, _ value: EnvelopeScalar, isCertain: Bool, in answer: PageAnswer? = nil
    ) {
        let kind: NextPageReference.Kind
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
        nextPages.append(NextPageReference(kind: kind, place: place, text: text, isCertain: isCertain))
    }

    // MARK: Names of parameters

    package static func isOffset(_ name: String) -> Bool { ExtentName(name).isOffset }

    /// Whether a page size of this name goes with offsets rather than with numbers of pages.
    package static func isLimit(_ name: String) -> Bool { ExtentName(name).isLimit }

    package static func isPageNumber(_ name: String) -> Bool { ExtentName(name).isPageNumber }

    private static let nowhere: Set<String> = ["", "null", "none", "nil", "false", "0", "-1", "undefined"]
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

extension PageAnswer {
    /// The numbers in the query of `page`, or in its body, that may be the page size; also under names that may mean something
    /// else, such as `first` or `n`.
    package func askedPageSizes(at page: HTTPURL?) -> [(name: String, size: Int)] {
        let parameters = (page?.queryParameters ?? []) + (requestBody.map { QueryParameter.all(in: $0) } ?? [])
        let asked = parameters.map { ($0.name, EnvelopeScalar.text(String($0.value ?? ""))) }
        let members = requestBody.flatMap { try? JSONDocument($0).members } ?? []
        // GraphQL: `variables.first`.
        let inBody = members.flatMap { [$0] + ($0.value.members ?? []) }.compactMap { member in
            EnvelopeScalar(member.value).map { (member.name, $0) }
        }
        return (asked + inBody).compactMap { name, value in
            value.wholeNumber.flatMap { ExtentName(name).isAskedSize ? (name, $0) : nil }
        }
    }
}
