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
    private let reader: PageReader
    private let nextPageRule: NextPageRule
    private let context: ChainContext
    private let wallClock: WallClock
    private let credentials: PageCredentials
    private let resuming: ResumingTransport

    /// - Parameter partial: what arrived of the first page to fetch.
    init(
        _ resource: AnyResource, isConditional: Bool, transport: any Transport, resuming partial: PartialAnswer? = nil,
        budget: BudgetUse?,
        in environment: Environment, context: ChainContext
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
        reader = PageReader(
            records: resource.records, key: resource.key, columns: resource.schema.columns.map(\.path),
            envelope: nextPageRule.envelopePaths, limits: resource.source.jsonLimits, readsSurroundings: true)
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
                let fetched = try await askAgainIfRefused(
                    request, isWhole ? nil : known, stored: known, paging, listing)
                guard !isWhole, fetched.isEndUnchanged, !fetched.namesNextUnchanged,
                    let known, listing.mayHideNext(behind: request, known, now: wallClock.now)
                else { return fetched }
                return try await ask(request, nil, stored: known, paging, listing)
            }
            if case .notModified = fetched.content { fetched.stored = stored }
            fetched.requests = counter.value - before
            // A transport that sends nothing over a network counts the body alone.
            if traffic.total > 0 { fetched.bytes = traffic.total }
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
            failed.partial = resuming.partial
            throw failed
        }
    }

    /// Asks for a page, and once more without `condition` if the origin answers 400: some refuse a condition that they cannot
    /// read, though they gave the validator themselves, and would refuse the page for ever. A rule of the config takes
    /// precedence.
    private func askAgainIfRefused(
        _ page: PageRequest, _ condition: StoredPage?, stored: StoredPage?, _ paging: Paging,
        _ listing: Listing
    ) async throws(Failure) -> Page {
        do throws(Failure) { return try await ask(page, condition, stored: stored, paging, listing) } catch {
            guard condition != nil, error.status == 400, resource.source.rule(for: error, of: .fetch) == nil else {
                throw error
            }
            return try await ask(page, nil, stored: stored, paging, listing)
        }
    }

    private func ask(
        _ page: PageRequest, _ condition: StoredPage?, stored: StoredPage?, _ paging: Paging,
        _ listing: Listing
    ) async throws(Failure) -> Page {
        let sentAt = wallClock.now
        let response = try await chain.process(PageQuery(page: page, stored: condition), context)
        var fetched =
            if let bytes = response.bytes { try read(page, bytes, response, paging, listing) } else {
                try unchanged(page, stored, response, paging, listing)
            }
        fetched.requestedAt = originTime(response.response.headerFields, sentAt: sentAt)
        if response.url.origin != page.url.origin {
            fetched.answeredAt = Redaction.url(response.url, also: resource.source.authorization.secretQueryNames)
        }
        return fetched
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
            failure: failure.at(method: resource.method.rawValue, url: url), page: page, requests: requests,
            bytes: bytes)
    }

    /// The failure of a page that was read, and violates the contract.
    func fault(_ message: String, of page: Page) -> PageFailure {
        failure(
            Failure(.contract, phase: .answered, detail: message), of: page.request, requests: page.requests,
            bytes: page.bytes)
    }

    /// Handles an answer without a body. A 304 takes next page and record count from the store; 204 and 205 are pages without
    /// records.
    private func unchanged(
        _ page: PageRequest, _ stored: StoredPage?, _ response: LoadedResponse, _ paging: Paging,
        _ listing: Listing
    ) throws(Failure) -> Page {
        let fields = response.response.headerFields
        let status = response.response.status.code
        guard status == 304 else { return try empty(page, response, paging, listing) }
        guard let stored else {
            throw Failure(.protocolViolation, phase: .answered, detail: "304 to an unconditional request")
        }
        let answer = answer(response, to: page, recordCount: stored.recordCount, of: listing)
        let extent = ListingExtent(answer, recordsAt: .root)
        let step = try nextPageRule.next(
            afterUnchanged: page, by: paging, answer, extent, stored: stored.next, from: stored.nextPageSource)
        var unchanged = Page(
            request: page, content: .notModified(recordCount: stored.recordCount), status: status,
            etag: fields.entityTag ?? stored.etag, lastModified: fields[.lastModified] ?? stored.lastModified,
            step: step, paging: paging, requests: 0, bytes: 0)
        unchanged.freshness = freshness(fields)
        unchanged.nextPageSource = stored.nextPageSource
        (unchanged.highWaterMark, unchanged.digest) = (stored.highWaterMark, stored.digest)
        unchanged.namesNextUnchanged = paging.namesNext(in: answer) || paging.hasField(fields)
        checkEnd(of: &unchanged, answer, extent, listing)
        return unchanged
    }

    /// The page of an answer in which there is nothing to read.
    private func empty(
        _ page: PageRequest, _ response: LoadedResponse, _ paging: Paging, _ listing: Listing
    ) throws(Failure) -> Page {
        let (answer, status) = (
            answer(response, to: page, recordCount: 0, of: listing), response.response.status.code
        )
        let step = try nextPageRule.next(after: page, by: paging, answer)
        var empty = Page(
            request: page, content: .records([], []), status: status,
            step: Self.following(step, after: page, paging, "answered \(status)"), paging: paging, requests: 0,
            bytes: 0)
        // 204 says that there is nothing: that is an empty list.
        empty.hasNoList = status != 204
        empty.shortfall = shortfall(of: answer, status, recordsAt: .root)
        return empty
    }

    private func shortfall(of answer: PageAnswer, _ status: Int, recordsAt path: JSONPath) -> String? {
        resource.stop.trustsEnd ? nil : Shortfall(answer, status: status, recordsAt: path)?.why
    }

    private func answer(
        _ response: LoadedResponse, to page: PageRequest, recordCount: Int, of listing: Listing
    ) -> PageAnswer {
        var answer = PageAnswer(
            headerFields: response.response.headerFields, recordCount: recordCount, envelope: [:], url: response.url,
            secrets: credentials.values)
        (answer.requestBody, answer.resource) = (page.body, resource.name)
        answer.isUnchanged = response.response.status == .notModified
        (answer.repeatedCount, answer.wasLinked) = (
            listing.repeatedCount(with: []), listing.nextPageSource == .header
        )
        return answer
    }

    /// The next page after an answer without a list. For numbered pages such an answer is normal behind the last page. But if
    /// the previous page named this one, it should have records.
    private static func following(
        _ step: Step, after page: PageRequest, _ paging: Paging, _ what: String
    ) -> Step {
        switch paging {
        case .page, .offset, .lastRecord: return step
        default:
            return page.number == 1 ? step : .incomplete("page \(page.number) \(what) instead of a list of records")
        }
    }

    private func read(
        _ page: PageRequest, _ bytes: [UInt8], _ response: LoadedResponse, _ paging: Paging, _ listing: Listing
    ) throws(Failure) -> Page {
        let fields = response.response.headerFields
        guard response.response.status.code != 206 else {
            throw Failure(.contract, phase: .answered, detail: "206: a part of a page, though no part was requested")
        }
        // Whatever it is called, an array is no list of lines.
        let hasLines = resource.records == nil && fields.nameLines && bytes.first != UInt8(ascii: "[")
        let reader = hasLines ? reader.forLines : reader
        let contents: PageContents
        do { contents = try self.contents(of: bytes, fields, by: reader) } catch {
            // Where the answer is not there yet, anything may stand in its place.
            guard response.response.status == .accepted else { throw error }
            return try empty(page, response, paging, listing)
        }
        let kept = try kept(contents, of: bytes, fields, by: reader)
        var answer = answer(response, to: page, recordCount: contents.records.count, of: listing)
        try answer.read(
            contents, of: bytes, nextPageRule.envelopePaths, nextAt: resource.paging.nextPlaces,
            tokenAt: nextPageRule.tokenPath)
        if case .lastRecord(let path, _) = paging, let last = contents.records.last {
            answer.lastRecord = try Envelope.value(at: path, of: last, in: bytes)
        }
        let chosen =
            paging == .automatic ? answer.detectPaging(hasBody: resource.searchBody?.encoding == .json) : paging
        let digests = chosen == .none ? nil : RecordDigests(kept.records, of: kept.bytes)
        answer.repeatedCount = listing.repeatedCount(with: digests?.each ?? [])
        let extent = ListingExtent(answer, recordsAt: contents.recordsPath)
        var fetched = Page(
            request: page, content: .records(kept.bytes, kept.records), status: response.response.status.code,
            etag: fields.entityTag, lastModified: reliableDate(fields),
            step: try nextPageRule.next(after: page, by: chosen, answer, extent), paging: chosen, requests: 0,
            bytes: bytes.count)
        (fetched.isOneRecord, fetched.hasLines) = (contents.isOneRecord, reader.readsLines)
        if !contents.hasList {
            fetched.hasNoList = true
            fetched.step = Self.following(fetched.step, after: page, chosen, "has null")
        }
        fetched.isUndecided = nextPageRule.isUndecided(chosen, answer, extent)
        fetched.shortfall = shortfall(of: answer, fetched.status, recordsAt: contents.recordsPath)
        fetched.freshness = freshness(fields)
        fetched.nextPageSource =
            chosen == .none || (fetched.step == .end && chosen.isNumbered && !answer.wasLinked)
            ? .nowhere : chosen.isByHeader || chosen.needsLink(answer) ? .header : .body
        checkEnd(of: &fetched, answer, extent, listing)
        fetched.cursor = resource.cursor.map {
            PageCursor(contents.records, of: bytes, answer, by: $0, now: wallClock.now)
        }
        fetched.highWaterMark = fetched.cursor?.highWaterMark
        (fetched.digest, fetched.recordDigests) = (digests?.whole, digests?.each ?? [])
        return fetched
    }

    /// Takes a page that leads nowhere for the end only if the origin reports no more.
    private func checkEnd(
        of fetched: inout Page, _ answer: PageAnswer, _ extent: ListingExtent, _ listing: Listing
    ) {
        // That of the page alone says nothing about the listing.
        fetched.total = extent.total.flatMap { $0.count == answer.recordCount ? nil : $0 }
        guard fetched.step == .end else { return }
        fetched.step =
            ListingEnd(
                resource: resource, page: fetched.request, paging: fetched.paging, answer: answer, extent: extent,
                totalSoFar: listing.total
            ).step
    }

    /// `Last-Modified`, if it is a reliable validator: not if a later change could fall into the same second (RFC 9110
    /// §8.8.2.2). An ETag takes precedence over it.
    private func reliableDate(_ fields: HTTPFields) -> String? {
        let text = fields[.lastModified]?.nonEmpty
        guard let text, fields.entityTag == nil else { return text }
        guard let changed = HTTPDate.secondsSince1970(text) else { return text }
        let answered = fields[.date].flatMap(HTTPDate.secondsSince1970) ?? wallClock.now.secondsSince1970
        return answered - changed >= 1 ? text : nil
    }

    private func freshness(_ fields: HTTPFields) -> ListingFreshness {
        ListingFreshness(fields, isCached: resource.isConditional, now: wallClock.now)
    }

    /// The page without the dropped members, which are not stored. Paging and cursor use the original.
    private func kept(
        _ contents: PageContents, of bytes: [UInt8], _ fields: HTTPFields, by reader: PageReader
    ) throws(Failure) -> (bytes: [UInt8], records: [RecordSlice]) {
        let removal = MemberRemoval(resource.schema.transforms.dropped)
        let rest =
            removal.isEmpty ? nil : bytes.withUnsafeBytes { removal.applied(to: contents.records.map(\.range), in: $0) }
        guard let rest else { return (bytes, contents.records) }
        return (rest, try self.contents(of: rest, fields, by: reader).records)
    }

    private func contents(
        of bytes: [UInt8], _ fields: HTTPFields, by reader: PageReader
    ) throws(Failure) -> PageContents {
        do throws(PageFault) {
            return try bytes.withUnsafeBufferPointer { (page) throws(PageFault) -> PageContents in
                try reader.read(UnsafeRawBufferPointer(page))
            }
        } catch {
            var detail = error.description
            if let type = fields[.contentType], !type.lowercased().contains("json") {
                detail += "; the origin calls it '\(PlainText.oneLine(type, limit: 60))'"
            }
            throw Failure(.contract, phase: .answered, detail: detail, underlying: error)
        }
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
                let route = Route(resource.method, query.page.url)
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
