public import SidingChain

/// What one resource's sync came to.
public struct SyncReport: Sendable {
    /// Outcome, counters, notes and error, as the run record has them.
    public var line: RunResource
    /// The failure behind a `failed` or `queued` outcome.
    public var failure: Failure?
    /// Who holds the resource, where it was skipped for that.
    public var heldBy: LeaseHolder?
    /// The notes that a person should be told even where all else is silent: a changed definition, a listing that started
    /// anew or stopped before its end, a page that was given up, records whose absence could not be proven.
    public var warnings: [String]
    /// Whether a rule of the source says of ``failure`` that the run fails, whatever it would be otherwise.
    public var isFailedByRule: Bool

    public init(
        line: RunResource, failure: Failure? = nil, heldBy: LeaseHolder? = nil, warnings: [String] = [],
        isFailedByRule: Bool = false
    ) {
        self.line = line
        self.failure = failure
        self.heldBy = heldBy
        self.warnings = warnings
        self.isFailedByRule = isFailedByRule
    }

    /// The outcome in the terms of the library: ``SyncOutcome``.
    ///
    /// - Throws: ``SyncError`` where the resource failed, or another run holds it.
    public func outcome() throws(SyncError) -> SyncOutcome {
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

/// The good ends of a sync. Kept for later is an outcome, not an error.
public enum SyncOutcome: Sendable, Hashable {
    case saved(RunCounters)
    case notModified
    /// The page that could not be had is in the queue; the next sync goes on there.
    case queued(because: String)
    /// Fresh enough: nothing was asked.
    case skipped
}

/// The bad ends of a sync.
public struct SyncError: Error, Sendable, CustomStringConvertible {
    public var resource: String
    public var error: RecordedError?
    public var failure: Failure?
    /// Set where another run holds the resource.
    public var heldBy: LeaseHolder?

    public var description: String {
        "\(resource): \(error?.message ?? heldBy.map { "held by process \($0.processID)" } ?? "failed")"
    }
}
