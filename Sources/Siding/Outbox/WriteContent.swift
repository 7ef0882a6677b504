public import HTTPTypes
public import SidingChain

/// What the queue keeps of a write beside its entry: the request itself, its answer, and what it waits for.
public struct WriteContent: Sendable {
    /// Its own fields; the source's, and its credentials, are added when it is sent.
    public var headerFields: HTTPFields
    public var body: [UInt8]?
    public var key: String
    /// The field that carries the key; nil where none does.
    public var keyField: HTTPField.Name?
    /// Whether the key stands in double quotes in its field (RFC 8941 §3.3.3).
    public var isKeyQuoted: Bool
    /// Whether the origin honours the key.
    public var isKeyed: Bool
    /// When it may first have reached the origin.
    public var firstSentAt: Timestamp?
    /// What the origin said last.
    public var answer: WriteAnswer?
    /// The unsettled entries that it was told to wait for.
    public var parents: [String]
    /// The entry that stands before all others in its lane.
    public var head: String?
    /// The entry that this one is the edited form of.
    public var replaces: String?
    /// Where the origin is asked whether it has the write, below its source's base URL; nil where nobody is asked.
    public var probe: String?

    public init(
        headerFields: HTTPFields, body: [UInt8]?, key: String, keyField: HTTPField.Name?, isKeyed: Bool,
        firstSentAt: Timestamp?, answer: WriteAnswer?, parents: [String], head: String?, replaces: String?,
        probe: String? = nil, isKeyQuoted: Bool = false
    ) {
        self.headerFields = headerFields
        self.body = body
        self.key = key
        self.keyField = keyField
        self.isKeyQuoted = isKeyQuoted
        self.isKeyed = isKeyed
        self.firstSentAt = firstSentAt
        self.answer = answer
        self.parents = parents
        self.head = head
        self.replaces = replaces
        self.probe = probe
    }
}
