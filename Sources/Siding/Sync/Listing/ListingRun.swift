// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingPaging

/// Walks one listing from its current page to its end. It fetches the next page while it saves those that have arrived.
struct ListingRun: Sendable {
    let sync: ResourceSync
    let fetcher: PageFetcher
    let start: CursorStart
    /// The stored cursor at the time the listing was opened.
    let stored: String?
    /// The first page of the listing.
    let first: PageRequest
    /// The newest request of the resource; see ``Page/requestedAfter``.
    let newest: Int64

    private var resource: AnyResource { sync.resource }
    private var options: SyncOptions { sync.options }
    private var store: Store { sync.engine.store }

    struct Walked: Sendable {
        /// What followed the last page.
        var step = Step.end
        /// The failure that ended the walk; nil if none did.
        var failure: PageFailure?
        /// What the saved pages counted, and the requests of the page that failed.
        var counters = RunCounters()
        var paging: Paging?
        /// Whether the page saved last has a record per line.
        var hasLines = false
        /// Whether any page was saved, so that a refusal is not the first answer of the origin.
        var hasPages = false
        /// Warnings about the cursor.
        var warnings: [String] = []
        /// Why a page was not saved, and the listing restarts: it has not the size that was asked for
        /// (``NextPageRule/misplacement(of:)``), or the origin has forgotten it.
        var misplacement: String?
        /// Whether the page of a new size had no records, which is no page of that size.
        var isSizeRefused = false
        /// How long requests waited, as the origin or a limit asked.
        var waited = Duration.zero
        /// See ``Page/unreadableLimits``.
        var unreadableLimits: Set<String> = []
        /// Whether a page has records.
        var hasRecords = false
        /// Whether a page had a `Link` to the next one, and the paging does not follow links.
        var hasUnusedLink = false
        /// See ``Page/lostNext``.
        var hasLostNext = false
        /// Whether the page saved last answered 304, so that the next page was taken from the store.
        var isNextFromStore = false

        fileprivate mutating func note(_ page: Page) {
            waited += page.waited
            hasRecords = hasRecords || page.recordCount > 0
            unreadableLimits.formUnion(page.unreadableLimits)
            hasUnusedLink = hasUnusedLink || page.hasUnusedLink
            hasLostNext = hasLostNext || page.lostNext
        }

        fileprivate mutating func fail(_ failure: PageFailure) {
            self.failure = failure
            counters.requests += failure.requests
            counters.bytes += failure.bytes
            waited += failure.waited
        }
    }

    /// What happened beside the walk.
    private enum Event: Sendable {
        /// With the rows that were read for it and for pages behind it.
        case fetched(Fetched, [PageRequest.Address: StoredPage])
        case saved(SavedGroup)
    }

    /// The result of a fetch.
    private enum Fetched: Sendable {
        case page(Page)
        case failed(PageFailure)
        case storeFailed(StoreError)
    }

    /// The result of a commit.
    private struct SavedGroup: Sendable {
        var pages: [ListedPage] = []
        /// What each of them counted.
        var counters: [RunCounters] = []
        /// The newest request of the resource; nil if nothing was saved.
        var newest: Int64?
        /// The fault of a page that violates the contract, so that nothing of it was saved; nil if there is none.
        var fault: PageFailure?
        var failure: StoreError?
    }

    /// Walks from `position` on.
    func walk(from position: ListingPosition) async throws(StoreError) -> Walked {
        let walked = await withTaskGroup(of: Event.self, returning: Result<Walked, StoreError>.self) { tasks in
            var walk = Walk(
                Listing(
                    of: resource, limit: options.limit, at: position, from: start, stored: stored, sizing: sync.sizing),
                in: openListing(at: position), next: position.page, after: newest, on: sync.engine.environment.clock)
            while true {
                // 1. Pages that arrived while others were saved are saved together.
                if let pages = walk.takeGroup(on: sync.engine.environment.clock) {
                    tasks.addTask { [open = walk.open] in .saved(await save(pages, in: open)) }
                }
                // 2. The next page is fetched while they are saved: behind 1, as a full group lets no page in.
                if let request = walk.takeRequest(isLimited: options.limit != nil) {
                    tasks.addTask { [walk] in await fetch(request, in: walk) }
                }
                // 3. The walk is over when nothing is under way.
                switch await tasks.next() {
                case .fetched(let fetched, let stored)?:
                    (walk.isFetching, walk.stored) = (false, stored)
                    advance(&walk, fetched, position)
                case .saved(let saved)?:
                    walk.isSaving = false
                    if let error = saved.failure {
                        tasks.cancelAll()
                        return .failure(error)
                    }
                    add(saved, to: &walk)
                    if let fault = saved.fault {
                        tasks.cancelAll()
                        return .success(walk.ended(by: fault))
                    }
                case nil: return walk.storeFailure.map { .failure($0) } ?? .success(walk.ended(by: walk.failure))
                }
            }
        }
        return try walked.get()
    }

