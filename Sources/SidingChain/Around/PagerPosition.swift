public import HTTPTypes

/// Where a page lies, for the ways in which origins number, mark or link their pages.
///
/// Apply one with ``Route/at(_:parameters:)``; find the next with ``next(after:)``, ``cursor(after:)``,
/// ``link(in:of:removing:)`` or ``nextURL(_:of:removing:)``, of which each gives nil at the end.
public enum PagerPosition: Sendable, Hashable, Codable {
    /// The route as it stands: where a listing by cursor, link or URL begins.
    case start
    /// So many records are skipped; `limit` asks for so many at most.
    case offset(Int, limit: Int? = nil)
    /// A page's number; `size` asks for so many records.
    case page(Int, size: Int? = nil)
    /// The origin's mark of the page.
    case cursor(String)
    /// The page's own address, absolute.
    case url(String)

    /// The position behind a page of `count` records, for offsets and page numbers.
    ///
    /// Nil, the end, after an empty page and, where limit or size is set, after one with fewer records; nil also for the
    /// positions that do not count.
    public func next(after count: Int) -> PagerPosition? {
        switch self {
        case .offset(let offset, let limit):
            count > 0 && count >= limit ?? 0 ? .offset(offset + (limit ?? count), limit: limit) : nil
        case .page(let number, let size):
            count > 0 && count >= size ?? 0 ? .page(number + 1, size: size) : nil
        case .start, .cursor, .url: nil
        }
    }

    /// The page that the origin marked with `token`; nil, the end, where there is none or an empty one.
    public static func cursor(after token: String?) -> PagerPosition? {
        guard let token, !token.isEmpty else { return nil }
        return .cursor(token)
    }

    /// The target of `Link: <…>; rel="next"` (RFC 8288); nil, the end, where there is none.
    ///
    /// - Parameters:
    ///   - headerFields: the answer's.
    ///   - url: where the answer came from; a relative target is resolved against it.
    ///   - names: query parameters that are taken out, as they carry credentials and the position may be stored. Whatever
    ///     adds them to the first page adds them to this one.
    /// - Throws: ``Failure/Reason/contract`` where the target is no address that can be asked.
    public static func link(
        in headerFields: HTTPFields, of url: HTTPURL, removing names: Set<String> = []
    ) throws(Failure) -> PagerPosition? {
        guard let name = HTTPField.Name("Link"), let field = headerFields[name] else { return nil }
        return try nextURL(LinkHeader.target(of: "next", in: field), of: url, removing: names)
    }

    /// The address that the body names as the next page; nil, the end, where there is none or an empty one.
    ///
    /// - Parameters:
    ///   - reference: absolute, or relative to `url`.
    ///   - url: where the answer came from.
    ///   - names: query parameters that are taken out, as they carry credentials and the position may be stored.
    /// - Throws: ``Failure/Reason/contract`` where the reference is no address that can be asked.
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

/// The query parameters by which an origin takes a ``PagerPosition``.
public struct PagerParameters: Sendable, Hashable, Changeable {
    public var offset: String
    public var limit: String
    public var page: String
    public var size: String
    public var cursor: String

    /// `offset`, `limit`, `page`, `per_page` and `cursor`, unless said otherwise.
    public init(
        offset: String = "offset", limit: String = "limit", page: String = "page", size: String = "per_page",
        cursor: String = "cursor"
    ) {
        (self.offset, self.limit, self.page, self.size, self.cursor) = (offset, limit, page, size, cursor)
    }
}

extension Route {
    /// This route for the page at `position`.
    ///
    /// - Throws: ``Failure/Reason/contract`` where the page's address lies outside this route's origin: credentials are
    ///   not taken elsewhere because an answer, or a file with a saved position, says so.
    public func at(
        _ position: PagerPosition, parameters: PagerParameters = PagerParameters()
    ) throws(Failure) -> Route {
        switch position {
        case .start: self
        case .offset(let offset, let limit):
            setting(parameters.offset, to: String(offset)).setting(parameters.limit, to: limit.map { String($0) })
        case .page(let number, let size):
            setting(parameters.page, to: String(number)).setting(parameters.size, to: size.map { String($0) })
        case .cursor(let token): setting(parameters.cursor, to: token)
        case .url(let text): Route(method, try onOwnOrigin(HTTPURL(text)))
        }
    }

    private func setting(_ name: String, to value: String?) -> Route {
        value.map { Route(method, url.settingQuery(name, to: $0)) } ?? self
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
