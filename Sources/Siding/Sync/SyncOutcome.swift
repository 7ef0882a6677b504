// SPDX-License-Identifier: Apache-2.0
/// The outcomes of a sync that are no error; a page that waits in the queue is one of them.
public enum SyncOutcome: Sendable, Hashable {
    /// Pages were stored. The listing may be incomplete, if ``SyncOptions`` or ``StopRules`` ended it or the origin cut it short.
    case saved(RunCounters)
    /// The origin answered every page with 304, and nothing was deleted: the stored records are still right.
    case notModified
    /// A page is in the queue, and the next sync resumes there. The value says why: it is what would be thrown if the page had
    /// not been kept.
    case queued(SyncError)
    /// Fresh enough, or another ``Shard`` fetches it, or its run had carried ``SyncOptions/maxBytes``: no request was sent.
    case skipped
}

extension SyncOutcome: CustomStringConvertible {
    /// One line: `saved: pages 3, requests 3, inserted 5`.
    public var description: String {
        switch self {
        case .saved(let counters): "saved: \(counters)"
        case .notModified: "not modified"
        case .queued(let error): "queued: \(error)"
        case .skipped: "skipped"
        }
    }
}