    /// The state of a walk.
    private struct Walk: Sendable {
        var listing: Listing
        var open: OpenListing
        var group = CommitGroup()
        var result = Walked()
        /// The page to request next; nil while it is unknown or requested.
        var next: PageRequest?
        /// Stored rows of pages, read ahead of their requests.
        var stored: [PageRequest.Address: StoredPage] = [:]
        /// The newest request of the resource, as of the last commit.
        var newest: Int64
        /// Whether the page read last answered 304, so that the next page was taken from the store.
        var isNextFromStore = false
        /// Whether no further page is requested.
        var isOver = false
        /// The failure of a request, or of the store before one; the pages that have arrived are saved all the same.
        var failure: PageFailure?
        var storeFailure: StoreError?
        var (isFetching, isSaving) = (false, false)
        private var sinceCommit: Stopwatch

        init(
            _ listing: Listing, in open: OpenListing, next: PageRequest, after newest: Int64,
            on clock: any Clock<Duration>
        ) {
            (self.listing, self.open, self.next, self.newest) = (listing, open, next, newest)
            sinceCommit = Stopwatch(clock)
        }

        /// The page to request now; nil if there is none.
        ///
        /// - Parameter isLimited: whether the number of saved records decides if there is a next page.
        mutating func takeRequest(isLimited: Bool) -> PageRequest? {
            guard !isOver, !isFetching, !group.isFull, !isLimited || (group.isEmpty && !isSaving) else { return nil }
            let request = next.take()
            isFetching = request != nil
            return request
        }

        /// The pages to save now; nil if there are none.
        mutating func takeGroup(on clock: any Clock<Duration>) -> [ListedPage]? {
            guard !isSaving, isOver ? !group.isEmpty : group.isDue(after: sinceCommit.elapsed()) else { return nil }
            (isSaving, sinceCommit) = (true, Stopwatch(clock))
            return group.removeAll()
        }

        func ended(by failure: PageFailure?) -> Walked {
            var result = result
            result.warnings += listing.warnings
            if let failure { result.fail(failure) }
            return result
        }
    }

    /// Advances the listing over the result of a fetch.
    private func advance(_ walk: inout Walk, _ fetched: Fetched, _ position: ListingPosition) {
        switch fetched {
        case .storeFailed(let error): (walk.isOver, walk.storeFailure) = (true, error)
        case .failed(let failure): (walk.isOver, walk.failure) = (true, failure)
        case .page(let page):
            if position.resizedFrom != nil, let fault = sizeFault(of: page, &walk) {
                (walk.isOver, walk.failure) = (true, fault)
                return
            }
            if let why = lossOfRecords(on: page, walk, position) {
                walk.result.misplacement = why
                (walk.isOver, walk.failure) = (true, fetcher.fault(why, of: page))
                return
            }
            walk.result.note(page)
            walk.isNextFromStore = !page.content.isWhole
            let listed = walk.listing.advance(page, afterSaving: walk.result.counters.saved)
            (walk.next, walk.result.step) = (listed.step.next, listed.step)
            if let next = walk.next, Task.isCancelled {
                walk.failure = PageFailure(failure: Failure(.cancelled, phase: .notSent), page: next, requests: 0)
            }
            walk.isOver = walk.next == nil || walk.failure != nil
            walk.group.append(listed)
        }
    }

    /// The fault of a page of a new size that the origin did not keep to.
    private func sizeFault(of page: Page, _ walk: inout Walk) -> PageFailure? {
        if !walk.listing.hasPages, page.recordCount == 0 {
            walk.result.isSizeRefused = true
            return fetcher.fault("a page of another size has no records", of: page)
        }
        walk.result.misplacement = NextPageRule(resource: resource).misplacement(
            of: page, isFirst: !walk.listing.hasPages)
        return walk.result.misplacement.map { fetcher.fault($0, of: page) }
    }

