// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingPaging

/// Fetches the pages of one resource, one at a time, and reads them. It does not store.
struct PageFetcher: Sendable {
    let resource: AnyResource
    let isConditional: Bool
    private let chain: any Node<PageQuery, LoadedResponse>
    private let counter: RequestCounter
    let reader: PageReader
    let nextPageRule: NextPageRule
    private let context: ChainContext
    let wallClock: WallClock
    let credentials: PageCredentials
    private let resuming: ResumingTransport

    /// - Parameter partial: what arrived of the first page to fetch.
    init(
        _ resource: AnyResource, isConditional: Bool, transport: any Transport, resuming partial: PartialAnswer? = nil,
        budget: BudgetUse?,
        in environment: RuntimeEnvironment, context: ChainContext
    ) {
        self.resource = resource
        self.isConditional = isConditional
        self.context = context
        wallClock = environment.wallClock
        counter = RequestCounter()
        nextPageRule = NextPageRule(resource: resource)
        credentials = PageCredentials(resource.source.authorization)
        resuming = ResumingTransport(
            counter.counting(credentials.noting(transport)), resuming: partial, upTo: resource.source.transport.maxBody)
        chain = ChainAssembly(
            to: resource.source, for: .fetch, over: resuming, within: budget,
            in: environment
        ).page(of: resource)
        reader = Self.reader(of: resource, at: resource.records, nextPageRule)
    }

    private static func reader(of resource: AnyResource, at records: JSONPath?, _ rule: NextPageRule) -> PageReader {
        PageReader(
            records: records, key: resource.key, columns: resource.schema.columns.map(\.path),
            envelope: rule.envelopePaths, limits: resource.source.jsonLimits, readsSurroundings: true)
    }

    /// The reader of the next page: records that were found stand in the same place on all pages. Else an error on one of them,
    /// with a list of its own, would pass for records.
    func reader(for listing: Listing) -> PageReader {
        guard resource.records == nil, let found = listing.recordsPath else { return reader }
        return Self.reader(of: resource, at: found.appending(.each), nextPageRule)
    }

    /// Fetches the page of `listing` that `request` asks for; `stored` is its row, if there is one.
    func fetch(
        _ request: PageRequest, of listing: Listing, stored: StoredPage? = nil
    ) async throws(PageFailure) -> Page {
        let before = counter.value
        let paging = listing.paging.sized(nextPageRule.size(of: request))
        let known = isConditional ? stored.flatMap(resource.condition) : nil
        let isWhole = known.map { listing.asksWhole(request, $0, now: wallClock.now) } ?? false
        let traffic = TrafficMeter()
        resuming.expect(request.url.description)
        do throws(Failure) {
            var fetched = try await traffic.counting { () async throws(Failure) in
                guard !isWhole else { return try await askWhole(request, stored: known, paging, listing) }
                let fetched = try await askAgainIfRefused(request, known, paging, listing)
                // The 304 is about other content, as a date was the same: a change in the same second.
                if fetched.isOfAnotherEntity(than: known) {
                    return try await askWhole(request, stored: known, paging, listing)
                }
                guard fetched.isEndUnchanged, !fetched.namesNextUnchanged, let known,
                    listing.mayHideNext(behind: request, known, now: wallClock.now)
                else { return fetched }
                return try await askWhole(request, stored: known, paging, listing)
            }
            if case .notModified = fetched.content { fetched.stored = stored }
            fetched.requests = counter.value - before
            // A transport that sends nothing over a network counts the body alone.
            if traffic.total > 0 { fetched.bytes = traffic.total }
            fetched.waited = traffic.waited
            fetched.lostNext =
                request.number == 1 && fetched.step == .end && stored?.next != nil && !fetched.paging.isNumbered
            // All pages of a listing name their next page in the same place; only the last one does not show it.
            let endsByCount = fetched.paging.isNumbered && fetched.nextPageSource == .nowhere
            if fetched.nextPageSource != .header, !endsByCount, let known = listing.nextPageSource {
                fetched.nextPageSource = known
            }
            return fetched
        } catch {
            var failed = failure(error, of: request, requests: counter.value - before, bytes: traffic.total)
            (failed.partial, failed.waited) = (resuming.partial, traffic.waited)
            throw failed
        }
    }

    /// The statuses by which an origin may refuse a condition. Those about rights, or a record that is gone, are not among them.
    private static let refusalsOfCondition = [400, 405, 406, 412, 416, 417, 422, 428, 501]

    /// Asks for a page, and once more without `condition` if the origin answers such a status: some refuse a condition that they
    /// cannot read, though they gave the validator themselves, and would refuse the page for ever. A rule of the config takes
    /// precedence.
    private func askAgainIfRefused(
        _ page: PageRequest, _ condition: StoredPage?, _ paging: Paging, _ listing: Listing
    ) async throws(Failure) -> Page {
        do throws(Failure) { return try await ask(page, condition, stored: condition, paging, listing) } catch {
            guard condition != nil, case .http(let answer) = error.reason,
                Self.refusalsOfCondition.contains(answer.status), !answer.speaksOfLimit,
                resource.source.rule(for: error, of: .fetch) == nil
            else { throw error }
            // A 304 would be about another request.
            return try await ask(page, nil, stored: nil, paging, listing)
        }
    }

