internal import HTTPTypes
internal import Logging
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON
internal import SidingPaging

/// Syncs one resource, or the listing of one parent, under its lease: chooses where to start, fetches and saves the pages, and
/// handles a failure.
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
            let (were, them) = nullFiltered == 1 ? ("record was", "it") : ("records were", "them")
            report.add(
                note:
                    "\(nullFiltered) \(were) removed because 'where' is NULL for \(them); 'siding records undelete \(run)' "
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
        report.add(note: "'columns' or 'drop' changed: \(rows) stored records were rewritten")
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

    /// Syncs one listing with pages of the size that the line carries.
    func runListing() async throws(StoreError) -> SyncReport {
        var sync = self
        sync.sizing = try await engine.store.pageSizing(of: resource, for: parent, isFull: options.isFull)
        return try await sync.syncListing()
    }

    /// Opens or resumes the listing, walks its pages, restarts it once if necessary, and handles a failure.
    private mutating func syncListing() async throws(StoreError) -> SyncReport {
        var report = SyncReport(resource.name)
        var known = try await engine.store.cursor(of: resource, for: parent)
        let fresh = CursorStart(resource.cursor, stored: known, options, now: engine.now)
        var opening: ListingOpening
        do throws(Failure) { opening = try self.opening(fresh) } catch { return report.failed(error) }
        var position = try await engine.store.openListing(opening)
        addNotes(on: position, to: &report)
        // First, so that pages compare equal with what they showed before.
        try await rewriteRecords(&report)
        if let blocker = position.blockedBy { return blocked(by: blocker, report) }
        if let gate = try await engine.store.gates().closing(resource.source.name, at: engine.now) {
            try await openWithoutPage(position)
            return try await waits(for: gate, position, report)
        }
        var start = fresh
        do throws(Failure) { try goOn(&position, &start, &report) } catch { return report.failed(error) }
        let partial = position.partial.map { ($0.etag, $0.bytes.count) }
        var result = try await walk(&position, start, known?.value)
        if case .failed(let failed) = result.end, result.isSizeRefused || failed.failure.isOfRequest,
            let refusal = try await refuseSize(of: failed.page, at: &position)
        {
            report.warn(refusal)
            report.result.counters += result.counters
            result = try await walk(&position, start, known?.value)
        }
        let rule = result.misplacement == nil ? rule(endingBy: result) : nil
        if let reason = restartReason(result, rule, position, opening) {
            start = fresh
            if rule != nil {
                known = nil
                start = CursorStart(resource.cursor, stored: nil, SyncOptions(), now: engine.now)
                do throws(Failure) { opening = try self.opening(start) } catch { return report.failed(error) }
                opening.forgetsCursor = true
            }
            position = try await engine.store.restartListing(opening, because: reason)
            report.warn("restarted: \(reason)")
            report.result.counters += result.counters
            result = try await walk(&position, start, known?.value)
        }
        result.warnings.forEach { report.warn($0) }
        report.result.counters += result.counters
        if let paging = result.paging, resource.paging == .automatic, paging != .automatic { report.paging = paging }
        if result.hasLines, resource.records == nil { report.add(note: "records: lines") }
        switch result.end {
        case .complete:
            // A record missing from one parent's listing may be in another's: the end of the fan-out pass decides.
            return try await succeeded(report, asking: parent == nil ? DeletionVerification(self) : nil)
        case .cut(let why, let remedy):
            report.isIncomplete = true
            let kept = [
                resource.deletions.byAbsence ? "nothing was deleted" : nil,
                resource.cursor == nil ? nil : "the cursor stays",
            ].compactMap(\.self)
            let consequence = kept.isEmpty ? "" : kept.joined(separator: ", and ") + ". "
            report.warn("incomplete: \(why)" + (remedy.map { ": \(consequence)\($0)" } ?? ""))
            report = try await succeeded(report)
            report.result.outcome = .partial
            return report
        case .stopped(let why):
            report.isIncomplete = true
            // A requested limit needs no warning.
            if options.limit == nil {
                report.warn("incomplete: \(why)")
            } else {
                report.add(note: "incomplete: \(why)")
            }
            return try await succeeded(report)
        case .ignored(let note):
            report.isIncomplete = true
            report.add(note: note)
            return try await succeeded(report)
        case .failed(let failure):
            // The first saved page opened the listing, and completed the entry.
            if result.hasPages { position.entry = nil } else { try await openWithoutPage(position) }
            try await saveLostPage(failure, after: partial)
            let isRefusal =
                known != nil && options.since == nil && !options.isAdHoc && start.isRefused(failure, opening)
            var handled = try await FailureHandling(sync: self, position: position, partial: failure.partial).handle(
                failure, report)
            if isRefusal { handled.result.error?.hint = cursorHint }
            return handled
        }
    }

    private func openWithoutPage(_ position: ListingPosition) async throws(StoreError) {
        let store = engine.store
        try await uncancelled { () throws(StoreError) in try await store.openWithoutPage(position) }
    }

    /// The hint for an origin that no longer accepts the cursor.
    private var cursorHint: String {
        "the cursor that was sent may have expired: 'siding state reset \(resource.name)' forgets it, and a rule 'errors: "
            + "[{ when: { status: … }, do: reset_cursor }]' does so automatically"
    }

    private func opening(_ start: CursorStart) throws(Failure) -> ListingOpening {
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

    private func walk(
        _ position: inout ListingPosition, _ start: CursorStart, _ stored: String?
    ) async throws(StoreError) -> ListingRun.Walked {
        let isConditional =
            resource.asksConditionally && !options.isFull && !options.isAdHoc && position.changedAspects.isEmpty
        let fetcher = PageFetcher(
            resource, isConditional: isConditional, transport: transport, goingOn: position.partial.take(),
            budget: budget,
            in: engine.environment,
            context: context)
        return try await ListingRun(sync: self, fetcher: fetcher, start: start, stored: stored).walk(from: position)
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
        return budget.map { BudgetUse($0) }
    }

    var deletionTerms: DeletionTerms {
        DeletionTerms(
            rule: resource.deletions, isStable: resource.isStable, isAccepted: options.acceptsDeletes,
            largestPage: resource.pageSizes?.maximum)
    }

    /// Why the listing must start again from the first page, such as a checkpoint that the origin refuses; nil if not. It
    /// happens at most once.
    private func restartReason(
        _ result: ListingRun.Walked, _ rule: FailureRule?, _ position: ListingPosition, _ opening: ListingOpening
    ) -> String? {
        if let misplacement = result.misplacement { return misplacement }
        // A rule of the config takes precedence over the built-in one.
        if let rule {
            return rule.action == .resetCursor && !options.isAdHoc ? "\(rule.place) says reset_cursor" : nil
        }
        // After a 304 the next page came from the store, and may no longer exist.
        guard (result.hasPages && result.isStoredWay) || (position.isResumed && !result.hasPages),
            case .failed(let page) = result.end, page.failure.isOfRequest, let status = page.failure.status,
            // The same request would have the same answer.
            result.hasPages || page.page.address != opening.first.address
        else { return nil }
        return "the origin refused page \(page.page.number) with \(status)"
    }

    /// Resumes a listing as it began, at its page or at the cursor; see ``IncrementalCursor/resumesAtCursor``.
    private func goOn(
        _ position: inout ListingPosition, _ start: inout CursorStart, _ report: inout SyncReport
    ) throws(Failure) {
        guard !options.isAdHoc else { return }
        let sized = nextPageRule.sized(position.page)
        if sized != position.page { (position.page, position.resizedFrom) = (sized, position.page) }
        guard position.isResumed, position.page.number > 1 else { return start.resume(position.cursor) }
        guard start.goOn(position.cursor, by: resource.cursor) else { return }
        report.add(note: "continues at the cursor instead of page \(position.page.number)")
        position.page = try nextPageRule.first(from: start, for: parent)
    }

    /// The rule that applies to the failure that ended the walk.
    private func rule(endingBy result: ListingRun.Walked) -> FailureRule? {
        guard case .failed(let page) = result.end else { return nil }
        return resource.source.rule(for: page.failure, of: .fetch)
    }

    // MARK: Ends

    private func succeeded(
        _ report: SyncReport, asking verification: DeletionVerification? = nil
    ) async throws(StoreError) -> SyncReport {
        // The outcomes of the verification are newer, so record this one first.
        try await engine.store.record(.answers, of: resource.source.name)
        var report = try await verification?.run(report) ?? report
        let counters = report.result.counters
        let isUnchanged = counters.pages > 0 && counters.notModified == counters.pages && counters.deleted == 0
        report.result.outcome = isUnchanged ? .notModified : .saved
        try await warnOfBlockedDeletions(&report)
        return report
    }

    /// Tells of deletions that the mass-deletion guard blocked.
    ///
    /// - Parameters:
    ///   - others: resources that must be listed too before the deletions can be reconciled.
    ///   - asksAll: whether only a full sync can reconcile them again.
    func warnOfBlockedDeletions(
        _ report: inout SyncReport, with others: [String] = [], asksAll: Bool = false
    ) async throws(StoreError) {
        let count = report.result.counters.deletionsBlocked
        guard count > 0 else { return }
        let nullFiltered = try await engine.store.nullFiltered(of: resource.name)
        if let nullFiltered {
            report.warn(
                "'where' leaves out \(nullFiltered.message). \(resource.deletions.excess), so they were kept. To remove them: siding "
                    + "sync \(resource.name) --accept-deletes")
        }
        let absent = count - (nullFiltered?.count ?? 0)
        guard absent > 0 else { return }
        let keys = try await engine.store.missingKeys(of: resource.name, limit: 6)
        guard !keys.isEmpty else { return }
        let shown = keys.prefix(5).map { PlainText.oneLine($0, limit: 40) }.joined(separator: ", ")
        // Records missing for the first time are listed too: the next complete listing may delete them.
        let isMore = keys.count > absent
        let names = (others + [resource.name]).joined(separator: " ")
        report.warn(
            "\(absent) records are missing at the origin. \(resource.deletions.excess), so nothing was deleted. "
                + "\(isMore ? "Missing, some for the first time" : "Missing"): \(shown)\(keys.count > 5 ? ", …" : ".") "
                + "To delete them: siding sync \(names) \(asksAll ? "--full " : "")--accept-deletes")
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
        let wait = gate.until.map { $0 - engine.now } ?? .seconds(30)
        return try await FailureHandling(sync: self, position: position, partial: position.partial)
            .keep(failure, position.page, isCounted: false, report) { _ in wait }
    }
}
