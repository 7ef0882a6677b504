// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// Where the present body of a record came from, and when it was last confirmed.
public struct RecordProvenance: Sendable, Hashable {
    /// The origin of a body.
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// A page of a listing.
        case page
        /// The answer to one of the user's own writes.
        case write
        /// A page whose record was quarantined first.
        case quarantine
        /// A save by the program itself.
        case local
        /// Only pending edits: the origin has not answered yet.
        case edit
    }

    /// A request and its answer.
    public struct Request: Sendable, Hashable {
        /// Such as `GET`.
        public var method: String
        /// The URL, with secret parameters redacted.
        public var url: String
        /// The page's number in its listing.
        public var page: Int?
        /// The HTTP status of the answer; nil if it is not stored.
        public var status: Int?
        /// The `ETag` of the answer.
        public var etag: String?
        /// The `Last-Modified` of the answer.
        public var lastModified: String?
        /// When the records were saved; for quarantine, when the origin last sent them.
        public var at: Timestamp
        /// The queue entry of a write.
        public var entry: String?
        /// The key of the parent record; nil if the listing has no parent.
        public var scope: String?
    }

    /// The run that saved or deleted the record.
    public struct RunNote: Sendable, Hashable {
        /// The number of the run.
        public var id: RunID
        /// Nil if the run was pruned.
        public var command: String?
        /// When it began; nil if the run was pruned.
        public var startedAt: Timestamp?
    }

    /// A pending edit of the record.
    public struct Edit: Sendable, Hashable {
        /// The id of its entry in the queue.
        public var entry: String
        /// The state of its entry.
        public var state: QueueEntry.State
        /// `create`, `merge`, `replace` or `delete`.
        public var change: String
        /// When the program made the edit.
        public var createdAt: Timestamp
    }

    /// Why a record is a tombstone.
    public struct Deletion: Sendable, Hashable {
        /// What deleted it.
        public enum Cause: String, Sendable, Hashable, CaseIterable {
            /// The origin carried out the user's delete.
            case write
            /// The user's delete, which the origin has not answered yet.
            case edit
            /// The program deleted it.
            case local
            /// The config's filter (`where`) excludes it.
            case condition = "where"
            /// A run found it deleted at the origin.
            case run
            /// The origin never had this key: a temporary id, or a create that was dropped.
            case neverThere = "never_there"
        }

        /// When it was deleted.
        public var at: Timestamp
        /// What deleted it.
        public var cause: Cause
        /// The run that found it deleted; nil for another cause.
        public var run: RunNote?
        /// The entry of a deleting write.
        public var entry: String?
    }

    /// What later answers say about the body.
    public struct Confirmation: Sendable, Hashable {
        /// When the origin last confirmed, by validators, the page that the body came from.
        public var confirmedAt: Timestamp?
        /// When the page's URL was last answered, with whatever status; a changed record would have replaced the body.
        public var pageAnsweredAt: Timestamp?
        /// The status of that answer.
        public var pageStatus: Int?
        /// When the resource's last complete listing ended, and in which run; it did not change the body.
        public var listingCompletedAt: Timestamp?
        /// The run of that listing.
        public var listingRun: RunID?
        /// Whether that listing did not contain the record.
        public var isMissing = false
        /// Whether the listing that once contained the record lacks it now, while the records of another one are not known.
        public var isUnknown = false
        /// How many complete listings in a row did not contain it; nil if they are not counted for its deletion.
        public var missingPasses: Int?
        /// How many such listings in a row delete it.
        public var passesNeeded: Int?
    }

    /// The name of the resource.
    public var resource: String
    /// The key of the record.
    public var key: String
    /// The source of the origin's version; pending edits are in ``edits``.
    public var cause: Cause
    /// The request that brought the body; nil if none did, or if it is not stored.
    public var request: Request?
    /// Nil if no run saved it.
    public var run: RunNote?
    /// When the record was first stored.
    public var firstSeenAt: Timestamp
    /// When the shown body last changed, including by edits.
    public var changedAt: Timestamp
    /// What later answers say about the body.
    public var confirmation = Confirmation()
    /// Pending edits, in the order in which they apply.
    public var edits: [Edit] = []
    /// Nil for a live record.
    public var deletion: Deletion?
    /// When the user undid its deletion; nil if it was never deleted, or the origin has sent another body since.
    public var undeletedAt: Timestamp?
}
