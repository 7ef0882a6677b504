internal import HTTPTypes
internal import SidingChain
internal import SidingPaging

/// Walks one listing from its current page to its end. It fetches the next page while it saves the current one.
struct ListingRun: Sendable {
    let sync: ResourceSync
    let fetcher: PageFetcher
    let start: CursorStart
    /// The stored cursor at the time the listing was opened.
    let stored: String?

    private var resource: AnyResource { sync.resource }
    private var options: SyncOptions { sync.options }
    private var store: Store { sync.engine.store }

    /// How the walk ended.
    enum End: Sendable {
        case complete
        /// Stopped before its end, why, and what to do about it.
        case cut(String, remedy: String?)
        /// Stopped where it was asked to, and why.
        case stopped(String)
        /// Stopped by a failure that a rule ignores.
        case ignored(String)
        case failed(PageFailure)
    }

    struct Walked: Sendable {
        var end = End.complete
        /// What the saved pages counted, and the requests of the page that failed.
        var counters = RunCounters()
        var paging: Paging?
        /// Whether the page saved last has a record per line.
        var hasLines = false
        /// Whether any page was saved, so that a refusal is not the first answer of the origin.
        var hasPages = false
        /// Warnings about the cursor.
        var warnings: [String] = []
        /// Why the page of a new size was not saved; see ``NextPageRule/misplacement(of:)``.
        var misplacement: String?
        /// Whether the page of a new size had no records, which is no page of that size.
        var isSizeRefused = false
        /// Whether the page saved last answered 304, so that the next page was taken from the store.
        var isNextFromStore = false

        fileprivate func ended(_ end: End, _ warnings: [String]) -> Walked {
            var result = self
            result.end = end
            result.warnings += warnings
            if case .failed(let failure) = end {
                result.counters.requests += failure.requests
                result.counters.bytes += failure.bytes
            }
            return result
        }
    }

    /// Walks from `position` on.
    func walk(from position: ListingPosition) async throws(StoreError) -> Walked {
        var (result, start) = (Walked(), start)
        // What changed since the listing began may be on the pages that were read before.
        if start.began != nil, let began = position.startedAt { start.began = began }
        var freshness = position.freshness
        var highWaterMark = HighWaterMark(
            resource.cursor, start: start, stored: stored, reached: position.cursor.reached,
            waits: position.cursor.waits, isResumed: position.page.number > 1)
        var loops = LoopDetector()
        var sizing = sync.sizing
        var pagination = KnownNextPage()
        // Behind the first page only: the listing before this one may have been of another definition.
        if position.page.number > 1, position.nextPageSource != .nowhere {
            pagination.nextPageSource = position.nextPageSource
        }
        var fetched = await fetch(position.page, paging: resource.paging, pagination: pagination, highWaterMark)
        while true {
            let page: FetchedPage
            switch fetched {
            case .storeFailed(let error): throw error
            case .failed(let failure): return result.ended(.failed(failure), highWaterMark.warnings)
            case .page(let success):
                if position.resizedFrom != nil, let fault = sizeFault(of: success, &result) {
                    return result.ended(.failed(fault), highWaterMark.warnings)
                }
                highWaterMark.checkOrder(of: success)
                page = bounded(success, &loops, after: pagination, result.counters, highWaterMark)
            }
            sizing?.readPage(of: NextPageRule(resource: resource).size(of: page.page), isWhole: page.content.isWhole)
            pagination.update(with: page)
            if page.page.number == 1 { freshness = page.freshness }
            let commit = commit(
                page, position, isFirst: !result.hasPages, highWaterMark.move(with: page), freshness, sizing)
            guard case .page(let next) = page.next, !Task.isCancelled else {
                let fault = try await save(commit, page, &result)
                return result.ended(fault.map(End.failed) ?? Self.end(page), highWaterMark.warnings)
            }
            let warnings = highWaterMark.warnings
            async let upcoming = fetch(next, paging: page.paging, pagination: pagination, highWaterMark)
            if let fault = try await save(commit, page, &result) { return result.ended(.failed(fault), warnings) }
            fetched = await upcoming
        }
    }

    /// The fault of a page of a new size that the origin did not keep to.
    private func sizeFault(of page: FetchedPage, _ result: inout Walked) -> PageFailure? {
        if !result.hasPages, page.recordCount == 0 {
            result.isSizeRefused = true
            return fetcher.fault("a page of another size has no records", of: page)
        }
        result.misplacement = NextPageRule(resource: resource).misplacement(of: page, isFirst: !result.hasPages)
        return result.misplacement.map { fetcher.fault($0, of: page) }
    }

    private static func end(_ page: FetchedPage) -> End {
        switch page.next {
        case .end: .complete
        case .cut(let why): .cut(why, remedy: page.evidenceOfMore?.remedy)
        case .stopped(let why): page.isIgnored ? .ignored(why) : .stopped(why)
        case .page(let next):
            .failed(PageFailure(failure: Failure(.cancelled, phase: .notSent), page: next, requests: 0))
        }
    }

    /// The result of a fetch. It is a value, as the fetch runs beside a save.
    private enum Fetched: Sendable {
        case page(FetchedPage)
        case failed(PageFailure)
        case storeFailed(StoreError)
    }

