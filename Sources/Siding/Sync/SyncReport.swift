// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// The result of one resource's sync.
package struct SyncReport: Sendable {
    /// Outcome, counters, notes and error, as in the run record.
    package var result: RunResource
    /// The failure behind a `failed` or `queued` outcome, or behind a `skipped` one if the run may carry no more.
    package var failure: Failure?
    /// The gate that kept the sync from sending a request; nil if it sent one, or did not for another reason.
    package var closedGate: SourceGate? { (failure?.underlying as? ClosedGate)?.gate }
    /// The holder of the lease, if the resource was skipped because of it.
    package var heldBy: LeaseHolder?
    /// The notes to show even in quiet mode: a changed definition, a listing that was restarted or is incomplete, a page that
    /// was given up, missing records that were kept.
    package private(set) var warnings: [String] = []
    /// Whether a rule of the source makes the run fail because of ``failure``.
    package var isFailedByRule = false
    /// Whether it resumed an earlier listing.
    var isResumed = false
    /// The counted tries so far of the page that it left in the queue.
    var tries = 0
    /// Whether it stopped before its end for a reason other than a failure.
    var isIncomplete = false
    /// Why its fan-out pass stays open; nil if it does not, or if there is none.
    var openPass: OpenPass?
    /// How long its requests waited, as the origin or a limit asked.
    var waited = Duration.zero
    /// See ``Page/unreadableLimits``.
    var unreadableLimits: Set<String> = []
    /// How the pages follow each other, where that was found out.
    var paging: Paging? { didSet { if let paging { add(note: "paging: \(paging)") } } }

    /// Why a fan-out pass stays open.
    enum OpenPass: Sendable, Hashable {
        /// Parents of it wait in the queue.
        case waiting
        /// Parents that failed in a row stopped it.
        case stopped(leavesSome: Bool)
    }

    init(
        _ resource: String, _ outcome: RunOutcome = .failed, error: RecordedError? = nil, heldBy: LeaseHolder? = nil
    ) {
        result = RunResource(resource: resource, outcome: outcome, error: error)
        self.heldBy = heldBy
    }

    /// Adds a note that needs no action; once, however many listings give it.
    mutating func add(note text: String) {
        if !result.notes.contains(text) { result.notes.append(text) }
    }

    /// Adds a note that is shown even in quiet mode.
    mutating func warn(_ text: String) {
        result.notes.append(text)
        warnings.append(text)
    }

    /// Adds what a walk over pages counted.
    mutating func add(_ walked: ListingRun.Walked) {
        result.counters += walked.counters
        waited += walked.waited
        unreadableLimits.formUnion(walked.unreadableLimits)
    }

    /// Adds what opening a listing or a pass counted: the stored records that a changed `where` filtered out.
    mutating func add(opening counters: RunCounters, in run: RunID) {
        result.counters += counters
        let count = counters.deleted
        guard count > 0 else { return }
        warn(
            "'where' left out \(MessageFormat.count(count, "stored record")); "
                + "'siding records undelete \(run)' restores \(count == 1 ? "it" : "them")")
    }

    /// The report of a failure.
    func failed(_ failure: Failure) -> SyncReport {
        var report = self
        (report.result.outcome, report.result.error, report.failure) = (.failed, RecordedError(failure), failure)
        return report
    }

    /// The outcome as a ``SyncOutcome``.
    ///
    /// - Throws: ``SyncError`` if the resource failed, or another run holds it.
    package func outcome() throws(SyncError) -> SyncOutcome {
        switch result.outcome {
        case .saved, .partial: return .saved(result.counters)
        case .notModified: return .notModified
        case .queued: return .queued(SyncError(self))
        case .skipped where heldBy == nil: return .skipped
        case .skipped, .failed, .interrupted, nil: throw SyncError(self)
        }
    }
}