    /// Asks for a page in full whose 304 does not show whether it is the last. If it is, the next listing asks so at once.
    private func askWhole(
        _ page: PageRequest, stored: StoredPage?, _ paging: Paging, _ listing: Listing
    ) async throws(Failure) -> Page {
        var whole = try await ask(page, nil, stored: stored, paging, listing)
        if whole.step == .end, listing.nextPageSource == nil { whole.nextPageSource = .nowhere }
        return whole
    }

    private func ask(
        _ page: PageRequest, _ condition: StoredPage?, stored: StoredPage?, _ paging: Paging,
        _ listing: Listing
    ) async throws(Failure) -> Page {
        let sentAt = wallClock.now
        let response = try await answer(to: PageQuery(page: page, stored: condition))
        var fetched =
            if let bytes = response.bytes { try read(page, bytes, response, paging, listing) } else {
                try unchanged(page, stored, response, paging, listing)
            }
        fetched.requestedAt = originTime(response.response.headerFields, sentAt: sentAt)
        fetched.unreadableLimits = resource.source.unreadableLimits(in: response.response.headerFields, of: page.url)
        if response.url.origin != page.url.origin {
            fetched.answeredAt = Redaction.url(response.url, also: resource.source.authorization.secretQueryNames)
        }
        return fetched
    }

    /// - Throws: ``SidingChain/Failure/Reason/captivePortal`` also where a redirect may be one to a login page.
    private func answer(to query: PageQuery) async throws(Failure) -> LoadedResponse {
        do throws(Failure) { return try await chain.process(query, context) } catch {
            guard (error.underlying as? UnlistedOrigin)?.mayBePortal ?? false,
                resource.source.rule(for: error, of: .fetch) == nil
            else { throw error }
            throw Failure(.captivePortal, phase: .answered, detail: error.detail)
        }
    }

    /// When a request was sent, by the origin's own clock: its `Date`, minus the time that the answer took. The origin dates
    /// an answer when it sends it, and may have read the records long before.
    private func originTime(_ fields: HTTPFields, sentAt: Timestamp) -> Timestamp? {
        fields[.date].flatMap(HTTPDate.secondsSince1970).map { date in
            Timestamp(secondsSince1970: date) + (.zero - max(wallClock.now - sentAt, .zero))
        }
    }

    func failure(_ failure: Failure, of page: PageRequest, requests: Int, bytes: Int = 0) -> PageFailure {
        let url = Redaction.url(page.url, also: resource.source.authorization.secretQueryNames)
        return PageFailure(
            failure: failure.quotingOrigin(hiding: credentials.removed).at(method: resource.method.rawValue, url: url),
            page: page, requests: requests, bytes: bytes)
    }

    /// The failure of a page that was read, and violates the contract.
    func fault(_ message: String, of page: Page) -> PageFailure {
        failure(
            Failure(.contract, phase: .answered, detail: message), of: page.request, requests: page.requests,
            bytes: page.bytes)
    }
}

/// A page to fetch, conditionally if it is stored.
private struct PageQuery: Sendable {
    var page: PageRequest
    /// The stored page with its validators; nil for an unconditional request.
    var stored: StoredPage?
}

extension ChainAssembly {
    /// The chain that fetches the pages of `resource`, from page request to bytes.
    fileprivate func page(of resource: AnyResource) -> any Node<PageQuery, LoadedResponse> {
        chain(
            from: RequestRouterNode<PageQuery> { query in
                var fields: HTTPFields = [:]
                if let etag = query.stored?.etag { fields[.ifNoneMatch] = etag }
                if let lastModified = query.stored?.lastModified { fields[.ifModifiedSince] = lastModified }
                let route = RequestRoute(resource.method, query.page.url)
                guard let body = query.page.body else { return RequestDraft(route: route, headerFields: fields) }
                fields[.contentType] = resource.bodyType
                return RequestDraft(route: route, headerFields: fields, body: .bytes(Array(body.utf8)))
            },
            to: ResponseDataLoaderNode(limit: resource.source.transport.maxBody))
    }
}

extension HTTPFields {
    /// Whether the content has a JSON value per line: `application/x-ndjson`, `application/jsonl` and the like.
    package var nameLines: Bool {
        let type = self[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        return ["ndjson", "jsonl", "json-lines"].contains { type.contains($0) }
    }
}

extension Page {
    /// Whether it is unchanged by its own word, but with another entity tag than the stored page.
    fileprivate func isOfAnotherEntity(than stored: StoredPage?) -> Bool {
        guard case .notModified = content, let etag, let own = stored?.etag else { return false }
        return !etag.isSameEntity(as: own)
    }

    /// Whether it is an unchanged last page.
    fileprivate var isEndUnchanged: Bool {
        if case .notModified = content { step == .end } else { false }
    }
}

extension AnyResource {
    /// The validators for a conditional request; nil if the page must be fetched in full.
    ///
    /// A date is a weak validator (RFC 9110 §8.8.2.2): a record that moves onto the page may be older than its newest one. So
    /// if page membership matters, only the entity tag counts.
    func condition(_ stored: StoredPage) -> StoredPage? {
        var stored = stored
        if deletions.byAbsence { stored.lastModified = nil }
        // Earlier builds stored a list where an answer had several.
        stored.etag = stored.etag?.singleEntityTag
        return stored.etag ?? stored.lastModified == nil ? nil : stored
    }
}
