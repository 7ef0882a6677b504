public import SidingChain

/// Where the present body of a record came from, and what is known of its being so still.
public struct RecordProvenance: Sendable, Hashable {
    /// What brought a body.
    public enum Cause: String, Sendable, Hashable, CaseIterable {
        /// A page of a listing.
        case page
        /// The answer to one of the user's own writes.
        case write
        /// A page whose record was in quarantine first.
        case quarantine
        /// The program itself saved it here.
        case local
        /// Nothing of the origin's yet: an own edit that it has not answered.
        case edit
        /// It was written before this was kept.
        case unknown
    }

    /// A request and its answer.
    public struct Request: Sendable, Hashable {
        public var method: String
        /// Without the values of secret parameters.
        public var url: String
        /// The page's place in its listing.
        public var page: Int?
        public var status: Int?
        public var etag: String?
        public var lastModified: String?
        /// When its records were saved; of quarantine, when the origin had last sent them.
        public var at: Timestamp
        /// The queue's entry of a write.
        public var entry: String?
        /// The key of the record that the listing was made for; nil where the resource has one listing.
        public var scope: String?

        public init(
            method: String, url: String, page: Int? = nil, status: Int? = nil, etag: String? = nil,
            lastModified: String? = nil, at: Timestamp, entry: String? = nil, scope: String? = nil
        ) {
            self.scope = scope
            (self.method, self.url, self.page, self.status) = (method, url, page, status)
            (self.etag, self.lastModified, self.at, self.entry) = (etag, lastModified, at, entry)
        }
    }

    /// The run that saved something.
    public struct RunNote: Sendable, Hashable {
        public var id: RunID
        /// Nil where the run is no longer known.
        public var command: String?
        public var startedAt: Timestamp?

        public init(id: RunID, command: String?, startedAt: Timestamp?) {
            (self.id, self.command, self.startedAt) = (id, command, startedAt)
        }
    }

    /// An own edit that lies over the record, unsettled.
    public struct Edit: Sendable, Hashable {
        public var entry: String
        public var state: QueueEntry.State
        /// `create`, `merge`, `replace` or `delete`.
        public var change: String
        public var createdAt: Timestamp

        public init(entry: String, state: QueueEntry.State, change: String, createdAt: Timestamp) {
            (self.entry, self.state, self.change, self.createdAt) = (entry, state, change, createdAt)
        }
    }

    /// Why a record is a tombstone.
    public struct Deletion: Sendable, Hashable {
        public enum Cause: String, Sendable, Hashable, CaseIterable {
            /// The origin carried out an own delete.
            case write
            /// An own delete that the origin has not answered.
            case edit
            /// The program deleted it here.
            case local
            /// It does not fit the condition that the config keeps records by (`where`).
            case condition = "where"
            /// A run found it gone.
            case run
            /// The origin never had it under this key: a temporary id, or a create that was given up.
            case neverThere = "never_there"
        }

        public var at: Timestamp
        public var cause: Cause
        public var run: RunNote?
        public var entry: String?

        public init(at: Timestamp, cause: Cause, run: RunNote? = nil, entry: String? = nil) {
            (self.at, self.cause, self.run, self.entry) = (at, cause, run, entry)
        }
    }

    /// What has been heard of the record since.
    public struct Confirmation: Sendable, Hashable {
        /// When the origin last said that the page is, by its validators, what brought this body.
        public var confirmedAt: Timestamp?
        /// When the page's URL was last answered, whatever with; the body would be another, had that changed it.
        public var pageAnsweredAt: Timestamp?
        public var pageStatus: Int?
        /// When the resource's last complete listing ended, and in which run; it left the body as it is.
        public var listingCompletedAt: Timestamp?
        public var listingRun: RunID?

        public init(
            confirmedAt: Timestamp? = nil, pageAnsweredAt: Timestamp? = nil, pageStatus: Int? = nil,
            listingCompletedAt: Timestamp? = nil, listingRun: RunID? = nil
        ) {
            (self.confirmedAt, self.pageAnsweredAt, self.pageStatus) = (confirmedAt, pageAnsweredAt, pageStatus)
            (self.listingCompletedAt, self.listingRun) = (listingCompletedAt, listingRun)
        }
    }

    public var resource: String
    public var key: String
    /// What brought the origin's body; own edits that lie over it are told apart, in ``edits``.
    public var cause: Cause
    public var request: Request?
    /// Nil for what no run saved.
    public var run: RunNote?
    public var firstSeenAt: Timestamp
    /// When what is shown last changed, own edits included.
    public var changedAt: Timestamp
    public var confirmation: Confirmation
    /// In the order in which they lie on each other.
    public var edits: [Edit]
    /// Nil for a living record.
    public var deletion: Deletion?
    /// When its deletion was taken back by a person; nil where the origin has sent another body since, or it was never deleted.
    public var undeletedAt: Timestamp?

    public init(
        resource: String, key: String, cause: Cause, request: Request?, run: RunNote?, firstSeenAt: Timestamp,
        changedAt: Timestamp, confirmation: Confirmation = Confirmation(), edits: [Edit] = [],
        deletion: Deletion? = nil, undeletedAt: Timestamp? = nil
    ) {
        self.undeletedAt = undeletedAt
        self.resource = resource
        self.key = key
        self.cause = cause
        self.request = request
        self.run = run
        self.firstSeenAt = firstSeenAt
        self.changedAt = changedAt
        self.confirmation = confirmation
        self.edits = edits
        self.deletion = deletion
    }
}
