public import HTTPTypes
public import SidingChain

/// A write that a sender has in hand: what to send, and the token that shows whose it is.
public struct ClaimedWrite: Sendable {
    /// The entry as it is now: `sending`.
    public var entry: QueueEntry
    /// Grows with each claim; what is settled under an older one changes nothing.
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
    /// When it may first have reached the origin.
    public var firstSentAt: Timestamp?
    /// What it does to a record that is kept here; nil where it does nothing to one.
    var terms: EditTerms?
    /// How to find out whether it arrived; nil where nobody is to be asked.
    var probe: WriteProbe?
    /// The statuses that are conflicts; nil for the usual ones.
    var conflictStatuses: Set<Int>?
    /// Whether 404 and 410 mean that it is done; nil where nothing is declared.
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

    /// Whether it may be sent again although it perhaps arrived: its method is idempotent (RFC 9110 §9.2.2), or its key
    /// is honoured.
    public var isResendable: Bool { isKeyed || method.isIdempotent }

    /// The question that is to be asked instead of sending it: it may have arrived.
    var question: WriteProbe? { entry.unknownSince == nil ? nil : probe }

    /// All fields of the request but the source's own: the key among them.
    var outgoingFields: HTTPFields {
        guard let keyField else { return headerFields }
        var fields = headerFields
        fields[keyField] = isKeyQuoted ? "\"\(key)\"" : key
        return fields
    }
}

/// What a sender may take.
public struct ClaimRequest: Sendable {
    /// How many requests of each source may be under way, in all processes; other sources are left alone.
    public var sources: [String: Int]
    /// Only this entry, whether or not its time has come.
    public var entry: String?
    /// Whether it is sent through a closed gate: a person asked for it.
    public var passesGates: Bool

    public init(sources: [String: Int], entry: String? = nil, passesGates: Bool = false) {
        (self.sources, self.entry, self.passesGates) = (sources, entry, passesGates)
    }
}