    private func fetch(
        _ page: PageRequest, paging: Paging, pagination: KnownNextPage, _ highWaterMark: HighWaterMark
    ) async -> Fetched {
        let (stored, newest): (StoredPage?, Int64)
        do throws(StoreError) {
            (stored, newest) = try await store.beforeRequest(
                of: page, of: resource.name, looksForRow: !options.isFull && !options.isAdHoc)
        } catch { return .storeFailed(error) }
        var pagination = pagination
        pagination.isBehind = highWaterMark.isPast(unchanged: stored?.highWaterMark)
        do throws(PageFailure) {
            var fetched = try await WorkSpan.ofPage(page, of: resource, on: sync.engine.environment.clock) {
                () async throws(PageFailure) in
                try await fetcher.fetch(page, stored: stored, paging: paging, pagination: pagination)
            }
            fetched.requestedAfter = newest
            return .page(fetched)
        } catch {
            let asksFromCursor = self.stored != nil && start.from != nil
            return error.takenAsPage(paging, of: resource, asksFromCursor: asksFromCursor).map(Fetched.page)
                ?? .failed(error)
        }
    }

    /// Ends the listing at this page if it loops, has reached the limit, or is past the requested range.
    private func bounded(
        _ page: FetchedPage, _ loops: inout LoopDetector, after pagination: KnownNextPage, _ counters: RunCounters,
        _ highWaterMark: HighWaterMark
    ) -> FetchedPage {
        var page = page
        page.highWaterMark = highWaterMark.value(for: page)
        if highWaterMark.isPast(page) {
            // A listing with an older cursor needs the pages behind this one, so a 304 must not make this the last page.
            switch page.next {
            case .page(let next): page.behind = next
            case .cut, .stopped: (page.etag, page.lastModified) = (nil, nil)
            case .end: break
            }
            (page.next, page.evidenceOfMore, page.lostNext) = (.end, nil, false)
        }
        if let loop = loops.closed(by: page.walked, after: pagination.before) {
            (page.next, page.evidenceOfMore) = (.cut(loop), nil)
        }
        guard let limit = options.limit, case .records(let bytes, let slices) = page.content else { return page }
        let room = limit - counters.saved
        if slices.count >= room {
            page.content = .records(bytes, Array(slices.prefix(max(room, 0))))
            page.next = .stopped("the limit of \(limit) records is reached")
        }
        return page
    }

    private func commit(
        _ page: FetchedPage, _ position: ListingPosition, isFirst: Bool, _ cursor: CursorMove?,
        _ freshness: ListingFreshness, _ sizing: PageSizing?
    ) -> PageCommit {
        let progress = PageCommit.Progress(
            next: page.next, cursor: cursor, freshness: freshness, nextPageSource: page.nextPageSource,
            behind: page.behind, highWaterMark: page.highWaterMark, digest: page.digest, lostNext: page.lostNext,
            sizing: sizing, asksWholeNext: page.evidenceOfMore != nil)
        return PageCommit(
            resource: resource.name, lease: sync.lease, run: sync.run, listing: position.listing, page: page.page,
            requestedAfter: page.requestedAfter, content: page.content, columns: resource.schema.columns.map(\.path),
            progress: options.isAdHoc ? nil : progress,
            unopened: isFirst ? position.unopened : nil, completes: isFirst ? position.entry?.id : nil,
            requests: page.requests, bytes: page.bytes, method: resource.method.rawValue, answeredAt: page.answeredAt,
            status: page.status, etag: page.etag, lastModified: page.lastModified,
            schema: options.isAdHoc ? resource.schema : nil, hasNoList: page.hasNoList, isOneRecord: page.isOneRecord,
            deletions: sync.deletionTerms)
    }

    /// - Returns: the fault of the page if it violates the contract, so that nothing of it was saved; else nil.
    private func save(
        _ commit: PageCommit, _ page: FetchedPage, _ result: inout Walked
    ) async throws(StoreError) -> PageFailure? {
        do throws(StoreError) { result.counters += try await store.commit(commit) } catch {
            guard error.kind == .contract else { throw error }
            return fetcher.fault(error.message, of: page)
        }
        result.hasPages = true
        result.isNextFromStore = if case .notModified = page.content { true } else { false }
        // A last page does not say how the pages before it named the next one.
        if page.paging != .none || page.page.number == 1 { result.paging = page.paging }
        result.hasLines = page.hasLines
        sync.engine.progress(SyncProgress(resource: resource.name, counters: result.counters, page: page.page.number))
        return nil
    }
}

extension PageFailure {
    /// Turns a failure into a page if possible. If a rule ignores or quarantines the answer, the listing ends there,
    /// incomplete. If the first page of a parent answers 404 or 410, its listing is empty.
    ///
    /// - Parameter asksFromCursor: whether the listing starts from a stored cursor: then it may be the cursor that is gone.
    fileprivate func takenAsPage(
        _ paging: Paging, of resource: AnyResource, asksFromCursor: Bool
    ) -> FetchedPage? {
        guard case .http(let answer) = failure.reason else { return nil }
        switch resource.source.rule(for: failure, of: .fetch)?.action {
        case .ignore:
            var ignored = taken(answer, .records([], []), next: .stopped("ignored: \(failure)"), paging)
            ignored.isIgnored = true
            return ignored
        case .quarantine:
            let content = PageCommit.Content.setAside(answer.body, reason: failure.description)
            return taken(answer, content, next: .stopped("quarantined: \(failure)"), paging)
        case nil
        where answer.statusClass == .gone && page.number == 1 && resource.forEach != nil
            && resource.deletions.byAbsence && !asksFromCursor:
            return taken(answer, .records([], []), next: .end, paging)
        default: return nil
        }
    }

    private func taken(
        _ answer: HTTPFailure, _ content: PageCommit.Content, next: NextPage, _ paging: Paging
    ) -> FetchedPage {
        FetchedPage(
            page: page, content: content, status: answer.status, next: next, paging: paging, requests: requests,
            bytes: bytes > 0 ? bytes : answer.body.count)
    }
}
