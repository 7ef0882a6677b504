// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingPaging

/// Reads answers as pages.
extension PageFetcher {
    /// Handles an answer without a body. A 304 takes next page and record count from the store; 204 and 205 are pages without
    /// records.
    func unchanged(
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
            etag: fields.entityTag ?? stored.etag, lastModified: fields.lastModified ?? stored.lastModified,
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
        empty.hasNoList = true
        empty.shortfall = shortfall(of: answer, response, recordsAt: .root)
        checkEnd(of: &empty, answer, ListingExtent(answer, recordsAt: .root), listing)
        return empty
    }

    /// Why the page is not whole, as a rule or the answer itself says; nil if neither does. `trust_end` overrules the answer.
    ///
    /// - Parameter lines: the lines of the page that lack a key.
    private func shortfall(
        of answer: PageAnswer, _ response: LoadedResponse, recordsAt path: JSONPath, lines: [JSONDocument] = []
    ) -> String? {
        if let ruled = ruledShortfall(of: response) { return ruled }
        guard !resource.stop.trustsEnd else { return nil }
        let inLine = lines.lazy.compactMap { Shortfall(line: $0, secrets: credentials.values) }.first
        return (inLine ?? Shortfall(answer, status: response.response.status.code, recordsAt: path))?.why
    }

    /// Which rule says that the page is not whole, with the sentence of the answer.
    private func ruledShortfall(of response: LoadedResponse) -> String? {
        guard let rule = resource.source.rule(keeping: response, of: .fetch) else { return nil }
        let start = Array((response.bytes ?? []).prefix(HTTPFailure.bodyLimit))
        let text = HTTPFailure(response.response, bodyStart: start).errorText(hiding: credentials.removed)
        return [rule.message, text].compactMap(\.self).joined(separator: ": ")
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

    func read(
        _ page: PageRequest, _ bytes: [UInt8], _ response: LoadedResponse, _ paging: Paging, _ listing: Listing
    ) throws(Failure) -> Page {
        let fields = response.response.headerFields
        guard !response.isWebPage(accepting: resource.source.headerFields[.accept]) else {
            throw Failure(.captivePortal, phase: .answered)
        }
        // Whatever it is called, an array is no list of lines.
        let hasLines = resource.records == nil && fields.nameLines && bytes.first != UInt8(ascii: "[")
        let reader = hasLines ? reader.forLines : reader(for: listing)
        let contents: PageContents
        do { contents = try self.contents(of: bytes, fields, by: reader) } catch {
            // Where the answer is not there yet, or not whole, anything may stand in its place.
            guard response.response.status == .accepted || ruledShortfall(of: response) != nil else { throw error }
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
        let isList = contents.hasList && !contents.isOneRecord && !reader.readsLines && !contents.records.isEmpty
        fetched.recordsPath = isList ? contents.recordsPath : nil
        if !contents.hasList {
            fetched.hasNoList = true
            fetched.step = Self.following(fetched.step, after: page, chosen, "has null")
        }
        fetched.hasUnusedLink = chosen != .linkHeader && answer.link() != nil
        fetched.isUndecided = nextPageRule.isUndecided(page, chosen, answer, extent)
        fetched.shortfall = shortfall(
            of: answer, response, recordsAt: contents.recordsPath,
            lines: reader.readsLines ? strangers(among: contents.records, in: bytes) : [])
        fetched.freshness = freshness(fields)
        fetched.nextPageSource = nextPageSource(of: fetched, answer)
        checkEnd(of: &fetched, answer, extent, listing)
        fetched.cursor = resource.cursor.map {
            PageCursor(contents.records, of: bytes, answer, by: $0, now: wallClock.now)
        }
        fetched.highWaterMark = fetched.cursor?.highWaterMark
        (fetched.digest, fetched.recordDigests) = (digests?.whole, digests?.each ?? [])
        return fetched
    }

    /// Where the next page is named on a page that was fetched in full.
    private func nextPageSource(of fetched: Page, _ answer: PageAnswer) -> NextPageSource {
        let paging = fetched.paging
        guard paging != .none, fetched.step != .end || !paging.isNumbered || answer.wasLinked else { return .nowhere }
        guard paging.isByHeader else { return paging.needsLink(answer) ? .header : .body }
        // Without the field here a 304 cannot show that it repeats it.
        return paging.namesNext(in: answer) || paging.hasField(answer.headerFields) ? .header : .nowhere
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
        let text = fields.lastModified
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
            if let text = originText(in: bytes, fields, besides: error) { detail += "; the origin says: \(text)" }
            throw Failure(.contract, phase: .answered, detail: detail, underlying: error)
        }
    }

    /// The lines that lack the key and share no member with the first record: one that shares some is a faulty record.
    private func strangers(among records: [RecordSlice], in bytes: [UInt8]) -> [JSONDocument] {
        func document(_ record: RecordSlice) -> JSONDocument? {
            try? JSONDocument(Array(bytes[record.range]), limits: resource.source.jsonLimits)
        }
        let lines = records.filter(\.lacksKey)
        guard !lines.isEmpty else { return [] }
        let known = records.first { !$0.lacksKey }.flatMap(document)?.namesWithValues ?? []
        return lines.compactMap(document).filter { $0.namesWithValues.isDisjoint(with: known) }
    }

    /// The sentence of an answer that has an error where its records should be; nil if it has none.
    private func originText(in bytes: [UInt8], _ fields: HTTPFields, besides fault: PageFault) -> String? {
        switch fault {
        case .noRecords, .membersAreRecords, .ambiguousRecords: break
        default: return nil
        }
        guard bytes.count <= HTTPFailure.bodyLimit else { return nil }
        return HTTPFailure(status: 200, headerFields: fields, body: bytes).errorText(hiding: credentials.removed)
    }
}

extension JSONDocument {
    /// The names of its members that are not null.
    fileprivate var namesWithValues: Set<String> { Set((members ?? []).filter { !$0.value.isNull }.map(\.name)) }
}

extension RecordSlice {
    /// Whether it has nothing at a path of its key.
    fileprivate var lacksKey: Bool {
        switch outcome {
        case .fault(.missingKey), .fault(.keyNotUsable(_, found: .null, offset: _)): true
        case .fault, .key: false
        }
    }
}
