package import SidingChain

/// The result of one resource's sync.
package struct SyncReport: Sendable {
    /// Outcome, counters, notes and error, as in the run record.
    package var line: RunResource
    /// The failure behind a `failed` or `queued` outcome.
    package var failure: Failure?
    /// The holder of the lease, if the resource was skipped because of it.
    package var heldBy: LeaseHolder?
    /// The notes to show even in quiet mode: a changed definition, a listing that was restarted or is incomplete, a page that
    /// was given up, missing records that were kept.
    package var warnings: [String]
    /// Whether a rule of the source makes the run fail because of ``failure``.
    package var isFailedByRule: Bool

    package init(
        line: RunResource, failure: Failure? = nil, heldBy: LeaseHolder? = nil, warnings: [String] = [],
        isFailedByRule: Bool = false
    ) {
        self.line = line
        self.failure = failure
        self.heldBy = heldBy
        self.warnings = warnings
        self.isFailedByRule = isFailedByRule
    }

    /// The outcome as a ``SyncOutcome``.
    ///
    /// - Throws: ``SyncError`` if the resource failed, or another run holds it.
    package func outcome() throws(SyncError) -> SyncOutcome {
        switch line.outcome {
        case .saved, .partial: return .saved(line.counters)
        case .notModified: return .notModified
        case .queued: return .queued(because: line.error?.message ?? "it waits in the queue")
        case .skipped where heldBy == nil: return .skipped
        case .skipped, .failed, .interrupted, nil:
            throw SyncError(resource: line.resource, error: line.error, failure: failure, heldBy: heldBy)
        }
    }
}

/// The outcomes of a sync that are no error. A retained request is one of them.
public enum SyncOutcome: Sendable, Hashable {
    case saved(RunCounters)
    case notModified
    /// The failed page is in the queue; the next sync resumes there.
    case queued(because: String)
    /// Fresh enough: no request was sent.
    case skipped
}

/// The error of a sync that failed, or could not start.
package struct SyncError: Error, Sendable, CustomStringConvertible {
    package var resource: String
    package var error: RecordedError?
    package var failure: Failure?
    /// Set if another run holds the resource.
    package var heldBy: LeaseHolder?

    package var description: String {
        "\(resource): \(error?.message ?? heldBy.map { "held by process \($0.processID)" } ?? "failed")"
    }
}
