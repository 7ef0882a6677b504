internal import SidingChain

/// Maps the end of a listing's walk to its report.
struct ListingConclusion {
    let attempt: ListingAttempt
    let walked: ListingRun.Walked

    private var sync: ResourceSync { attempt.sync }
    private var resource: AnyResource { attempt.sync.resource }
    private var options: SyncOptions { attempt.sync.options }

    /// - Parameter report: what the opening and earlier walks reported.
    func report(_ report: SyncReport) async throws(StoreError) -> SyncReport {
        var report = report
        walked.warnings.forEach { report.warn($0) }
        report.result.counters += walked.counters
        if let paging = walked.paging, resource.paging == .automatic, paging != .automatic { report.paging = paging }
        if walked.hasLines, resource.records == nil { report.add(note: "records: lines") }
        switch walked.end {
        case .complete:
            // A record missing from one parent's listing may be in another's: the end of the fan-out pass decides.
            return try await succeeded(report, asking: sync.parent == nil ? DeletionVerification(sync) : nil)
        case .cut(let why, let remedy):
            report.warn("incomplete: \(why)" + (remedy.map { ": \(consequence)\($0)" } ?? ""))
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
        case .failed(let failure): return try await failed(failure, report)
        }
    }

    /// What an incomplete listing leaves as it is.
    private var consequence: String {
        let kept = [
            resource.deletions.byAbsence ? "nothing was deleted" : nil,
            resource.cursor == nil ? nil : "the cursor stays",
        ].compactMap(\.self)
        return kept.isEmpty ? "" : kept.joined(separator: ", and ") + ". "
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
        try await sync.engine.store.record(.answers, of: resource.source.name)
        var report = try await verification?.run(report) ?? report
        let counters = report.result.counters
        let isUnchanged = counters.pages > 0 && counters.notModified == counters.pages && counters.deleted == 0
        report.result.outcome = isUnchanged ? .notModified : .saved
        try await sync.warnOfBlockedDeletions(&report)
        return report
    }

    private func failed(_ failure: PageFailure, _ report: SyncReport) async throws(StoreError) -> SyncReport {
        var position = attempt.position
        // The first saved page opened the listing, and completed the entry.
        if walked.hasPages { position.entry = nil } else { try await sync.openWithoutPage(position) }
        try await sync.saveLostPage(failure, after: attempt.partial)
        let isRefusal =
            attempt.known != nil && options.since == nil && !options.isAdHoc
            && attempt.start.isRefused(failure, attempt.opening)
        var handled = try await FailureHandling(sync: sync, position: position, partial: failure.partial).handle(
            failure, report)
        if isRefusal { handled.result.error?.hint = cursorHint }
        return handled
    }

    /// The hint for an origin that no longer accepts the cursor.
    private var cursorHint: String {
        "the cursor that was sent may have expired: 'siding state reset \(resource.name)' forgets it, and a rule 'errors: "
            + "[{ when: { status: … }, do: reset_cursor }]' does so automatically"
    }
}
