internal import HTTPTypes
internal import Logging
internal import SidingChain
internal import SidingCredentials
internal import SidingPaging

/// Syncs one resource, or the listing of one parent, under its lease: chooses where to start, opens the listing, and leaves
/// its pages to a `ListingAttempt` and its end to a `ListingConclusion`.
struct ResourceSync: Sendable {
    var engine: SyncEngine
    let resource: AnyResource
    var options: SyncOptions
    let lease: Lease
    let run: RunID
    /// The parent of the listing; nil if the resource has a single listing.
    var parent: BoundParent?
    /// How the pages of the listing got through so far; nil if their size stays the same.
    var sizing: PageSizing?

    var nextPageRule: NextPageRule { NextPageRule(resource: resource, size: sizing?.size) }

    // MARK: The whole resource

    /// Syncs the whole resource: its one listing, or one listing per parent.
    func runWhole() async throws(StoreError) -> SyncReport {
        let foreign = try await ForeignResource.error(
            for: resource, options, in: engine.store, file: engine.rateLimitStore)
        if let foreign {
            var report = SyncReport(resource.name, error: foreign)
            report.failure = Failure(.invalidRequest, phase: .notSent, detail: foreign.message)
            return report
        }
        let watch = ConfigChange(resource: resource, options: options, store: engine.store)
        let left = try await watch.filteredOut()
        if let left, let why = watch.refusal(left) { return refused(left.count, because: why) }
        let marked = try await watch.marked()
        if let marked, let why = watch.refusal(marked) { return refused(marked.count, because: why) }
        var report =
            if let forEach = resource.forEach {
                try await FanOut(sync: self, each: forEach).run()
            } else {
                try await runListing()
            }
        try await rewriteRecords(&report)
        if let marked, report.result.counters.deleted > 0 {
            report.warn(
                "'deletes' changed: \(marked.message), are deleted when pages contain them; 'siding records undelete "
                    + "\(run)' restores them")
        }
        if let caution = left?.caution { report.warn("\(caution): check the spelling") }
        let nullFiltered = report.result.counters.nullFiltered
        if nullFiltered > 0 {
            let were = MessageFormat.count(nullFiltered, "record was", plural: "records were")
            let them = nullFiltered == 1 ? "it" : "them"
            report.add(
                note:
                    "\(were) removed because 'where' is NULL for \(them); 'siding records undelete \(run)' "
                    + "restores \(them)")
        }
        return report
    }

    /// Rewrites the stored records as the config declares them since the last sync.
    private func rewriteRecords(_ report: inout SyncReport) async throws(StoreError) {
        let (name, logger) = (resource.name, engine.environment.logger)
        let rows = try await engine.store.rewriteRecords(of: name) { rows in
            logger.info("rewrote stored records", metadata: ["resource": "\(name)", "records": "\(rows)"])
        }
        guard rows > 0 else { return }
        let were = MessageFormat.count(rows, "stored record was", plural: "stored records were")
        report.add(note: "'columns' or 'drop' changed: \(were) rewritten")
    }

    /// The report of a sync that sends no request, as it would delete too many records.
    private func refused(_ count: Int, because why: String) -> SyncReport {
        var report = SyncReport(resource.name, .saved)
        report.result.counters.deletionsBlocked = count
        report.warn(
            "\(why), so nothing was requested or changed. To do it anyway: siding sync \(resource.name) "
                + "--accept-deletes")
        return report
    }

    // MARK: One listing

