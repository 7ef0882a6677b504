public import HTTPTypes
public import SidingChain

/// A request of the user's own that changes something at an origin: what is to be kept, and then sent.
public struct WriteRequest: Sendable {
    /// The methods of writes.
    public static let methods: Set<HTTPRequest.Method> = [.post, .put, .patch, .delete]

    /// The most bytes that a body may have, as it is kept in the database until the origin has it.
    public static let bodyLimit = 64 << 20

    /// The name of the source that it goes to; its credentials are added when it is sent.
    public var source: String
    public var method: HTTPRequest.Method
    /// Absolute, without credentials.
    public var url: HTTPURL
    /// Fields of its own; the source's are added when it is sent.
    public var headerFields: HTTPFields
    /// Sent byte for byte, each time.
    public var body: [UInt8]?
    /// Entries of one lane are delivered in order; nil for a lane of its own, or of its record where it has an ``edit``.
    public var lane: String?
    /// Entries, by id or unique prefix, that must be settled before this one is sent.
    public var after: [String]
    /// The key under which the origin acts once; nil for one that is made when the write is accepted. The same key and the
    /// same request again lead to the entry that is there already.
    public var key: String?
    /// The origin's promise to honour the key; nil where there is none.
    public var idempotency: Idempotency?
    /// How long it is worth being sent; nil for ever.
    public var expiry: Duration?
    /// The name of the configured write that it came from, such as `issues.create`.
    public var operation: String?
    /// What it does to a record that is kept here; nil where it does nothing to one.
    public var edit: WriteEdit?
    /// How to find out whether it arrived, where it may have and may not be sent twice; nil for a person to find out.
    public var probe: WriteProbe?
    /// The statuses that say that someone else changed the same; nil for 409, 412 and 428. The others of these refuse the
    /// write then, as every other 4xx does.
    public var conflictStatuses: Set<Int>?
    /// Whether what is to go counts as gone where the origin has it no more (404, 410); nil for where the method is DELETE, or
    /// the ``edit`` deletes its record.
    public var goneIsDone: Bool?

    public init(
        to source: String, _ method: HTTPRequest.Method, _ url: HTTPURL, headerFields: HTTPFields = [:],
        body: [UInt8]? = nil, lane: String? = nil, after: [String] = [], key: String? = nil,
        idempotency: Idempotency? = nil, expiry: Duration? = nil, operation: String? = nil, edit: WriteEdit? = nil,
        probe: WriteProbe? = nil, conflictStatuses: Set<Int>? = nil, goneIsDone: Bool? = nil
    ) {
        self.source = source
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
        self.lane = lane
        self.after = after
        self.key = key
        self.idempotency = idempotency
        self.expiry = expiry
        self.operation = operation
        self.edit = edit
        self.probe = probe
        self.conflictStatuses = conflictStatuses
        self.goneIsDone = goneIsDone
    }
}
