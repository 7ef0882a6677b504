// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingPaging

/// Decides which page comes first and which comes next. It neither fetches nor stores.
struct NextPageRule: Sendable {
    let resource: AnyResource
    /// The size of the first page, where the line decides it; nil for the largest.
    var size: Int?

    /// The paths of the envelope values to read from each page, in the order of ``Envelope``.
    var envelopePaths: [JSONPath] {
        var paths: [JSONPath] = [resource.stop.hasMore, resource.stop.isLast].compactMap(\.self)
        if case .envelope(let path)? = resource.cursor?.place { paths.append(path) }
        return paths + resource.paging.nextPlaces
    }

    /// The declared path of a token in the envelope.
    var tokenPath: JSONPath? { if case .cursor(let path, _) = resource.paging { path } else { nil } }

    /// The first page of a new listing.
    ///
    /// - Parameters:
    ///   - placeholders: the values of the cursor range to request.
    ///   - parent: the parent of the listing.
    /// - Throws: ``Failure/Reason/invalidRequest`` if a bound value would lead to another path.
    func first(
        filling placeholders: Placeholders = Placeholders(), for parent: BoundParent? = nil
    ) throws(Failure) -> PageRequest {
        var url = try address(of: parent)
        var placeholders = placeholders
        placeholders.bound = parent?.values ?? [:]
        url = url.appending(encodedQuery: resource.queryEncoding.encode(placeholders.filled(resource.query)))
        let body = resource.searchBody.flatMap { placeholders.filled($0, resource.queryEncoding) }
        return try beginning(PageRequest(url: url, body: body, scope: parent?.key ?? "", number: 1, offset: 0))
    }

    /// The first URL of the listing of `parent` without a cursor; nil if it has no valid address.
    func root(for parent: BoundParent) -> String? {
        // The size that the line carries does not make it another listing.
        (try? NextPageRule(resource: resource).first(for: parent)).map {
            [$0.url.description, $0.body].compactMap(\.self).joined(separator: "\n")
        }
    }

    /// Adds the initial page or offset parameters.
    private func beginning(_ first: PageRequest) throws(Failure) -> PageRequest {
        var page = first
        switch resource.paging {
        case .page(let numbers):
            page = try page.setting(numbers.parameter, to: .number(String(numbers.start)), resource)
            if let parameter = numbers.sizeParameter, let size = numbers.size, resource.pageSizes == nil {
                page = try page.setting(parameter, to: .number(String(size)), resource)
            }
        case .offset(let offsets):
            page = try page.setting(offsets.parameter, to: .number(String(offsets.start)), resource)
            if let limit = offsets.limit, resource.pageSizes == nil {
                page = try page.setting(offsets.limitParameter, to: .number(String(limit)), resource)
            }
        case .automatic, .none, .linkHeader, .nextURL, .cursor, .lastRecord, .headerCursor, .nextHeader: break
        }
        if let sizes = resource.pageSizes {
            page.url = page.url.settingQuery(sizes.parameter, to: String(size ?? sizes.maximum))
        }
        return page
    }

    private func address(of parent: BoundParent?) throws(Failure) -> HTTPURL {
        guard let parent else { return try resource.source.baseURL.appending(path: resource.path) }
        return try RequestRoute(
            resource.method, resource.path, under: resource.source.baseURL, parameters: parent.values
        ).url
    }

    /// The page after `page`.
    ///
    /// - Parameters:
    ///   - paging: declared, or detected on the first page of the listing.
    ///   - answer: the page's header fields, record count and envelope.
    ///   - extent: what the answer reports about its listing.
    func next(
        after page: PageRequest, by paging: Paging, _ answer: PageAnswer, _ extent: ListingExtent? = nil
    ) throws(Failure) -> Step {
        let report = resource.stop.report(in: answer)
        if case .isLast? = report { return .end }
        if resource.stop.endsOnEmptyPage, answer.recordCount == 0 { return .end }
        let isMore = report != nil || paging.isLinked(answer)
        let extent = extent ?? ListingExtent(answer, recordsAt: .root)
        // Some origins name a next page on every page, without end.
        if answer.recordCount == 0, !isMore, extent.saysEnd { return .end }
        // Behind a full last page some origins have no empty one, but an error.
        if !isMore, isLast(page, paging, answer, extent) { return .end }
        guard
            var following = try turned(page, by: paging, answer, isMore || mayBeFollowed(page, paging, answer, extent))
        else {
            guard case .isMore(let path)? = report else { return .end }
            return .incomplete("\(path) reports more pages, but no next page was found by \(paging)")
        }
        let names = resource.source.authorization.secretQueryNames
        let secrets = RepeatedSecrets(answer.secrets, named: names, askedFor: page.url, page.body)
        following.url = try checked(secrets.removed(from: following.url), after: page)
        try secrets.check(following.body)
        (following.number, following.offset) = (page.number + 1, page.offset + answer.recordCount)
        return bounded(following, after: page)
    }

