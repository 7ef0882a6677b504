public import SidingChain

/// What a sender has to do, as found by one read of the store.
public struct QueueOutlook: Sendable, Hashable {
    /// Whether a claim might find a due write, or park an expired one.
    public var hasWork: Bool
    /// When the next write may be tried; nil if none waits for its time.
    public var nextDue: Timestamp?
    /// All sources with a claimed write, whether its sender is alive or dead.
    public var claimed: Set<String>
    /// All sources with an entry parked for a sign-in, or with a gate closed for one: worth a try once the credentials have
    /// changed.
    public var wantingSignIn: Set<String>

    public init(hasWork: Bool, nextDue: Timestamp?, claimed: Set<String>, wantingSignIn: Set<String>) {
        (self.hasWork, self.nextDue) = (hasWork, nextDue)
        (self.claimed, self.wantingSignIn) = (claimed, wantingSignIn)
    }
}
