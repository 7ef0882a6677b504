internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials
internal import SidingJSON

/// Syncs one resource, or one parent's listing, under its lease: plans, walks the pages, and handles a failure.
struct ResourceSync: Sendable {
    let engine: SyncEngine
    let resource: AnyResource
    let options: SyncOptions
    let lease: Lease
    let run: RunID
    /// The parent of the listing; nil if the resource has a single listing.
    var parent: BoundParent?

    /// A report, and the counters that no page commit has stored yet.
    struct Report: Sendable {
        var line: RunResource
        var failure: Failure?
        var heldBy: LeaseHolder?
        var extra = RunCounters()
        var warnings: [String] = []
        /// Whether a rule of the source makes the run fail.
        var isFailedByRule = false
        /// Whether it resumed an earlier listing.
        var isResumed = false
        /// Whether it stopped before its end for a reason other than a failure.
        var isIncomplete = false
        /// How the pages follow each other, where that was found out.
        var paging: Paging?

        /// The public report, with the extra counters added.
        var `public`: SyncReport {
            var line = line
            line.counters += extra
            return SyncReport(
                line: line, failure: failure, heldBy: heldBy, warnings: warnings, isFailedByRule: isFailedByRule)
        }

        /// Adds a note that is shown even in quiet mode.
        mutating func warn(_ text: String) {
            line.notes.append(text)
            warnings.append(text)
        }

        /// Tells how the pages follow each other; once, however many listings found it out.
        mutating func found(_ paging: Paging) {
            self.paging = paging
            let note = "paging: \(paging)"
            if !line.notes.contains(note) { line.notes.append(note) }
        }

        /// Counts stored records that a changed `where` filtered out.
        mutating func note(leftOut count: Int, in run: RunID) {
            guard count > 0 else { return }
            line.counters.deleted += count
            warn(
                "'where' left out \(count) stored \(count == 1 ? "record" : "records"); "
                    + "'siding records undelete \(run)' restores \(count == 1 ? "it" : "them")")
        }

        /// Reports records removed because `where` became NULL for them: on purpose, or because a member is missing.
        mutating func note(nullFiltered count: Int, in run: RunID) {
            guard count > 0 else { return }
            line.notes.append(
                "\(count) \(count == 1 ? "record was" : "records were") removed because 'where' is NULL for "
                    + "\(count == 1 ? "it" : "them"); 'siding records undelete \(run)' restores \(count == 1 ? "it" : "them")"
            )
        }

        static func skipped(_ resource: AnyResource, note: String) -> Report {
            Report(line: RunResource(resource: resource.name, outcome: .skipped, notes: [note]))
        }

        static func held(_ resource: AnyResource, by holder: LeaseHolder) -> Report {
            let error = RecordedError(
                name: "locked", message: holder.words(holding: resource.name),
                hint: "wait for it, or use --wait-lock 30s")
            return Report(
                line: RunResource(resource: resource.name, outcome: .skipped, error: error), heldBy: holder)
        }
    }

    /// Syncs one listing: opens or resumes it, walks its pages, restarts it once if necessary, and handles a failure.
    func run() async throws(StoreError) -> Report {
        var report = Report(line: RunResource(resource: resource.name, outcome: .failed))
        var known = try await engine.store.cursor(of: resource, for: parent)
        let fresh = CursorStart(resource.cursor, stored: known, options, now: engine.now)
        var opening: ListingOpening
        do throws(Failure) { opening = try self.opening(fresh) } catch {
            return failed(error, report)
        }
        var position = try await engine.store.openListing(opening)
        note(position, in: &report)
        // First, so that pages compare equal with what they showed before.
        try await rewriteRecords(&report)
        if let blocker = position.blockedBy { return blocked(by: blocker, report) }
        if let gate = try await closedGate() { return try await waits(for: gate, position, report) }
        var start = fresh
        do throws(Failure) { try goOn(&position, &start, &report) } catch { return failed(error, report) }
        var result = try await walk(position, start, known?.value)
        let rule = rule(endingBy: result)
        if let reason = restartReason(result, rule, position, opening) {
            start = fresh
            if rule != nil {
                known = nil
                start = CursorStart(resource.cursor, stored: nil, now: engine.now)
                do throws(Failure) { opening = try self.opening(start) } catch { return failed(error, report) }
                opening.forgetsCursor = true
            }
            position = try await engine.store.restartListing(opening, because: reason)
            report.warn("started anew: \(reason)")
            report.extra += result.failedRequests
            report.line.counters += result.counters
            result = try await walk(position, start, known?.value)
        }
        result.warnings.forEach { report.warn($0) }
        report.line.counters += result.counters
        if let paging = result.paging, resource.paging == .automatic, paging != .automatic {
            report.found(paging)
        }
        switch result.end {
        case .complete:
            // A record missing from one parent's listing may be in another's: the end of the fan-out pass decides.
            return try await succeeded(report, asking: parent == nil ? DeletionVerification(self) : nil)
        case .cut(let why):
            report.isIncomplete = true
            // A requested limit needs no warning.
            if options.limit == nil {
                report.warn("incomplete: \(why)")
            } else {
                report.line.notes.append("incomplete: \(why)")
            }
            return try await succeeded(report)
        case .ignored(let note):
            report.isIncomplete = true
            report.line.notes.append(note)
            return try await succeeded(report)
        case .failed(let failure):
            report.extra += result.failedRequests
            // The first saved page completed the entry.
            if result.hasPages { position.entry = nil }
            let isRefusal =
                known != nil && options.since == nil && !options.isAdHoc && start.isRefused(failure, opening)
            var handled = try await FailureHandling(sync: self, position: position).handle(failure, report)
            if isRefusal { handled.line.error?.hint = cursorHint }
            return handled
        }
    }

