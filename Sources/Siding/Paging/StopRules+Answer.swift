internal import HTTPTypes
internal import SidingChain
internal import SidingJSON

extension StopRules {
    /// What an answer says of whether there is more.
    enum StopWord: Sendable, Hashable {
        case isLast
        /// There is more, as the member at the path says.
        case isMore(JSONPath)
    }

    /// Nil where no rule is declared, or the answer says nothing: a missing member is no word.
    func said(by answer: PageAnswer) -> StopWord? {
        if let hasMore, answer.isFalse(at: hasMore) { return .isLast }
        if let isLast, answer.isTrue(at: isLast) { return .isLast }
        if let hasMore, answer.isTrue(at: hasMore) { return .isMore(hasMore) }
        if let isLast, answer.isFalse(at: isLast) { return .isMore(isLast) }
        return nil
    }

    /// The rules as a definition has them; nil where they decide nothing about which records a listing yields.
    var definition: String? {
        let parts = [hasMore.map { "has_more \($0)" }, isLast.map { "is_last \($0)" }].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }
}

extension Paging {
    /// Whether what leads on stands in the body, or goes by what it holds: then a body that did not change leads on as before,
    /// and the head of a 304 says nothing of it.
    func isByBody(with stop: StopRules) -> Bool {
        switch self {
        case .nextURL, .cursor, .lastRecord: true
        case .page, .offset: stop.hasMore != nil || stop.isLast != nil
        case .automatic, .none, .linkHeader, .headerCursor, .nextHeader: false
        }
    }

    /// Whether `answer` names the next page in its header fields.
    func namesNext(in answer: PageAnswer) -> Bool {
        switch self {
        case .linkHeader: answer.linkTarget() != nil
        case .headerCursor(let name, _), .nextHeader(let name): !(answer.headerFields[name] ?? "").isEmpty
        case .automatic: answer.detectPaging().isByHeader
        case .page, .offset: isLinked(answer)
        case .none, .nextURL, .cursor, .lastRecord: false
        }
    }

    /// Whether `fields` of a 304 have the field that names next pages, if only for others: then it is no field that the origin
    /// leaves out. A `Link` that something before the origin adds to each answer has no such relation.
    func hasField(_ fields: HTTPFields) -> Bool {
        switch self {
        case .linkHeader, .automatic, .page, .offset:
            HTTPField.Name("Link").flatMap { fields[$0] }
                .map { field in Self.pageRelations.contains { LinkHeader.target(of: $0, in: field) != nil } } ?? false
        case .headerCursor(let name, _), .nextHeader(let name): fields[name] != nil
        case .none, .nextURL, .cursor, .lastRecord: false
        }
    }

    /// Whether pages are counted here, and no answer names the next one.
    var isNumbered: Bool {
        switch self {
        case .page, .offset: true
        case .automatic, .none, .linkHeader, .nextURL, .cursor, .lastRecord, .headerCursor, .nextHeader: false
        }
    }

    /// Whether pages are counted here, and `answer` names the next one all the same: then a short page is not the last, as where
    /// the origin has a maximum below the size that it is asked for.
    func isLinked(_ answer: PageAnswer) -> Bool { isNumbered && answer.linkTarget() != nil }

    /// Whether it is only that which leads on from `answer`.
    func needsLink(_ answer: PageAnswer) -> Bool {
        let size: Int? =
            switch self {
            case .page(let numbers): numbers.size
            case .offset(let offsets): offsets.limit
            case .automatic, .none, .linkHeader, .nextURL, .cursor, .lastRecord, .headerCursor, .nextHeader: nil
            }
        return isLinked(answer) && answer.recordCount < size ?? 0
    }

    /// Between pages of a listing (iana.org/assignments/link-relations).
    private static let pageRelations = ["next", "prev", "previous", "first", "last"]

    /// Whether the next page is named in header fields, which a 304 need not repeat (RFC 9110 §15.4.5).
    var isByHeader: Bool {
        switch self {
        case .linkHeader, .headerCursor, .nextHeader: true
        case .automatic, .none, .nextURL, .cursor, .lastRecord, .page, .offset: false
        }
    }
}
