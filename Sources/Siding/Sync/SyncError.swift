// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Why a sync did not reach its end: the error of ``Siding/sync(_:options:)``, and the value of ``SyncOutcome/queued(_:)``.
///
/// ```swift
/// do { try await siding.sync(issues) } catch {
///     if error.failure?.isOffline == true { show("no network") } else { show(error.cause.message) }
/// }
/// ```
/// What was saved before stays, and the next sync continues there.
public struct SyncError: Error, Sendable, CustomStringConvertible {
    /// The name of the resource.
    public var resource: String
    /// What happened, as it is stored with the run: a stable name, a message, and what to do.
    public var cause: RecordedError
    /// The failed request, with its reason and the origin's status; nil if no request failed.
    public var failure: Failure?
    /// The error of the store, of kind ``StoreError/Kind/closed`` after ``Siding/close()``; nil if the store did not fail.
    public var storeError: StoreError?
    /// Who syncs the resource at the moment; nil if nobody else does.
    public var heldBy: LeaseHolder?
    /// Why no request was sent: its source is left alone for now. Nil if one was sent, or was not for another reason.
    public var gate: SourceGate?
    /// What was saved before it ended.
    public var saved: RunCounters
    /// The ``QueueEntry/id`` of the page that is kept in the queue; nil if none is.
    public var entry: String?

    /// `posts: no internet connection (GET https://example.com/posts)`
    public var description: String { "\(resource): \(cause.message)" }

    init(_ report: SyncReport) {
        (resource, saved, entry) = (report.result.resource, report.result.counters, report.result.entry)
        cause = report.result.error ?? RecordedError(name: "failed", message: "the sync failed")
        (failure, heldBy, gate) = (report.failure, report.heldBy, report.closedGate)
    }

    init(_ resource: String, _ error: StoreError) {
        (self.resource, cause, storeError, saved) = (resource, RecordedError(error), error, RunCounters())
    }
}

/// Two errors are equal if the same was recorded of them: causes of other layers cannot be compared.
extension SyncError: Hashable {
    public static func == (one: SyncError, other: SyncError) -> Bool { one.recorded == other.recorded }

    public func hash(into hasher: inout Hasher) { hasher.combine(recorded) }

    private struct Recorded: Hashable {
        let resource: String
        let cause: RecordedError
        let heldBy: LeaseHolder?
        let gate: SourceGate?
        let saved: RunCounters
        let entry: String?
    }

    private var recorded: Recorded {
        Recorded(resource: resource, cause: cause, heldBy: heldBy, gate: gate, saved: saved, entry: entry)
    }
}
