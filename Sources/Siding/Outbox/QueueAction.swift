internal import SidingChain

/// An operator action that changes the state of entries.
public enum QueueAction: String, Sendable, CaseIterable {
    /// Makes the entry due now, parked or not, and resets its attempts.
    case retry
    /// Parks the entry until it is released.
    case hold
    /// Returns a parked entry to the queue.
    case release
    /// Ends the entry without sending it. Dropping a fetch also drops the checkpoint of its listing: the next sync starts
    /// over.
    case drop
}

extension QueueAction {
    /// Why the action is refused for `entry`; nil if it is allowed.
    ///
    /// - Parameter isBeingSent: whether a live sender has claimed the entry; nil treats every `sending` entry as claimed,
    ///   because the entry alone does not show whether its sender is alive.
    public func refusal(on entry: QueueEntry, isBeingSent: Bool? = nil) -> String? {
        if entry.state.isSettled { return "it is settled (\(entry.state.rawValue))" }
        if isBeingSent ?? (entry.state == .sending) { return "it is being sent right now" }
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
