internal import SidingChain

/// What a person does to entries.
public enum QueueAction: String, Sendable, CaseIterable {
    /// Due now, parked or not; the count of tries starts again.
    case retry
    /// Parked until released.
    case hold
    /// Back to the queue.
    case release
    /// Out of the queue for good. A dropped fetch takes its listing's checkpoint along: the next sync starts anew.
    case drop
}

extension QueueAction {
    /// Why the action is not for `entry` as it stands; nil where it is.
    ///
    /// - Parameter isBeingSent: whether a sender that lives has it in hand; nil takes every `sending` entry for one that
    ///   has, as a look at the entry alone cannot tell.
    public func refusal(on entry: QueueEntry, isBeingSent: Bool? = nil) -> String? {
        if entry.state.isSettled { return "it is settled (\(entry.state.rawValue))" }
        if isBeingSent ?? (entry.state == .sending) { return "it is being sent right now" }
        switch self {
        case .hold where entry.state == .parked && entry.reason == .held: return "it is held already"
        // A parked write goes nowhere, and why it is parked must not be forgotten; each sync tries a parked fetch.
        case .hold where entry.state == .parked && entry.kind == .write:
            return "it is parked already (\(entry.reason?.rawValue ?? ""))"
        case .release where entry.state != .parked: return "it is not parked"
        case .hold, .release, .retry, .drop: return nil
        }
    }
}