    /// The hint for an origin that no longer accepts the cursor.
    private var cursorHint: String {
        "the cursor that was sent may have expired: 'siding state reset \(resource.name)' forgets it, and a rule 'errors: "
            + "[{ when: { status: … }, do: reset_cursor }]' does so by itself"
    }

    // MARK: Planning

    private func opening(_ start: CursorStart) throws(Failure) -> ListingOpening {
        var opening = ListingOpening(
            resource: resource.name, source: resource.source.name, definition: ResourceDefinition(resource),
            lease: lease, run: run, startsAnew: options.startsAnew,
            resumeWithin: resource.resumeWithin,
            first: try NextPageRule(resource: resource).first(from: start, for: parent),
            cursor: ListingCursor(from: start.from, moves: start.moves), isAdHoc: options.isAdHoc,
            schema: resource.schema)
        opening.isUnconditional = options.isFull
        opening.parent = parent?.listing
        opening.root = parent.flatMap { NextPageRule(resource: resource).root(for: $0) }
        return opening
    }

    private func note(_ position: ListingPosition, in report: inout Report) {
        if !position.changedAspects.isEmpty {
            report.warn(
                "the definition changed (\(position.changedAspects.joined(separator: ", "))): full listing")
        }
        report.note(leftOut: position.leftOut, in: run)
        if let dropped = position.droppedCheckpoint { report.warn("started anew: \(dropped)") }
        report.isResumed = position.isResumed
        if position.isResumed { report.line.notes.append("resumed at page \(position.page.number)") }
    }

    private func walk(
        _ position: ListingPosition, _ start: CursorStart, _ stored: String?
    ) async throws(StoreError) -> ListingRun.Walked {
        let isConditional =
            resource.asksConditionally && !options.isFull && !options.isAdHoc && position.changedAspects.isEmpty
        let context = ChainContext(
            requestID: "run \(run) \(resource.name)", logger: engine.environment.logger, isResendable: true)
        let fetcher = PageFetcher(
            resource, isConditional: isConditional,
            transport: transport, budget: budget, in: engine.environment, context: context)
        let listing = ListingRun(
            resource: resource, store: engine.store, fetcher: fetcher, lease: lease, run: run, options: options,
            start: start, stored: stored, progress: engine.progress)
        return try await listing.walk(from: position)
    }

    var transport: any Transport {
        engine.transports.transport(for: resource.source.name, resource.source.transport)
    }

    /// Keeps the requests of one walk within the source's limits; nil if it has none.
    var budget: BudgetUse? {
        SourceRateLimits(resource.source, in: engine.rateLimitStore, wallClock: engine.environment.wallClock).map {
            BudgetUse($0)
        }
    }

    /// Why the listing must start again from the first page, such as a checkpoint that the origin refuses; nil if not. It
    /// happens at most once.
    private func restartReason(
        _ result: ListingRun.Walked, _ rule: FailureRule?, _ position: ListingPosition, _ opening: ListingOpening
    ) -> String? {
        // A rule of the config takes precedence over the built-in one.
        if let rule {
            return rule.action == .resetCursor && !options.isAdHoc ? "\(rule.place) says reset_cursor" : nil
        }
        // After a 304 the next page came from the store, and may no longer exist.
        guard (result.hasPages && result.isStoredWay) || (position.isResumed && !result.hasPages),
            case .failed(let page) = result.end,
            case .http(let answer) = page.failure.reason, (400..<500).contains(answer.status),
            ![401, 403, 408, 425, 429].contains(answer.status),
            // The same request would have the same answer.
            result.hasPages || page.page.address != opening.first.address
        else { return nil }
        return "the origin refused page \(page.page.number) with \(answer.status)"
    }

    /// Resumes a listing as it began, at its page or at the cursor; see ``IncrementalCursor/resumesAtCursor``.
    private func goOn(
        _ position: inout ListingPosition, _ start: inout CursorStart, _ report: inout Report
    ) throws(Failure) {
        guard !options.isAdHoc else { return }
        guard position.isResumed, position.page.number > 1 else { return start.resume(position.cursor) }
        guard start.goOn(position.cursor, by: resource.cursor) else { return }
        report.line.notes.append("goes on at the cursor rather than at page \(position.page.number)")
        position.page = try NextPageRule(resource: resource).first(from: start, for: parent)
    }