    /// The page after one that answered 304: the page that its current header fields name, else the stored one.
    ///
    /// A new page may follow without a change of this page's bytes, so its validators alone must not end the listing.
    func next(
        afterUnchanged page: PageRequest, by paging: Paging, _ answer: PageAnswer, _ extent: ListingExtent? = nil,
        stored: PageRequest?, from source: NextPageSource? = nil
    ) throws(Failure) -> Step {
        // A 304 has no body, so a next page named in the body comes from the store.
        if !paging.isByBody(with: resource.stop) {
            if paging.isNumbered, stored == nil, source == .nowhere { return .end }
            let named = try next(
                after: page, by: paging == .automatic ? answer.detectPaging() : paging, answer, extent)
            if named != .end { return named }
        }
        guard var following = stored else { return .end }
        // Pages may have come before it, or grown, since it was stored.
        (following.number, following.offset) = (page.number + 1, page.offset + answer.recordCount)
        return bounded(following, after: page)
    }

    /// `following`, unless `page` reached the resource's `max_pages`.
    func bounded(_ following: PageRequest, after page: PageRequest) -> Step {
        if let most = resource.stop.maxPages, page.number >= most { return .stopped("max_pages (\(most)) reached") }
        return .page(following)
    }

    /// The request for the next page; nil if there is none.
    ///
    /// - Parameter isMore: whether a numbered page with records is not the last.
    private func turned(
        _ page: PageRequest, by paging: Paging, _ answer: PageAnswer, _ isMore: Bool
    ) throws(Failure) -> PageRequest? {
        switch paging {
        case .none, .automatic: return nil
        case .linkHeader:
            return try answer.link().map { (text) throws(Failure) in try Self.resolved(text, from: page, answer) }
        case .nextURL(let path):
            return try answer.nextReference(at: path)
                .map { (text) throws(Failure) in try Self.resolved(text, from: page, answer) }
        case .cursor(let path, let parameter):
            return try answer.token(at: path)
                .map { (token) throws(Failure) in try page.setting(parameter, to: token, resource) }
        case .lastRecord(let path, let parameter):
            return try lastRecord(path, parameter, page, answer)
        case .headerCursor(let name, let parameter):
            guard let token = answer.headerFields[name], !token.isEmpty else { return nil }
            return try page.setting(parameter, to: .text(token), resource)
        case .nextHeader(let name):
            guard let value = answer.headerFields[name], !value.isEmpty else { return nil }
            guard value.allSatisfy(\.isNumber) else { return try Self.resolved(value, from: page, answer) }
            return try page.setting("page", to: .number(value), resource)
        case .page(let numbers):
            guard isMore, answer.recordCount > 0 else { return nil }
            return try page.setting(numbers.parameter, to: .number(String(numbers.start + page.number)), resource)
        case .offset(let offsets):
            guard isMore, answer.recordCount > 0 else { return nil }
            let seen = page.offset + answer.recordCount
            // After a short page that is not the last, the next record follows those seen so far.
            let step = offsets.limit.map { min($0 * page.number, seen) } ?? seen
            return try page.setting(offsets.parameter, to: .number(String(offsets.start + step)), resource)
        }
    }

    /// The page at an address that the origin names, relative to the URL of its answer (RFC 3986 §5.1.3). An invalid one is a
    /// fault of the origin, not of the config.
    private static func resolved(
        _ reference: String, from page: PageRequest, _ answer: PageAnswer
    ) throws(Failure) -> PageRequest {
        // Error messages must not show credentials.
        let hasSecret = answer.secrets.contains { RepeatedSecrets.holds(reference, $0) }
        // A header field's invalid UTF-8 was replaced by now, so the URL would be a different one.
        guard !reference.unicodeScalars.contains("\u{FFFD}") else {
            throw Failure(
                .contract, phase: .answered,
                detail:
                    "the address of the next page is not UTF-8: "
                    + (hasSecret ? "…" : PlainText.oneLine(reference, limit: 200)))
        }
        var next = page
        let base = answer.url.flatMap { $0.origin == page.url.origin ? $0 : nil } ?? page.url
        do throws(Failure) { next.url = try base.resolve(reference) } catch {
            let why = hasSecret ? "it repeats a credential of the source, so it was not requested" : error.detail ?? ""
            throw Failure(.contract, phase: .answered, detail: "the address of the next page: \(why)")
        }
        return next
    }

