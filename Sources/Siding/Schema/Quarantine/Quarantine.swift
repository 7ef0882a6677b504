public import SidingChain

/// A record that broke its contract and was set aside.
public struct QuarantinedRecord: Sendable, Hashable {
    /// Names it for a person; it stays the same while the origin sends the same at the same place.
    public var id: Int64
    public var resource: String
    /// Nil where it has no usable one.
    public var key: String?
    /// What is wrong with it, in words.
    public var reason: String
    /// The rule that it broke: `new_field`, `type_change`, `missing_key`, `key_type`, `duplicate_name`, …
    public var code: String
    /// The run that saw it last.
    public var run: RunID
    /// The page on which it stood.
    public var url: String
    /// The byte of the page at which it began.
    public var position: Int
    /// When the origin first sent these bytes there.
    public var createdAt: Timestamp
    /// When it last did.
    public var seenAt: Timestamp
    /// How many bytes it has.
    public var size: Int
    /// The bytes as they came; empty in listings.
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

/// Which quarantined records are meant: all, or those that fit everything that is said.
public struct QuarantineSelection: Sendable, Hashable {
    public var ids: [Int64]
    public var resources: [String]
    /// Nil for no end; the oldest come first.
    public var limit: Int?

    public init(ids: [Int64] = [], resources: [String] = [], limit: Int? = nil) {
        self.ids = ids
        self.resources = resources
        self.limit = limit
    }
}

/// What became of a quarantined record that was read again.
public struct QuarantineChange: Sendable, Hashable {
    public var record: QuarantinedRecord
    /// Why it stays in quarantine; nil where it was saved.
    public var refusal: String?
    /// Who is at its resource, so that nothing was done; nil where nobody is.
    public var heldBy: LeaseHolder?

    public init(record: QuarantinedRecord, refusal: String?, heldBy: LeaseHolder? = nil) {
        (self.record, self.refusal, self.heldBy) = (record, refusal, heldBy)
    }
}
