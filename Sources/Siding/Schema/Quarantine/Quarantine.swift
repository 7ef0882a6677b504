public import SidingChain

/// A quarantined record, which broke its contract.
public struct QuarantinedRecord: Sendable, Hashable {
    /// The number for commands; it stays while the origin sends the same bytes at the same position.
    public var id: Int64
    public var resource: String
    /// Nil if it has no usable key.
    public var key: String?
    /// Why it was quarantined, as a message.
    public var reason: String
    /// The broken rule: `new_field`, `type_change`, `missing_key`, `key_type`, `duplicate_name`, …
    public var code: String
    /// The run that last received it.
    public var run: RunID
    /// The URL of its page.
    public var url: String
    /// Its byte offset in the page.
    public var position: Int
    /// When the origin first sent these bytes.
    public var createdAt: Timestamp
    /// When the origin last sent them.
    public var seenAt: Timestamp
    /// The number of bytes.
    public var size: Int
    /// The original bytes; empty in lists.
    public var body: [UInt8]

    public init(
        id: Int64, resource: String, key: String?, reason: String, code: String, run: RunID, url: String,
        position: Int, createdAt: Timestamp, seenAt: Timestamp, size: Int, body: [UInt8]
    ) {
        self.id = id
        self.resource = resource
        self.key = key
        self.reason = reason
        self.code = code
        self.run = run
        self.url = url
        self.position = position
        self.createdAt = createdAt
        self.seenAt = seenAt
        self.size = size
        self.body = body
    }
}

/// A selection of quarantined records: all, or those that match every given criterion.
public struct QuarantineSelection: Sendable, Hashable {
    public var ids: [Int64]
    public var resources: [String]
    /// Nil for no limit; oldest first.
    public var limit: Int?

    public init(ids: [Int64] = [], resources: [String] = [], limit: Int? = nil) {
        self.ids = ids
        self.resources = resources
        self.limit = limit
    }
}

/// The result of retrying a quarantined record.
public struct QuarantineChange: Sendable, Hashable {
    public var record: QuarantinedRecord
    /// Why it stays in quarantine; nil if it was saved.
    public var refusal: String?
    /// The holder of its resource's lease, in which case nothing was done; nil otherwise.
    public var heldBy: LeaseHolder?

    public init(record: QuarantinedRecord, refusal: String?, heldBy: LeaseHolder? = nil) {
        (self.record, self.refusal, self.heldBy) = (record, refusal, heldBy)
    }
}
