// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingPaging

/// Syncs one listing: opens or resumes it, walks its pages, and reports how it ended. It asks once for larger pages if the
/// origin refuses smaller ones, and restarts once from the first page if necessary.
struct ListingSync {
    private(set) var sync: ResourceSync
    /// What is stored of it.
    let open: OpenResource
    private(set) var opening: ListingOpening
    private(set) var position: ListingPosition
    /// The range of the walk.
    private(set) var start: CursorStart
    /// The range of a listing that starts anew.
    private let fresh: CursorStart
    /// The stored cursor; nil once a rule resets it.
    private(set) var known: StoredCursor?
    private(set) var report: SyncReport

    var resource: AnyResource { sync.resource }
    var options: SyncOptions { sync.options }
    var engine: SyncEngine { sync.engine }

    /// - Throws: a ``Failure`` if no first request can be made.
    init(_ sync: ResourceSync, _ open: OpenResource) throws(Failure) {
        (self.sync, self.open, known) = (sync, open, open.cursor)
        start = CursorStart(sync.resource.cursor, stored: open.cursor, sync.options, now: sync.engine.now)
        fresh = start
        opening = try sync.opening(start)
        position = ListingPosition(listing: 0, page: opening.first, isResumed: false)
        report = SyncReport(sync.resource.name)
    }

    /// How many stored records the listing before lacked.
    var unlistedBefore: Int { open.row?.unlisted ?? 0 }

    /// Whether a page of the resource was ever saved.
    var isKnown: Bool { open.row.map { $0.requests > 0 || $0.completedAt != nil } ?? false }

    mutating func run() async throws(StoreError) -> SyncReport {
        // 0. Leave all as it is where the wait that the origin asked for is known already.
        if let report = try stillWaiting() { return report }
        // 1. Open the listing: at its retained page, at its checkpoint, or at its first page. A parent that is not asked keeps its
        // turn in the fan-out pass.
        let closed = open.gates.closing(resource.source.name, at: engine.now)
        if closed != nil { opening.parent?.pass = nil }
        position =
            if let unopened = try open.unopened(opening, now: engine.now) { unopened } else {
                try await engine.store.openListing(opening)
            }
        addNotes()
        // First, so that pages compare equal with what they showed before.
        if position.unopened == nil || open.row?.rewriteFrom != nil { try await sync.rewriteRecords(&report) }
        // 2. Wait if an operator or the origin says so.
        if let blocker = position.blockedBy { return blocked(by: blocker) }
        // Opening may have rewritten many records: another process may have closed the gate since.
        let gate: SourceGate? = if let closed { closed } else { try await gateAfterOpening() }
        if let gate { return try await waits(for: gate) }
        do throws(Failure) { try resume() } catch { return report.failed(error) }
        // 3. Walk its pages, and once more if the origin refuses their size.
        let partial = position.partial.map { (etag: $0.etag, count: $0.bytes.count) }
        var walked = try await walk()
        if let refusal = try await refuseSize(after: walked) {
            report.warn(refusal)
            report.add(walked)
            walked = try await walk()
        }
        // 4. Walk them again from the first page if the listing cannot go on where it was.
        let rule = walked.misplacement == nil ? rule(endingBy: walked) : nil
        let expired = await expiry(of: walked)
        if let reason = restartReason(walked, rule) ?? expired {
            start = fresh
            if rule?.action == .resetCursor {
                do throws(Failure) { try forgetCursor() } catch { return report.failed(error) }
            }
            position = try await engine.store.restartListing(opening, because: reason)
            report.warn("restarted: \(reason)")
            report.add(walked)
            walked = try await walk()
        }
        // 5. Report how it ended.
        return try await concluded(walked, after: partial)
    }

    mutating func count(requests: Int) { report.result.counters.requests += requests }

    private mutating func addNotes() {
        if !position.changedAspects.isEmpty {
            report.warn("the definition changed (\(position.changedAspects.names)): full listing")
        }
        report.add(opening: position.counters, in: sync.run)
        if let dropped = position.droppedCheckpoint { report.warn("restarted: \(dropped)") }
    }

