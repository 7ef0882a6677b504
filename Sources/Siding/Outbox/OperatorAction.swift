/// An operator action on every entry of a selection. Each queue command is one of these.
public enum OperatorAction: Sendable, Hashable {
    /// Retry, hold, release or drop.
    case act(QueueAction)
    /// Replaces the request of a write with an edited one.
    case replace(WriteChange)
    /// Resolves a conflict between a write and the server copy.
    case resolve(ConflictResolution)
    /// Deletes completed entries. The key of a write stays reserved for as long as its origin remembers it.
    case purge
}

/// The result of an operator action on one entry.
public struct QueueChange: Sendable, Hashable {
    /// The entry afterwards; a different entry from ``before`` if it was replaced.
    public var entry: QueueEntry
    /// The entry before the action.
    public var before: QueueEntry
    /// Why the action was refused; nil if it was carried out.
    public var refusal: String?
    /// What to do about the refusal.
    public var hint: String?

    /// - Parameter before: nil if the entry is unchanged.
    public init(entry: QueueEntry, before: QueueEntry? = nil, refusal: String? = nil, hint: String? = nil) {
        (self.entry, self.before, self.refusal, self.hint) = (entry, before ?? entry, refusal, hint)
    }
}

/// Thrown inside a transaction if an operator action is not allowed for an entry.
struct QueueRefusal: Error {
    /// Completes the sentence `it cannot be changed: …`.
    var reason: String
    var hint: String?
}
