// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingCredentials

/// How a listing ended, as its report.
extension ListingSync {
    /// - Parameter partial: the entity tag and the length of what had arrived of the first page.
    func concluded(
        _ walked: ListingRun.Walked, after partial: (etag: String, count: Int)?
    ) async throws(StoreError) -> SyncReport {
        var report = report
        walked.warnings.forEach { report.warn($0) }
        report.add(walked)
        if let paging = walked.paging, resource.paging == .automatic, paging != .automatic { report.paging = paging }
        if walked.hasLines, resource.records == nil { report.add(note: "records: lines") }
        if let failure = walked.failure {
            return try await failed(failure, in: walked, report, after: partial)
        }
        switch walked.step {
        case .end, .page:
            // A record missing from one parent's listing may be in another's: the end of the fan-out pass decides.
            guard sync.parent == nil else { return try await succeeded(report) }
            report = try await succeeded(report, asking: DeletionVerification(sync))
            if start.from == nil {
                try await sync.reportMissing(&report, of: walked, before: unlistedBefore)
            }
            return report
        case .incomplete(let why, let remedy):
            let rest = remedy.map { [consequence, $0].filter { !$0.isEmpty }.joined(separator: ". ") } ?? ""
            report.warn("incomplete: \(why)" + (rest.isEmpty ? "" : ": \(rest)"))
            return try await incomplete(report, .partial)
        case .stopped(let why):
            // A requested limit needs no warning.
            if options.limit == nil {
                report.warn("incomplete: \(why)")
            } else {
                report.add(note: "incomplete: \(why)")
            }
            return try await incomplete(report)
        case .ignored(let note):
            report.add(note: note)
            return try await incomplete(report)
        }
    }

    /// What an incomplete listing leaves as it is.
    private var consequence: String {
        let kept = [
            resource.deletions.byAbsence ? "nothing was deleted" : nil,
            resource.cursor == nil ? nil : "the cursor stays",
        ].compactMap(\.self)
        return kept.joined(separator: ", and ")
    }

    /// - Parameter outcome: nil for that of a complete listing.
    private func incomplete(_ report: SyncReport, _ outcome: RunOutcome? = nil) async throws(StoreError) -> SyncReport {
        var report = report
        report.isIncomplete = true
        report = try await succeeded(report)
        if let outcome { report.result.outcome = outcome }
        return report
    }

    private func succeeded(
        _ report: SyncReport, asking verification: DeletionVerification? = nil
    ) async throws(StoreError) -> SyncReport {
        // The outcomes of the verification are newer, so record this one first.
        try await engine.store.record(.answers, of: resource.source.name)
        var report = try await verification?.run(report) ?? report
        let counters = report.result.counters
        let isUnchanged = counters.pages > 0 && counters.notModified == counters.pages && counters.deleted == 0
        report.result.outcome = isUnchanged ? .notModified : .saved
        try await sync.warnOfBlockedDeletions(&report)
        return report
    }

    // MARK: Failures

    private func failed(
        _ failure: PageFailure, in walked: ListingRun.Walked, _ report: SyncReport,
        after partial: (etag: String, count: Int)?
    ) async throws(StoreError) -> SyncReport {
        let isFirst = !walked.hasPages
        // What was answered before ends a row of failures, however long the listing is.
        let isOfSignIn = resource.source.retention(of: failure.failure, .fetch, now: engine.now) == .signIn
        if walked.hasPages || failure.partial != nil, !isOfSignIn {
            try await engine.store.record(.answers, of: resource.source.name)
        }
        var position = position
        // The first saved page opened the listing, and completed the entry.
        if isFirst { try await openWithoutPage() } else { position.entry = nil }
        try await sync.saveLostPage(failure, after: partial)
        let isRefusal =
            known != nil && options.since == nil && !options.isAdHoc && start.isRefused(failure, opening.first)
        var handled = try await FailureHandling(sync: sync, position: position, partial: failure.partial).handle(
            isFirst ? doubtingURL(of: failure) : failure, report)
        let hint = PagingHint.text(
            for: failure, by: walked.paging ?? resource.paging, hasUnusedLink: walked.hasUnusedLink)
        if isRefusal || hint != nil { handled.result.error?.hint = hint ?? cursorHint }
        return handled
    }

    /// A web page where JSON never came from may be the right answer to a wrong URL.
    private func doubtingURL(of failed: PageFailure) -> PageFailure {
        guard failed.failure.reason == .captivePortal, !isKnown else { return failed }
        var doubting = failed
        let doubt = "no JSON ever came from there, so 'base_url' or 'path' may be wrong"
        doubting.failure.detail = [failed.failure.detail, doubt].compactMap(\.self).joined(separator: "; ")
        return doubting
    }

    private func openWithoutPage() async throws(StoreError) {
        let (store, position) = (engine.store, position)
        try await uncancelled { () throws(StoreError) in try await store.openWithoutPage(position) }
    }

    /// The hint for an origin that no longer accepts the cursor.
    private var cursorHint: String {
        "the cursor that was sent may have expired: 'siding state reset \(resource.name)' forgets it, and a rule 'errors: "
            + "[{ when: { status: … }, do: reset_cursor }]' does so automatically"
    }

    // MARK: Nothing requested

    func blocked(by entry: QueueEntry) -> SyncReport {
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

    /// The report of a sync whose page waits in the queue until the gate opens; nil if anything is to be written.
    func stillWaiting() throws(StoreError) -> SyncReport? {
        guard options.retains, !options.isAdHoc,
            let gate = open.gates.closing(resource.source.name, at: engine.now),
            let entry = try open.waiting(for: gate, opening, now: engine.now)
        else { return nil }
        let url = (try? HTTPURL(entry.url)) ?? opening.first.url
        var report = report.failed(closed(by: gate, at: url))
        (report.result.outcome, report.result.entry, report.tries) = (.queued, entry.id, entry.attempts)
        return report
    }

    func gateAfterOpening() async throws(StoreError) -> SourceGate? {
        guard position.unopened == nil else { return nil }
        return try await engine.store.gates().closing(resource.source.name, at: engine.now)
    }

    func waits(for gate: SourceGate) async throws(StoreError) -> SyncReport {
        try await openWithoutPage()
        let wait = gate.until.map { $0 - engine.now } ?? RetryRules.probeWindow
        return try await FailureHandling(sync: sync, position: position, partial: position.partial)
            .keep(closed(by: gate, at: position.page.url), position.page, isCounted: false, report) { _ in wait }
    }

    private func closed(by gate: SourceGate, at url: HTTPURL) -> Failure {
        Failure(.waitingForOrigin, phase: .notSent, detail: gate.note, underlying: ClosedGate(gate: gate)).at(
            method: resource.method.rawValue,
            url: Redaction.url(url, also: resource.source.authorization.secretQueryNames))
    }
}
