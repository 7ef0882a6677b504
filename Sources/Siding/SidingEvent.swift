// SPDX-License-Identifier: Apache-2.0
extension Siding {
    /// Something that a ``Siding`` did, or that happened to its records.
    public enum Event: Sendable, Hashable {
        /// A sync of these resources began.
        case runBegan(RunID, resources: [String])
        /// A page of a listing is stored. The counters are those of the listing so far.
        case pageSaved(resource: String, page: Int, RunCounters)
        /// An entry of the queue was accepted, tried or completed, or a page that failed was kept in the queue.
        case entryChanged(QueueEntry)
        /// Records of this resource changed: by a sync, this program or another process. Read them again.
        case recordsChanged(resource: String)
        /// A run of this ``Siding`` ended, with or without success.
        case runEnded(RunID, RunOutcome)
        /// The reader was slow, and the oldest events that it had not read were dropped: so many.
        case missed(Int)
    }
}