    /// Why a page that an earlier listing named is no evidence of the end: it has no records, and some origins answer so for a token
    /// that they have forgotten. Nil if it is.
    private func lossOfRecords(on page: Page, _ walk: Walk, _ position: ListingPosition) -> String? {
        let isNamedEarlier = walk.listing.hasPages ? walk.isNextFromStore : position.isResumed
        guard isNamedEarlier, page.isNewlyEmpty, page.step.next == nil, page.request.address != first.address,
            !resource.stop.trustsEnd, !resource.stop.endsOnEmptyPage
        else { return nil }
        switch resource.paging {
        // Only next pages that the origin names are detected.
        case .automatic, .nextURL, .linkHeader, .cursor, .headerCursor, .nextHeader:
            return "page \(page.request.number) has no records; an earlier listing named it"
        case .none, .page, .offset, .lastRecord: return nil
        }
    }

    // MARK: Fetching

    private func fetch(_ request: PageRequest, in walk: Walk) async -> Event {
        var rows = walk.stored
        if rows[request.address] == nil, !options.isFull, !options.isAdHoc, !walk.listing.isFirst {
            do throws(StoreError) { rows = try await store.storedPages(from: request, of: resource.name) } catch {
                return .fetched(.storeFailed(error), [:])
            }
        }
        let stored = rows.removeValue(forKey: request.address)
        return .fetched(await fetch(request, of: walk.listing, stored: stored, after: walk.newest), rows)
    }

    private func fetch(
        _ request: PageRequest, of listing: Listing, stored: StoredPage?, after newest: Int64
    ) async -> Fetched {
        do throws(PageFailure) {
            var page = try await WorkSpan.ofPage(request, of: resource, on: sync.engine.environment.clock) {
                () async throws(PageFailure) in try await fetcher.fetch(request, of: listing, stored: stored)
            }
            page.requestedAfter = newest
            page.isNewlyEmpty = page.recordCount == 0 && page.content.isWhole && stored?.recordCount != 0
            return .page(page)
        } catch {
            let asksFromCursor = self.stored != nil && start.from != nil
            // It may be the cursor, or the token of the checkpoint, that is gone, and then the records behind it are not.
            let mayBeForgotten =
                asksFromCursor && start.isRefused(error, first)
                || error.failure.isOfRequest && request.number > 1 && !listing.hasPages
            return error.takenAsPage(
                listing, of: resource, asksFromCursor: asksFromCursor, mayBeForgotten: mayBeForgotten
            ).map(Fetched.page) ?? .failed(error)
        }
    }

    // MARK: Saving

    private func openListing(at position: ListingPosition) -> OpenListing {
        OpenListing(
            resource: resource.name, lease: sync.lease, run: sync.run, number: position.listing, first: first,
            method: resource.method.rawValue, columns: resource.schema.columns.map(\.path),
            schema: options.isAdHoc ? resource.schema : nil, deletions: sync.deletionTerms,
            unopened: position.unopened, completes: position.entry?.id)
    }

    private func save(_ pages: [ListedPage], in open: OpenListing) async -> SavedGroup {
        do throws(StoreError) {
            let (counters, newest) = try await store.save(pages, in: open)
            return SavedGroup(pages: pages, counters: counters, newest: newest)
        } catch {
            guard error.kind == .contract, let first = pages.first else { return SavedGroup(failure: error) }
            guard pages.count > 1 else { return SavedGroup(fault: fetcher.fault(error.message, of: first.page)) }
        }
        // The pages before the one that violates the contract are saved.
        var (saved, open) = (SavedGroup(), open)
        for page in pages {
            let one = await save([page], in: open)
            saved.pages += one.pages
            saved.counters += one.counters
            saved.newest = one.newest ?? saved.newest
            (saved.fault, saved.failure) = (one.fault, one.failure)
            guard one.fault == nil, one.failure == nil else { break }
            open = open.afterFirstPage
        }
        return saved
    }

    private func add(_ saved: SavedGroup, to walk: inout Walk) {
        guard let last = saved.pages.last?.page else { return }
        walk.open = walk.open.afterFirstPage
        walk.newest = saved.newest ?? walk.newest
        walk.result.hasPages = true
        walk.result.isNextFromStore = if case .notModified = last.content { true } else { false }
        walk.result.hasLines = last.hasLines
        for (listed, counters) in zip(saved.pages, saved.counters) {
            walk.result.counters += counters
            let page = listed.page
            // A last page does not say how the pages before it named the next one.
            if page.paging != .none || page.request.number == 1 { walk.result.paging = page.paging }
            sync.engine.progress(
                SyncProgress(
                    resource: resource.name, counters: walk.result.counters, page: page.request.number))
        }
    }
}