    private func lastRecord(
        _ path: JSONPath, _ parameter: Paging.Parameter, _ page: PageRequest, _ answer: PageAnswer
    ) throws(Failure) -> PageRequest? {
        guard answer.recordCount > 0 else { return nil }
        guard let token = answer.lastRecord?.token else {
            throw Failure(
                .contract, phase: .answered,
                detail: "the last record has no value at \(path) for the next page")
        }
        return try page.setting(parameter, to: token, resource)
    }

    /// Whether the origin shows in two ways that a numbered page is the last: null at a usual place of a next URL, as many
    /// records as it reports, as many pages. One alone may be a member that it never fills, or a number that means something else.
    private func isLast(
        _ page: PageRequest, _ paging: Paging, _ answer: PageAnswer, _ extent: ListingExtent
    ) -> Bool {
        guard paging.isNumbered else { return false }
        let isCounted = extent.total.map { $0.count <= paging.recordsRead(through: page, answer) } ?? false
        let isNumberedLast = extent.pages.map { $0.count <= paging.pagesRead(through: page) } ?? false
        return [answer.saysNoNext, isCounted, isNumberedLast].count { $0 } >= 2
    }

    /// Whether a numbered page may not be the last.
    ///
    /// A page may be short though others follow: the origin's maximum may be below the declared size, and some origins filter a
    /// page after they cut it. So a short page is the last one only if the origin reports the end, or as many records or pages as
    /// were read; or if earlier pages had links and it has none. Otherwise the page behind it shows whether it was.
    private func mayBeFollowed(
        _ page: PageRequest, _ paging: Paging, _ answer: PageAnswer, _ extent: ListingExtent
    ) -> Bool {
        guard let declared = paging.pageSize, answer.recordCount < declared else { return true }
        guard !isDecidedByRule(answer, extent) else { return false }
        let total = total(through: page, answer, extent)
        return total == nil && extent.pages == nil
            || total ?? 0 > paging.recordsRead(through: page, answer)
            || extent.pages?.count ?? 0 > paging.pagesRead(through: page)
    }

    /// The number of records that the answer reports; nil also if more were read from the declared start on: then it counts something
    /// else, such as the records of the page.
    private func total(through page: PageRequest, _ answer: PageAnswer, _ extent: ListingExtent) -> Int? {
        let read = page.offset + answer.recordCount - answer.repeatedCount
        return extent.total.map(\.count).flatMap { $0 < read ? nil : $0 }
    }

    /// Whether a page is a short numbered one, and nothing on it says whether it is the last.
    func isUndecided(
        _ page: PageRequest, _ paging: Paging, _ answer: PageAnswer, _ extent: ListingExtent
    ) -> Bool {
        guard let declared = paging.pageSize, answer.recordCount < declared, !isDecidedByRule(answer, extent) else {
            return false
        }
        return total(through: page, answer, extent) == nil && extent.pages == nil && extent.estimate == nil
            && extent.more == nil
            && extent.nextPages.isEmpty && !paging.isLinked(answer)
    }

    private func isDecidedByRule(_ answer: PageAnswer, _ extent: ListingExtent) -> Bool {
        let stop = resource.stop
        return stop.trustsEnd || stop.report(in: answer) != nil || extent.saysEnd || answer.wasLinked
    }

    /// A next link must stay on the configured origin.
    private func checked(_ url: HTTPURL, after page: PageRequest) throws(Failure) -> HTTPURL {
        guard url.origin == resource.source.baseURL.origin else {
            throw Failure(
                .contract, phase: .answered,
                detail:
                    "the next page is at \(url.origin), outside the source's \(resource.source.baseURL.origin)",
                underlying: ForeignNextPage(page: page.url, next: url))
        }
        return url
    }
}

extension PageRequest {
    /// Sets a pagination parameter in the page's query or body.
    fileprivate func setting(
        _ parameter: Paging.Parameter, to value: EnvelopeScalar, _ resource: AnyResource
    ) throws(Failure) -> PageRequest {
        var page = self
        switch parameter {
        case .query(let name): page.url = url.settingQuery(name, to: try value.text(as: "a query"))
        case .body(let path):
            let body = PageBody(text: body ?? "", encoding: resource.searchBody?.encoding ?? .json)
            page.body = try body.setting(path, to: value)
        }
        return page
    }
}