    /// Syncs one listing, with pages of the size that the line carries: opens or resumes it, walks its pages, and concludes.
    func runListing() async throws(StoreError) -> SyncReport {
        var sync = self
        sync.sizing = try await engine.store.pageSizing(of: resource, for: parent, isFull: options.isFull)
        var report = SyncReport(resource.name)
        let known = try await engine.store.cursor(of: resource, for: parent)
        let start = CursorStart(resource.cursor, stored: known, options, now: engine.now)
        let opening: ListingOpening
        do throws(Failure) { opening = try sync.opening(start) } catch { return report.failed(error) }
        let position = try await engine.store.openListing(opening)
        addNotes(on: position, to: &report)
        // First, so that pages compare equal with what they showed before.
        try await rewriteRecords(&report)
        if let blocker = position.blockedBy { return blocked(by: blocker, report) }
        if let gate = try await engine.store.gates().closing(resource.source.name, at: engine.now) {
            try await openWithoutPage(position)
            return try await sync.waits(for: gate, position, report)
        }
        var attempt = ListingAttempt(sync, opening, at: position, from: start, known: known)
        switch try await attempt.walk(&report) {
        case .success(let walked): return try await ListingConclusion(attempt: attempt, walked: walked).report(report)
        case .failure(let failure): return report.failed(failure)
        }
    }

    func openWithoutPage(_ position: ListingPosition) async throws(StoreError) {
        let store = engine.store
        try await uncancelled { () throws(StoreError) in try await store.openWithoutPage(position) }
    }

    func opening(_ start: CursorStart) throws(Failure) -> ListingOpening {
        let rule = nextPageRule
        return ListingOpening(
            resource, options, lease: lease, run: run, first: try rule.first(from: start, for: parent),
            cursor: ListingCursor(from: start.from, moves: start.moves), parent: parent?.listing,
            root: parent.flatMap { rule.root(for: $0) })
    }

    private func addNotes(on position: ListingPosition, to report: inout SyncReport) {
        if !position.changedAspects.isEmpty {
            report.warn("the definition changed (\(position.changedAspects.names)): full listing")
        }
        report.add(opening: position.counters, in: run)
        if let dropped = position.droppedCheckpoint { report.warn("restarted: \(dropped)") }
        report.isResumed = position.isResumed
        if position.isResumed { report.add(note: "resumed at page \(position.page.number)") }
    }

    var context: ChainContext {
        ChainContext(
            requestID: "run \(run) \(resource.name)", logger: engine.environment.logger, isResendable: true)
    }

    var transport: any Transport {
        engine.transports.instrumented(for: resource.source, in: engine.environment)
    }

    /// Keeps the requests of one walk within the source's limits and ``SyncOptions/maxBytes``; nil without any.
    var budget: BudgetUse? {
        let limits = SourceRateLimits(
            resource.source, in: engine.rateLimitStore, wallClock: engine.environment.wallClock)
        let budget: (any RequestBudget)? = TrafficLimit(options.maxBytes, before: limits) ?? limits
        return budget.map { BudgetUse($0, maximumWait: RetryRules.rateLimitWait) }
    }

    var deletionTerms: DeletionTerms {
        DeletionTerms(
            rule: resource.deletions, isStable: resource.isStable, isAccepted: options.acceptsDeletes,
            largestPage: resource.pageSizes?.maximum)
    }

    private func blocked(by entry: QueueEntry, _ report: SyncReport) -> SyncReport {
        var report = report
        report.result.outcome = .queued
        report.result.entry = entry.id
        report.result.error = RecordedError(
            name: "parked", message: "the queued page \(entry.shortID) is parked (\(entry.reason?.rawValue ?? ""))",
            hint:
                "'siding queue show \(entry.shortID)' says why; 'siding queue release \(entry.shortID)' returns it to the queue"
        )
        return report
    }

    private func waits(
        for gate: SourceGate, _ position: ListingPosition, _ report: SyncReport
    ) async throws(StoreError) -> SyncReport {
        let failure = Failure(.waitingForOrigin, phase: .notSent, detail: gate.message).at(
            method: resource.method.rawValue,
            url: Redaction.url(position.page.url, also: resource.source.authorization.secretQueryNames))
        let wait = gate.until.map { $0 - engine.now } ?? RetryRules.probeWindow
        return try await FailureHandling(sync: self, position: position, partial: position.partial)
            .keep(failure, position.page, isCounted: false, report) { _ in wait }
    }
}
