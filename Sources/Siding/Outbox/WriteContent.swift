package import HTTPTypes
package import SidingChain
internal import SidingSQLite

/// The stored parts of a write that its entry does not show: the request, the answer, and the entries it waits for.
package struct WriteContent: Sendable {
    /// The write's own fields. The source's fields and credentials are added when it is sent.
    package var headerFields: HTTPFields
    package var body: [UInt8]?
    package var key: String
    /// The field that carries the key; nil if the key is not sent.
    package var keyField: HTTPField.Name?
    /// Whether the key is sent in double quotes (RFC 8941 §3.3.3).
    package var isKeyQuoted: Bool
    /// Whether the origin honours the key.
    package var isKeyed: Bool
    /// The earliest time at which it may have reached the origin.
    package var firstSentAt: Timestamp?
    /// The origin's last answer.
    package var answer: WriteAnswer?
    /// The open entries that must complete first.
    package var parents: [String]
    /// The first open entry of the lane.
    package var head: String?
    /// The entry that this one replaced.
    package var replaces: String?
    /// The path of the delivery probe, below the source's base URL; nil if there is none.
    package var probe: String?

    package init(
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

extension WriteContent {
    /// Nil if the entry is not a write.
    static func load(_ entry: String, _ snapshot: borrowing Snapshot) throws -> WriteContent? {
        guard let request = try OutboxRequestsTable.load(entry, snapshot),
            let key = try IdempotencyKeysTable.load(entry, snapshot),
            let sending = try OutboxTable.sending(of: entry, snapshot)
        else { return nil }
        return WriteContent(
            headerFields: try request.headerFields(), body: request.outgoingBody(of: entry, key: key.key), key: key.key,
            keyField: key.field, isKeyed: key.isHonoured, firstSentAt: sending.firstSentAt, answer: request.answer,
            parents: try OutboxDependenciesTable.openParents(of: entry, snapshot),
            head: try OutboxTable.laneHead(of: entry, snapshot), replaces: sending.replaces,
            probe: request.probe?.path(entry: entry, key: key.key), isKeyQuoted: key.isQuoted)
    }
}
