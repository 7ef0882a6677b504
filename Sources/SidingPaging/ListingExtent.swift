// SPDX-License-Identifier: Apache-2.0
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

    /// The numbers that the origin reports, by what they count.
    private var numbers: [ExtentName.Meaning: [Report]] = [:]
    /// Those in `paging` that may count the records of this page.
    private var countsInPaging: [Report] = []
    private let recordNames: RecordNames

    /// - Parameter recordsPath: where the records are.
    package init(_ answer: PageAnswer, recordsAt recordsPath: JSONPath) {
        recordNames = RecordNames(path: recordsPath, url: answer.url, resource: answer.resource)
        for (path, value) in answer.surroundings {
            let names = path.components(around: recordsPath).map { step -> ExtentName? in
                if case .member(let name) = step { ExtentName(name, recordNames) } else { nil }
            }
            addNextPage(at: path, names, value, in: answer)
            if let place = ExtentPlace(path, names, recordNames) { add(value, place, at: path, in: answer) }
        }
        for field in answer.headerFields { add(field) }
        if let link = answer.link(to: "last") { add(lastPage: link, at: "Link rel=\"last\"") }
        (size, offset, number) = (numbers[.size]?.last, numbers[.offset]?.last, numbers[.pageNumber]?.last)
        pages = numbers[.pages]?.last ?? pages
        // `{"page": 1, "of": 3}`, `{"from": 1, "to": 50, "of": 150}`
        if let behind = numbers[.of]?.last {
            if number != nil { pages = pages ?? behind } else if offset != nil { add(total: behind) }
        }
        weighTotals(of: answer)
    }

    private mutating func weighTotals(of answer: PageAnswer) {
        var totals = numbers[.total] ?? []
        // A bare `count` is often that of this page, or its size, and says something only where nothing else does.
        if totals.isEmpty {
            let sizes = answer.askedPageSizes(at: answer.url).map(\.size) + (size.map { [$0.count] } ?? [])
            // In `paging`, beside a start, it is the page size.
            let counts = (numbers[.count] ?? []) + (offset?.place == "start" ? [] : countsInPaging)
            totals = counts.filter { $0.count > answer.recordCount && !sizes.contains($0.count) }
        }
        if totals.isEmpty { estimate = numbers[.estimate]?.min(by: <) }
        // A total has at least the records of its page: others, such as -1, stand for one that is not known.
        totals.removeAll { $0.count < answer.recordCount }
        let ofAll = totals.filter { $0.count != answer.recordCount }
        let filtered = totals.filter { numbers[.filtered]?.contains($0) ?? false }
        let candidates = filtered.isEmpty ? (ofAll.isEmpty ? totals : ofAll) : filtered
        total = candidates.min(by: <)
        isTotalBare = total.map { numbers[.bareTotal]?.contains($0) ?? false } ?? false
    }

    // MARK: Values around the records

    private mutating func add(_ value: EnvelopeScalar, _ place: ExtentPlace, at path: JSONPath, in answer: PageAnswer) {
        let name = place.name
        guard !name.meanings.isEmpty || name.isContainer else { return }
        let text = path.description
        if let count = value.wholeNumber ?? value.counted(recordNames) {
            // In a summary, a bare number may be one of amounts.
            let isAmount = place.isIn("summary") && (name.means(.bareTotal) || name.means(.count))
            if name.means(.count), !isAmount, place.isIn("paging") {
                countsInPaging.append(Report(count: count, place: text))
            } else if !isAmount {
                add(count, name, at: text, member: place.member)
            }
        }
        // A job may be done or not.
        if !place.containers.contains(where: { $0.spelling == "status" }), place.isAboutPages || !name.means(.job) {
            add(flag: value, name, at: text)
        }
        if case .text(let value) = value {
            if name.means(.lastPage) { add(lastPage: value, at: text) }
            if name.isContainer { add(range: value, name, at: text, answer.recordCount) }
        }
        // A number may be the offset of this page.
        if name.means(.possibleNext), !(name.means(.offset) && value.wholeNumber != nil) {
            let isToken = name.means(.token)
            addNextPage(value, NextPageReference(place: .body(path), isCertain: false, isToken: isToken), in: answer)
        }
    }

    private mutating func add(_ count: Int, _ name: ExtentName, at place: String, member: String) {
        for meaning in name.meanings {
            let isPosition = meaning == .offset || meaning == .pageNumber
            numbers[meaning, default: []].append(Report(count: count, place: isPosition ? member : place))
        }
        if name.means(.remaining), count > 0 { more = more ?? place }
    }

    private mutating func add(total report: Report) { numbers[.total, default: []].append(report) }

    private mutating func add(flag value: EnvelopeScalar, _ name: ExtentName, at place: String) {
        let isMore = name.means(.more)
        guard isMore || name.means(.end), let truth = value.truth(orNumber: name.means(.binary)) else { return }
        if truth == isMore { more = more ?? place } else { saysEnd = true }
    }

    /// Adds the number behind `1-50 of 150`, or `page 1 of 3`: where the range is that of this page.
    private mutating func add(range text: String, _ name: ExtentName, at place: String, _ recordCount: Int) {
        guard text.utf8.count <= 60 else { return }
        let sides = text.lowercased().replacing(" of ", with: "/").split(separator: "/")
        guard sides.count == 2, let all = EnvelopeScalar.text(String(sides[1])).leadingNumber else { return }
        let numbers = sides[0].utf8.split { !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
        let report = Report(count: all, place: place)
        if numbers.count == 2, numbers[0] <= numbers[1], (0...1).contains(recordCount - (numbers[1] - numbers[0])) {
            add(total: report)
        } else if numbers.count == 1, name.spelling == "page" || text.lowercased().contains("page") {
            pages = pages ?? report
        }
    }

    /// Adds how many pages there are, or at least how many records, as the URL of the last page shows it.
    private mutating func add(lastPage reference: String, at place: String) {
        let query = reference.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        for parameter in QueryParameter.all(in: query) {
            guard let number = parameter.value.flatMap({ Int($0) }) else { continue }
            let name = ExtentName(parameter.name)
            if name.means(.pageNumber) { pages = pages ?? Report(count: number, place: place) }
            if name.means(.offset), number < .max { add(total: Report(count: number + 1, place: place)) }
        }
    }

    // MARK: Header fields

    private mutating func add(_ field: HTTPField) {
        let (place, text) = (field.name.rawName, field.value.trimmingPrefix { $0 == " " })
        let name = ExtentName(place, recordNames)
        if name.means(.range) {
            text.split(separator: "/").last.flatMap { Int($0) }.map { add(total: Report(count: $0, place: place)) }
        } else if let members = Self.members(of: text), name.isAboutPages {
            // `X-Pagination: {"TotalCount": 150}`, `Pagination: page=1, total=150`
            for (member, value) in members {
                add(value, ExtentName(member, recordNames), at: "\(place).\(member)", member: member)
            }
        } else if !name.meanings.isEmpty {
            let value = EnvelopeScalar.text(String(text))
            add(value, name, at: place, member: place)
            guard name.isNext || name.means(.possibleNext) else { return }
            addNextPage(
                value,
                NextPageReference(place: .header(place), isCertain: name.isNext, isToken: name.means(.token)))
        }
    }

    /// The members of a header field's value; nil if it is only one value.
    private static func members(of text: Substring) -> [(name: String, value: EnvelopeScalar)]? {
        if text.hasPrefix("{") {
            return (try? JSONDocument(String(text)).members)?.compactMap { member in
                EnvelopeScalar(member.value).map { (member.name, $0) }
            }
        }
        guard text.utf8.contains(UInt8(ascii: "=")) else { return nil }
        return text.split { ",;&".contains($0) }.compactMap { pair in
            let sides = pair.split(separator: "=", maxSplits: 1)
            guard sides.count == 2 else { return nil }
            return (String(sides[0].drop { $0 == " " }), .text(String(sides[1].filter { $0 != "\"" })))
        }
    }

    private mutating func add(_ value: EnvelopeScalar, _ name: ExtentName, at place: String, member: String) {
        if let count = value.wholeNumber { add(count, name, at: place, member: member) }
        add(flag: value, name, at: place)
    }

    // MARK: Next pages

    /// Adds a value if its name, or one on the way to it, is that of a next page.
    ///
    /// - Parameter names: those on the way from the records, nil for an element of an array.
    private mutating func addNextPage(
        at path: JSONPath, _ names: [ExtentName?], _ value: EnvelopeScalar, in answer: PageAnswer
    ) {
        // An element of an array is a related record rather than a next page, unless the array names that.
        let objects = names.prefix { $0 != nil }.compactMap(\.self)
        for (index, name) in objects.enumerated() where name.isNext {
            let rest = names[(index + 1)...].compactMap(\.self)
            guard name.means(.continuation) || rest.allSatisfy({ $0.means(.reference) }) else { continue }
            let isToken = (objects + rest).contains { $0.means(.token) }
            return addNextPage(value, NextPageReference(place: .body(path), isToken: isToken), in: answer)
        }
        if case .text(let text) = value, text.lowercased() == "next" { addLink(beside: path, names, in: answer) }
    }

    /// Adds the URL beside a `"rel": "next"`, as in lists of links.
    private mutating func addLink(beside relation: JSONPath, _ names: [ExtentName?], in answer: PageAnswer) {
        // `"rel": ["next"]`
        let isList = names.last == .some(nil)
        guard let name = names.dropLast(isList ? 1 : 0).last ?? nil,
            name.means(.relation) || (name.means(.linkName) && names.contains { $0?.isOfLinks ?? false })
        else { return }
        let link = relation.components.dropLast(isList ? 2 : 1)
        let isElement = link.contains { if case .index = $0 { true } else { false } }
        for (path, value) in answer.surroundings {
            guard path.components.dropLast() == link, case .member(let name)? = path.components.last,
                ExtentName(name).means(.url)
            else { continue }
            addNextPage(value, NextPageReference(place: .body(path), isElement: isElement), in: answer)
        }
    }

    private mutating func addNextPage(
        _ value: EnvelopeScalar, _ found: NextPageReference, in answer: PageAnswer? = nil
    ) {
        var reference = found
        switch value {
        case .text(let name):
            guard !Self.nowhere.contains(name.lowercased()) else { return }
            // The token of this page, which its request had.
            if !reference.isCertain, answer?.requested(name) ?? false { return }
            reference.kind = PageAnswer.isReference(name) ? .url : value.wholeNumber == nil ? .token : .number
            reference.text = PlainText.oneLine(name, limit: 60)
        case .number(let digits):
            // 0 and negative numbers stand for "none".
            guard let number = Double(digits), number > 0 else { return }
            if !reference.isCertain, answer?.requested(digits) ?? false { return }
            (reference.kind, reference.text) = (value.wholeNumber == nil ? .unreadable : .number, digits)
        case .bool(true): reference.text = "true"
        case .bool, .structure: return
        }
        nextPages.append(reference)
    }

    private static let nowhere: Set<String> = ["", "null", "none", "nil", "false", "0", "-1", "undefined"]
}

extension ListingExtent.Report {
    fileprivate static func < (one: Self, other: Self) -> Bool { one.count < other.count }
}

extension HTTPURL {
    /// The page size that a query parameter with a usual name requests, and that parameter. An origin may have a lower maximum.
    package var askedPageSize: (name: String, size: Int)? {
        queryParameters.lazy.compactMap { parameter in
            let name = ExtentName(parameter.name)
            guard name.means(.size) || name.spelling == "count" else { return nil }
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
            let meanings = ExtentName(name).meanings
            guard meanings.contains(.size) || meanings.contains(.askedSize) else { return nil }
            return value.wholeNumber.map { (name, $0) }
        }
    }
}
