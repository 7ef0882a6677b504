public import HTTPTypes
public import SidingChain

/// A claimed write: the request to send, and the token that proves the claim.
public struct ClaimedWrite: Sendable {
    /// The entry in its present state: `sending`.
    public var entry: QueueEntry
    /// Grows with each claim; results recorded with an older token are ignored.
    public var token: Int64
    public var method: HTTPRequest.Method
    public var url: HTTPURL
    public var headerFields: HTTPFields
    public var body: [UInt8]?
    /// The idempotency key, and how it is written.
    public var key: String
    public var keyField: HTTPField.Name?
    public var isKeyQuoted: Bool
    /// Whether the origin honours the key.
    public var isKeyed: Bool
    /// The earliest time at which it may have reached the origin.
    public var firstSentAt: Timestamp?
    /// The effect on a local record; nil if there is none.
    var terms: EditTerms?
    /// The delivery probe; nil if there is none.
    var probe: WriteProbe?
    /// The statuses that mean a conflict; nil for the default ones.
    var conflictStatuses: Set<Int>?
    /// Whether 404 and 410 count as success; nil if not declared.
    var goneIsDone: Bool?

    public init(
        entry: QueueEntry, token: Int64, method: HTTPRequest.Method, url: HTTPURL, headerFields: HTTPFields,
        body: [UInt8]?, key: String, keyField: HTTPField.Name?, isKeyQuoted: Bool, isKeyed: Bool,
        firstSentAt: Timestamp?
    ) {
        self.entry = entry
        self.token = token
        self.method = method
        self.url = url
        self.headerFields = headerFields
        self.body = body
        self.key = key
        self.keyField = keyField
        self.isKeyQuoted = isKeyQuoted
        self.isKeyed = isKeyed
        self.firstSentAt = firstSentAt
    }

    /// Whether it may be sent again although it may have arrived: its method is idempotent (RFC 9110 §9.2.2), or its key is
    /// honoured.
    public var isResendable: Bool { isKeyed || method.isIdempotent }

    /// The delivery probe to run instead of sending the write, as it may have arrived; else nil.
    var question: WriteProbe? { entry.unknownSince == nil ? nil : probe }

    /// All header fields except the source's own, with the key.
    var outgoingFields: HTTPFields {
        guard let keyField else { return headerFields }
        var fields = headerFields
        fields[keyField] = isKeyQuoted ? "\"\(key)\"" : key
        return fields
    }
}

/// What a sender may claim.
public struct ClaimRequest: Sendable {
    /// How many requests of each source may be in flight, over all processes; other sources are not touched.
    public var sources: [String: Int]
    /// Claims only this entry, due or not.
    public var entry: String?
    /// Whether it is sent through a closed gate, because an operator asked for it.
    public var passesGates: Bool

    public init(sources: [String: Int], entry: String? = nil, passesGates: Bool = false) {
        (self.sources, self.entry, self.passesGates) = (sources, entry, passesGates)
    }
}