    /// The rule that applies to the failure that ended the walk.
    private func rule(endingBy result: ListingRun.Walked) -> FailureRule? {
        guard case .failed(let page) = result.end else { return nil }
        return resource.source.rule(for: page.failure, of: .fetch)
    }

    // MARK: Ends

    /// - Parameter inquiry: asks about what the listing lacks.
    private func succeeded(_ report: Report, asking inquiry: DeletionVerification? = nil) async throws(StoreError)
        -> Report
    {
        // The outcomes of the verification are newer, so record this one first.
        try await engine.store.record(.answers, of: resource.source.name)
        var report = try await inquiry?.run(report) ?? report
        let counters = report.line.counters
        let isUnchanged = counters.pages > 0 && counters.notModified == counters.pages && counters.deleted == 0
        report.line.outcome = isUnchanged ? .notModified : .saved
        try await withheld(counters.withheld + report.extra.withheld).forEach { report.warn($0) }
        return report
    }

    /// Messages about deletions that the mass-deletion guard blocked.
    ///
    /// - Parameters:
    ///   - others: resources that must be listed too before the deletions can be reconciled.
    ///   - asksAll: whether only a full sync can reconcile them again.
    func withheld(
        _ count: Int, with others: [String] = [], asksAll: Bool = false
    ) async throws(StoreError) -> [String] {
        guard count > 0 else { return [] }
        var notes: [String] = []
        let nullFiltered = try await engine.store.nullFiltered(of: resource.name)
        if let nullFiltered {
            notes.append(
                "'where' leaves out \(nullFiltered.words). \(resource.deletions.excess), so they were kept. To remove them: siding "
                    + "sync \(resource.name) --accept-deletes")
        }
        let absent = count - (nullFiltered?.count ?? 0)
        let keys = absent > 0 ? try await engine.store.missingKeys(of: resource.name, limit: 6) : []
        if !keys.isEmpty { notes.append(withheld(absent: absent, keys, with: others, asksAll: asksAll)) }
        return notes
    }

    private func withheld(absent count: Int, _ keys: [String], with others: [String], asksAll: Bool) -> String {
        let shown = keys.prefix(5).map { PlainText.oneLine($0, limit: 40) }.joined(separator: ", ")
        // Records missing for the first time are listed too: the next complete listing may delete them.
        let isMore = keys.count > count
        let names = (others + [resource.name]).joined(separator: " ")
        return "\(count) records are missing at the origin. \(resource.deletions.excess), so nothing was deleted. "
            + "\(isMore ? "Missing, some for the first time" : "Missing"): \(shown)\(keys.count > 5 ? ", …" : ".") "
            + "To delete them: siding sync \(names) \(asksAll ? "--full " : "")--accept-deletes"
    }

    func failed(_ failure: Failure, _ report: Report) -> Report {
        var report = report
        report.line.outcome = .failed
        report.line.error = RecordedError(failure)
        report.failure = failure
        return report
    }

    private func blocked(by entry: QueueEntry, _ report: Report) -> Report {
        var report = report
        report.line.outcome = .queued
        report.line.entry = entry.id
        report.line.error = RecordedError(
            name: "parked", message: "the queued page \(entry.shortID) is parked (\(entry.reason?.rawValue ?? ""))",
            hint: "'siding queue show \(entry.shortID)' says why; 'siding queue release \(entry.shortID)' lets it go on"
        )
        return report
    }

    private func closedGate() async throws(StoreError) -> SourceGate? {
        try await engine.store.gates().closing(resource.source.name, at: engine.now)
    }

    private func waits(
        for gate: SourceGate, _ position: ListingPosition, _ report: Report
    ) async throws(StoreError) -> Report {
        var failure = Failure(
            .waitingForOrigin, phase: .notSent,
            detail: gate.words)
        failure = failure.at(
            method: resource.method.rawValue,
            url: Redaction.url(position.page.url, also: resource.source.authorization.secretQueryNames))
        let wait = gate.until.map { $0 - engine.now } ?? .seconds(30)
        return try await FailureHandling(sync: self, position: position)
            .keep(failure, position.page, isCounted: false, report) { _ in wait }
    }
}

extension ListingRun.Walked {
    /// The requests of the failed page, which no page commit has counted.
    fileprivate var failedRequests: RunCounters {
        var counters = RunCounters()
        if case .failed(let failure) = end { counters.requests = failure.requests }
        return counters
    }
}

extension RecordedError {
    /// The recorded form of a failure.
    init(_ failure: Failure) {
        var status: Int?
        if case .http(let answer) = failure.reason { status = answer.status }
        self.init(
            name: failure.reason.name, message: failure.description, hint: failure.hint, status: status,
            phase: failure.phase.rawValue)
    }
}
