internal import SidingJSON
internal import HTTPTypes
internal import SidingChain

/// Says which page comes first and which comes next. It neither fetches nor stores.
struct PageTurner: Sendable {
    let resource: AnyResource

    /// The envelope values that must be read from each page, in the order of ``Envelope``.
    var envelopePaths: [JSONPath] {
        var paths: [JSONPath] = resource.stop.hasMore.map { [$0] } ?? []
        if case .envelope(let path)? = resource.cursor?.place { paths.append(path) }
        switch resource.paging {
        case .automatic: paths += EnvelopePlaces.nextURLs + EnvelopePlaces.cursors.map(\.path)
        case .nextURL(let path): paths += path.map { [$0] } ?? EnvelopePlaces.nextURLs
        case .cursor(let path, _): paths.append(path)
        case .none, .linkHeader, .headerCursor, .nextHeader, .page, .offset: break
        }
        return paths
    }

    /// The page at which a new listing begins.
    ///
    /// - Parameter start: which changes are asked for.
    func first(from start: CursorStart = .none) throws(Failure) -> PageRequest {
        var url = try resource.source.baseURL.appending(path: resource.path)
        let query = start.placeholders(resource.cursor).filled(resource.query)
        url = url.appending(encodedQuery: resource.queryEncoding.encode(query))
        switch resource.paging {
        case .page(let numbers):
            url = url.settingQuery(numbers.parameter, to: String(numbers.start))
            if let parameter = numbers.sizeParameter, let size = numbers.size {
                url = url.settingQuery(parameter, to: String(size))
            }
        case .offset(let offsets):
            url = url.settingQuery(offsets.parameter, to: String(offsets.start))
            if let limit = offsets.limit { url = url.settingQuery(offsets.limitParameter, to: String(limit)) }
        case .automatic, .none, .linkHeader, .nextURL, .cursor, .headerCursor, .nextHeader: break
        }
        return PageRequest(url: url, number: 1, offset: 0)
    }

    /// The page after `page`.
    ///
    /// - Parameters:
    ///   - paging: what was declared, or detected on the first page of the listing.
    ///   - answer: the page's header fields, record count and envelope.
    func next(after page: PageRequest, by paging: Paging, _ answer: PageAnswer) throws(Failure) -> NextPage {
        if let hasMore = resource.stop.hasMore, answer.isFalse(at: hasMore) { return .end }
        guard let url = try nextURL(after: page, by: paging, answer) else { return .end }
        let following = PageRequest(
            url: try checked(url), body: page.body, scope: page.scope, number: page.number + 1,
            offset: page.offset + answer.recordCount)
        return bounded(following, after: page)
    }

    /// The page after one that answered 304: where the answer's header fields say, as they are of today; else as stored.
    ///
    /// A page can be followed by a new one without a change of its own bytes, so its validators alone must not end the
    /// listing.
    func next(
        afterUnchanged page: PageRequest, by paging: Paging, _ answer: PageAnswer, stored: PageRequest?
    ) throws(Failure) -> NextPage {
        let said = try next(after: page, by: paging == .automatic ? answer.detectPaging() : paging, answer)
        if said != .end { return said }
        return stored.map { bounded($0, after: page) } ?? .end
    }

    /// `following`, unless `page` is the last that the resource allows.
    func bounded(_ following: PageRequest, after page: PageRequest) -> NextPage {
        if let most = resource.stop.maxPages, page.number >= most { return .cut("max_pages (\(most)) reached") }
        return .page(following)
    }

    /// The address that the origin gave for the next page. One that cannot be asked is the origin's fault, not the
    /// config's.
    private static func resolve(_ reference: String, against url: HTTPURL) throws(Failure) -> HTTPURL {
        do throws(Failure) { return try url.resolve(reference) } catch {
            throw Failure(.contract, phase: .answered, detail: "the address of the next page: \(error.detail ?? "")")
        }
    }

    private func nextURL(
        after page: PageRequest, by paging: Paging, _ answer: PageAnswer
    ) throws(Failure) -> HTTPURL? {
        switch paging {
        case .none, .automatic: return nil
        case .linkHeader:
            return try answer.linkTarget().map { (text) throws(Failure) in try Self.resolve(text, against: page.url) }
        case .nextURL(let path):
            return try answer.nextReference(at: path)
                .map { (text) throws(Failure) in try Self.resolve(text, against: page.url) }
        case .cursor(let path, let parameter):
            return answer.text(at: path).map { page.url.settingQuery(parameter, to: $0) }
        case .headerCursor(let name, let parameter):
            guard let token = answer.headerFields[name], !token.isEmpty else { return nil }
            return page.url.settingQuery(parameter, to: token)
        case .nextHeader(let name):
            guard let value = answer.headerFields[name], !value.isEmpty else { return nil }
            guard value.allSatisfy(\.isNumber) else { return try Self.resolve(value, against: page.url) }
            return page.url.settingQuery("page", to: value)
        case .page(let numbers): return pageNumber(after: page, numbers, answer)
        case .offset(let offsets): return offset(after: page, offsets, answer)
        }
    }

    private func pageNumber(after page: PageRequest, _ numbers: Paging.PageNumbers, _ answer: PageAnswer) -> HTTPURL? {
        guard answer.recordCount > 0, answer.recordCount >= numbers.size ?? 0 else { return nil }
        return page.url.settingQuery(numbers.parameter, to: String(numbers.start + page.number))
    }

    private func offset(after page: PageRequest, _ offsets: Paging.Offsets, _ answer: PageAnswer) -> HTTPURL? {
        guard answer.recordCount > 0, answer.recordCount >= offsets.limit ?? 0 else { return nil }
        let step = offsets.limit.map { $0 * page.number } ?? page.offset + answer.recordCount
        return page.url.settingQuery(offsets.parameter, to: String(offsets.start + step))
    }

    /// A next link stays on the configured origin, and carries no credentials into the store.
    private func checked(_ url: HTTPURL) throws(Failure) -> HTTPURL {
        let clean = url.removingQuery(named: resource.source.authorization.secretQueryNames)
        guard clean.origin == resource.source.baseURL.origin else {
            throw Failure(
                .contract, phase: .answered,
                detail:
                    "the next page is said to be at \(clean.origin), outside the source's \(resource.source.baseURL.origin)"
            )
        }
        return clean
    }
}

extension Optional {
    /// `map` for transforms that throw a typed error.
    func map<Mapped, Thrown: Error>(_ transform: (Wrapped) throws(Thrown) -> Mapped) throws(Thrown) -> Mapped? {
        switch self {
        case .none: nil
        case .some(let value): try transform(value)
        }
    }
}
