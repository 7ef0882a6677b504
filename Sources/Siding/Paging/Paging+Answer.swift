// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingPaging

extension StopRules {
    /// Whether an answer reports more pages.
    enum MoreReport: Sendable, Hashable {
        case isLast
        /// There are more pages, as the member at the path reports.
        case isMore(JSONPath)
    }

    /// Nil if no rule is declared, or the member is missing, or is neither true nor false in any spelling: then it decides nothing.
    func report(in answer: PageAnswer) -> MoreReport? {
        let (more, last) = (hasMore.flatMap(answer.truth), isLast.flatMap(answer.truth))
        if more == false || last == true { return .isLast }
        if more == true { return hasMore.map { .isMore($0) } }
        return last == false ? isLast.map { .isMore($0) } : nil
    }
}

extension Paging {
    /// Whether the next page is named in the body, or derived from it. Then an unchanged body has the same next page, and the
    /// header of a 304 is irrelevant.
    func isByBody(with stop: StopRules) -> Bool {
        switch self {
        case .nextURL, .cursor, .lastRecord: true
        case .page, .offset: stop.hasMore != nil || stop.isLast != nil
        case .automatic, .none, .linkHeader, .headerCursor, .nextHeader: false
        }
    }

    /// Whether the header fields of `answer` name the next page.
    func namesNext(in answer: PageAnswer) -> Bool {
        switch self {
        case .linkHeader: answer.link() != nil
        case .headerCursor(let name, _), .nextHeader(let name): !(answer.headerFields[name] ?? "").isEmpty
        case .automatic: answer.detectPaging().isByHeader
        case .page, .offset: isLinked(answer)
        case .none, .nextURL, .cursor, .lastRecord: false
        }
    }

    /// Whether `fields` of a 304 have the field that names next pages, even for other pages: then a 304 does not leave it out.
    /// A `Link` that a proxy adds to every answer has no such relation.
    func hasField(_ fields: HTTPFields) -> Bool {
        switch self {
        case .linkHeader, .automatic, .page, .offset:
            HTTPField.Name("Link").flatMap { fields[$0] }
                .map { field in Self.pageRelations.contains { LinkHeader.target(of: $0, in: field) != nil } } ?? false
        case .headerCursor(let name, _), .nextHeader(let name): fields[name] != nil
        case .none, .nextURL, .cursor, .lastRecord: false
        }
    }

    /// Whether pages are numbered by the client, and no answer names the next one.
    package var isNumbered: Bool {
        switch self {
        case .page, .offset: true
        case .automatic, .none, .linkHeader, .nextURL, .cursor, .lastRecord, .headerCursor, .nextHeader: false
        }
    }

    /// The page size that is declared for numbered pages.
    var pageSize: Int? {
        switch self {
        case .page(let numbers): numbers.size
        case .offset(let offsets): offsets.limit
        case .automatic, .none, .linkHeader, .nextURL, .cursor, .lastRecord, .headerCursor, .nextHeader: nil
        }
    }

    /// The paths of the envelope at which the next page is looked for.
    var nextPlaces: [JSONPath] {
        switch self {
        case .automatic: EnvelopePlaces.nextURLs + EnvelopePlaces.cursors.map(\.path)
        case .nextURL(let path): path.map { [$0] } ?? EnvelopePlaces.nextURLs
        case .cursor(let path, _): [path]
        case .page, .offset: EnvelopePlaces.nextURLs
        case .none, .linkHeader, .lastRecord, .headerCursor, .nextHeader: []
        }
    }

    /// How many records the listing has up to the end of `page`, those before a declared start included. One that is on two
    /// pages in a row counts once.
    func recordsRead(through page: PageRequest, _ answer: PageAnswer) -> Int {
        let skipped =
            switch self {
            case .offset(let offsets): offsets.start
            case .page(let numbers): max(numbers.start - 1, 0) * (numbers.size ?? 0)
            default: 0
            }
        return skipped + page.offset + answer.recordCount - answer.repeatedCount
    }

    /// How many pages the listing has up to `page`, those before a declared start included.
    func pagesRead(through page: PageRequest) -> Int {
        switch self {
        case .page(let numbers): page.number + max(numbers.start - 1, 0)
        case .offset(let offsets): page.number + offsets.start / max(offsets.limit ?? .max, 1)
        default: page.number
        }
    }

    /// Whether pages are numbered by the client, but `answer` names the next one in a `Link`. Then a short page is not the
    /// last, such as when the origin's maximum is below the requested size.
    func isLinked(_ answer: PageAnswer) -> Bool { isNumbered && answer.link() != nil }

    /// Whether only that `Link` leads on from `answer`.
    func needsLink(_ answer: PageAnswer) -> Bool { isLinked(answer) && answer.recordCount < pageSize ?? 0 }

    /// Relations between pages of a listing (iana.org/assignments/link-relations).
    private static let pageRelations = ["next", "prev", "previous", "first", "last"]

    /// Whether header fields name the next page, which a 304 need not repeat (RFC 9110 §15.4.5).
    var isByHeader: Bool {
        switch self {
        case .linkHeader, .headerCursor, .nextHeader: true
        case .automatic, .none, .nextURL, .cursor, .lastRecord, .page, .offset: false
        }
    }
}

extension PageAnswer {
    /// Detects the paging from the first page, in the order that ``Paging/automatic`` documents.
    ///
    /// - Parameter hasBody: whether the request had a JSON body, so that a cursor goes back into it.
    func detectPaging(hasBody: Bool = false) -> Paging {
        if link() != nil { return .linkHeader }
        if let path = EnvelopePlaces.nextURLs.first(where: { string(at: $0).map(Self.isReference) ?? false }) {
            return .nextURL(path)
        }
        if let name = EnvelopePlaces.nextHeaders.first(where: { !(headerFields[$0] ?? "").isEmpty }) {
            return .nextHeader(name)
        }
        if let cursor = EnvelopePlaces.cursors.first(where: { text(at: $0.path) != nil }) {
            let isPlain = !cursor.parameter.contains("[")
            return .cursor(
                cursor.path,
                parameter: hasBody && isPlain ? .body(JSONPath(member: cursor.parameter)) : .query(cursor.parameter))
        }
        return .none
    }
}
