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

/// A store that sets records aside.
public protocol QuarantineStore: Sendable {
    /// The quarantined records that `selection` means, oldest first, without their bytes.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` where an id leads to none.
    func quarantined(_ selection: QuarantineSelection) async throws(StoreError) -> [QuarantinedRecord]

    /// One with its bytes.
    ///
    /// - Throws: ``StoreError/Kind/notFound`` where there is none.
    func quarantined(_ id: Int64) async throws(StoreError) -> QuarantinedRecord?

    /// Reads quarantined records again as `resources` are declared now, and saves what is good, all in one transaction and
    /// a run of its own.
    ///
    /// What is saved leaves the quarantine. A record of which the origin, or the program, said something since it was last seen
    /// is left: the newer one stays. So are those of a resource whose lease another run holds.
    func retryQuarantined(
        _ selection: QuarantineSelection, as resources: [AnyResource]
    ) async throws(StoreError) -> [QuarantineChange]

    /// Forgets quarantined records, with their bytes; they come back if the origin sends them again as they were.
    func dropQuarantined(_ selection: QuarantineSelection) async throws(StoreError) -> [QuarantinedRecord]
}
