/// A person's word on entries, as many as a selection means: what each command on the queue comes down to.
public enum QueueDecision: Sendable, Hashable {
    /// Retried, held, released or dropped.
    case act(QueueAction)
    /// Another request in the place of a write: a person's edit.
    case replace(WriteChange)
    /// Decided between a write and what the origin has.
    case resolve(ConflictResolution)
    /// Forgotten, which settled ones may be; the key of a write stays taken for as long as its origin remembers it.
    case purge
}

/// What a decision did to one entry.
public struct QueueChange: Sendable, Hashable {
    /// The entry as it is now; another one than ``before`` where that took its place.
    public var entry: QueueEntry
    /// The entry as it was found.
    public var before: QueueEntry
    /// Nil where the decision was carried out; else why it was not.
    public var refusal: String?
    /// What can be done about a refusal.
    public var hint: String?

    /// - Parameter before: nil where it is as it was.
    public init(entry: QueueEntry, before: QueueEntry? = nil, refusal: String? = nil, hint: String? = nil) {
        (self.entry, self.before, self.refusal, self.hint) = (entry, before ?? entry, refusal, hint)
    }
}

/// A decision is not for an entry as it stands; inside a transaction.
struct QueueRefusal: Error {
    /// Reads on after `it cannot be changed:`.
    var reason: String
    var hint: String?
}
