// SPDX-License-Identifier: Apache-2.0
/// An operator action on every entry of a selection. Each queue command is one of these.
package enum OperatorAction: Sendable, Hashable {
    case act(QueueAction)
    case replace(WriteChange)
    case resolve(ConflictResolution)
    /// Deletes completed entries. The key of a write stays reserved for as long as its origin remembers it.
    case purge
}

/// The result of an operator action on one entry.
package struct QueueChange: Sendable, Hashable {
    /// The entry afterwards; a different entry from ``before`` if it was replaced.
    package var entry: QueueEntry
    package var before: QueueEntry
    /// Why the action was refused; nil if it was carried out.
    package var refusal: String?
    package var hint: String?
    /// In a dry run of an edit, the request that the entry would become.
    package var request: RequestPreview?

    /// - Parameter before: nil if the entry is unchanged.
    package init(entry: QueueEntry, before: QueueEntry? = nil, refusal: String? = nil, hint: String? = nil) {
        (self.entry, self.before, self.refusal, self.hint) = (entry, before ?? entry, refusal, hint)
    }
}

/// A request that an entry would become; header values and body stay hidden.
package struct RequestPreview: Sendable, Hashable {
    package var method: String
    package var url: String
    package var headerNames: [String]
    package var bodyBytes: Int?
}

/// Thrown inside a transaction if an operator action is not allowed for an entry.
struct QueueRefusal: Error {
    /// Completes the sentence `it cannot be changed: …`.
    var reason: String
    var hint: String?
}

/// An operator action that changes the state of entries.
package enum QueueAction: String, Sendable, CaseIterable {
    /// Makes the entry due now, parked or not, and resets its attempts.
    case retry
    case hold
    case release
    /// Ends the entry without sending it. Dropping a fetch also drops the checkpoint of its listing: the next sync starts
    /// over.
    case drop
}

extension QueueAction {
    /// Why the action is refused for `entry`; nil if it is allowed.
    ///
    /// - Parameter isBeingSent: whether a live sender has claimed the entry.
    func refusal(on entry: QueueEntry, isBeingSent: Bool) -> String? {
        if entry.state.isCompleted { return "it is completed (\(entry.state.rawValue))" }
        if isBeingSent { return "it is being sent right now" }
        switch self {
        case .hold where entry.state == .parked && entry.reason == .held: return "it is held already"
        // A parked write stays parked anyway, and its reason must be kept. A parked fetch is tried by each sync, so it can be
        // held.
        case .hold where entry.state == .parked && entry.kind == .write:
            return "it is parked already (\(entry.reason?.rawValue ?? ""))"
        case .release where entry.state != .parked: return "it is not parked"
        case .hold, .release, .retry, .drop: return nil
        }
    }
}

/// A decision on a write that conflicts with the origin's record, or is in doubt.
public enum ConflictResolution: Sendable, Hashable {
    /// Sends the write again, under a new key, against the present copy of the origin's record.
    case mine
    /// Drops the write: the origin's record stays.
    case theirs
    /// Sends another body as a new entry. For an edit, it is the whole wanted record; a write with a merge patch
    /// sends only its differences from the origin's copy. For other writes it is the body.
    case merge([UInt8])
    /// Not for conflicts, but for a write in doubt that was found at the origin. Completes it as delivered; `id`
    /// is the origin's id of the created record, for the entries that name it.
    case arrived(id: String? = nil)
}