    /// Resumes a listing as it began, at its page or at the cursor; see ``IncrementalCursor/resumesAtCursor``.
    private mutating func resume() throws(Failure) {
        report.isResumed = position.isResumed
        if position.isResumed { report.add(note: "resumed at page \(position.page.number)") }
        guard !options.isAdHoc else { return }
        let sized = sync.nextPageRule.sized(position.page)
        if sized != position.page { (position.page, position.resizedFrom) = (sized, position.page) }
        guard position.isResumed, position.page.number > 1 else { return start.resume(position.cursor) }
        guard start.resume(position.cursor, by: resource.cursor) else { return }
        report.add(note: "continues at the cursor instead of page \(position.page.number)")
        position.page = try sync.nextPageRule.first(from: start, for: sync.parent)
    }

    private mutating func walk() async throws(StoreError) -> ListingRun.Walked {
        let isConditional =
            resource.asksConditionally && !options.isFull && !options.isAdHoc && position.changedAspects.isEmpty
        let fetcher = PageFetcher(
            resource, isConditional: isConditional, transport: sync.transport, resuming: position.partial.take(),
            budget: sync.budget, in: engine.environment, context: sync.context)
        return try await ListingRun(
            sync: sync, fetcher: fetcher, start: start, stored: known?.value, first: opening.first,
            newest: open.row?.requests ?? 0
        )
        .walk(from: position)
    }

    /// Goes back to a larger page size if the origin refused the smaller one.
    ///
    /// The second walk knows no totals of the first one, and needs none to be safe: either no page was read in that one, or the
    /// listing was begun by another run, and then it deletes only together with the next one (``ListingEvidence``).
    ///
    /// - Returns: what to tell; nil if it did not, or if there is no larger page to ask for.
    private mutating func refuseSize(after walked: ListingRun.Walked) async throws(StoreError) -> String? {
        guard let failed = walked.failure, walked.isSizeRefused || failed.failure.isOfRequest else {
            return nil
        }
        return try await sync.refuseSize(of: failed.page, at: &position)
    }

    // MARK: Restart

    /// Lets the restarted listing begin as if there were no stored cursor.
    private mutating func forgetCursor() throws(Failure) {
        known = nil
        start = CursorStart(resource.cursor, stored: nil, SyncOptions(), now: engine.now)
        opening = try sync.opening(start)
        opening.forgetsCursor = true
    }

    /// Why the listing must start again from the first page, such as a checkpoint that the origin refuses; nil if not. It
    /// happens at most once.
    private func restartReason(_ result: ListingRun.Walked, _ rule: FailureRule?) -> String? {
        if let misplacement = result.misplacement { return misplacement }
        // A rule of the config takes precedence over the built-in one. One that says `empty` is about pages that exist.
        if let rule, rule.action != .empty {
            return rule.action == .resetCursor && !options.isAdHoc ? rule.message : nil
        }
        // After a 304 the next page came from the store, and may no longer exist.
        guard (result.hasPages && result.isNextFromStore) || (position.isResumed && !result.hasPages),
            let failed = result.failure,
            // The same request would have the same answer.
            result.hasPages || failed.page.address != opening.first.address
        else { return nil }
        return failed.endOfAddress
    }

    /// The rule that applies to the failure that ended the walk.
    private func rule(endingBy result: ListingRun.Walked) -> FailureRule? {
        result.failure.flatMap { resource.source.rule(for: $0.failure, of: .fetch) }
    }
}

extension ResourceSync {
    func opening(_ start: CursorStart) throws(Failure) -> ListingOpening {
        let rule = nextPageRule
        return ListingOpening(
            resource, options, lease: lease, run: run, first: try rule.first(from: start, for: parent),
            cursor: ListingCursor(from: start.from, moves: start.moves), parent: parent?.listing,
            root: parent.flatMap { rule.root(for: $0) })
    }
}

extension PageFailure {
    /// How the origin answered that the address no longer leads to a page, such as one whose token it has forgotten; nil if it
    /// did not. Some origins say so by a status, others by 200 and an error where the records should be.
    fileprivate var endOfAddress: String? {
        if failure.isOfRequest, let status = failure.status {
            return "the origin refused page \(page.number) with \(status)"
        }
        switch failure.underlying as? PageFault {
        case .noRecords, .membersAreRecords, .ambiguousRecords:
            return "page \(page.number) no longer has a list of records: \(failure.detail ?? failure.reason.name)"
        // What is not JSON is told by the first page; see ``ListingSync/expiry(of:)``. One that is too large is a page.
        case .syntax, .notUTF8, .repeatedName, .tooDeep, .tooManyValues, .tooManyRecords, .stringTooLong, .tooLarge,
            nil:
            return nil
        }
    }
}
