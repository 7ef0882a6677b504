// SPDX-License-Identifier: Apache-2.0
public import HTTPTypes
public import SidingChain

/// The position of a page, for the common kinds of pagination: by offset, number, cursor or link.
///
/// Apply one with `RequestRoute.at(_:offset:limit:page:size:cursor:)`. Get the next with ``next(after:)``, ``cursor(after:)``,
/// ``link(in:of:removing:)`` or ``nextURL(_:of:removing:)``; each returns nil at the end.
public enum PagerPosition: Sendable, Hashable, Codable {
    /// The route unchanged: the first page of a listing by cursor, link or URL.
    case start
    /// Skips this many records; `limit` is the maximum number of records per page.
    case offset(Int, limit: Int? = nil)
    /// A page's number; `size` is the number of records per page.
    case page(Int, size: Int? = nil)
    /// The origin's token for the page.
    case cursor(String)
    /// The absolute URL of the page.
    case url(String)

    /// The position after a page of `count` records, for offsets and page numbers.
    ///
    /// Nil, the end, after an empty page and, if limit or size is set, after a page with fewer records. Also nil for all other
    /// positions.
    public func next(after count: Int) -> PagerPosition? {
        switch self {
        case .offset(let offset, let limit):
            count > 0 && count >= limit ?? 0 ? .offset(offset + (limit ?? count), limit: limit) : nil
        case .page(let number, let size):
            count > 0 && count >= size ?? 0 ? .page(number + 1, size: size) : nil
        case .start, .cursor, .url: nil
        }
    }

    /// The position for the origin's cursor `token`; nil, the end, if it is nil or empty.
    public static func cursor(after token: String?) -> PagerPosition? {
        guard let token, !token.isEmpty else { return nil }
        return .cursor(token)
    }

    /// The target of `Link: <…>; rel="next"` (RFC 8288); nil, the end, if there is none.
    ///
    /// - Parameters:
    ///   - headerFields: the fields of the response.
    ///   - url: the URL of the response; a relative target is resolved against it.
    ///   - names: query parameters to remove, because they carry credentials and the position may be stored. They must be added
    ///     again to this page as they were to the first.
    /// - Throws: `Failure.Reason.contract` if the target is not a valid URL.
    public static func link(
        in headerFields: HTTPFields, of url: HTTPURL, removing names: Set<String> = []
    ) throws(Failure) -> PagerPosition? {
        guard let name = HTTPField.Name("Link"), let field = headerFields[name] else { return nil }
        return try nextURL(LinkHeader.target(of: "next", in: field), of: url, removing: names)
    }

    /// The URL of the next page in the body; nil, the end, if it is missing or empty.
    ///
    /// - Parameters:
    ///   - reference: absolute, or relative to `url`.
    ///   - url: the URL of the response.
    ///   - names: query parameters to remove, because they carry credentials and the position may be stored.
    /// - Throws: `Failure.Reason.contract` if the reference is not a valid URL.
    public static func nextURL(
        _ reference: String?, of url: HTTPURL, removing names: Set<String> = []
    ) throws(Failure) -> PagerPosition? {
        guard let reference, !reference.isEmpty else { return nil }
        do throws(Failure) {
            return .url(try url.resolve(reference).removingQuery(named: names).description)
        } catch {
            throw Failure(.contract, phase: .answered, detail: "the address of the next page: \(error.detail ?? "")")
        }
    }
}

extension RequestRoute {
    /// This route for the page at `position`; the other arguments name the query parameters.
    ///
    /// - Throws: `Failure.Reason.contract` if the page's URL is outside this route's origin: a response or a saved position
    ///   must not send credentials elsewhere.
    public func at(
        _ position: PagerPosition, offset: String = "offset", limit: String = "limit", page: String = "page",
        size: String = "per_page", cursor: String = "cursor"
    ) throws(Failure) -> RequestRoute {
        switch position {
        case .start: self
        case .offset(let start, let count):
            setting(offset, to: String(start)).setting(limit, to: count.map { String($0) })
        case .page(let number, let count):
            setting(page, to: String(number)).setting(size, to: count.map { String($0) })
        case .cursor(let token): setting(cursor, to: token)
        case .url(let text): RequestRoute(method, try onOwnOrigin(HTTPURL(text)))
        }
    }

    private func setting(_ name: String, to value: String?) -> RequestRoute {
        value.map { RequestRoute(method, url.settingQuery(name, to: $0)) } ?? self
    }

    private func onOwnOrigin(_ next: HTTPURL) throws(Failure) -> HTTPURL {
        guard next.origin == url.origin else {
            throw Failure(
                .contract, phase: .answered,
                detail: "the next page is said to be at \(next.origin), outside the route's \(url.origin)")
        }
        return next
    }
}
