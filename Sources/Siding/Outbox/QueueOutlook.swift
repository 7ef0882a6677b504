public import SidingChain

/// What the queue has for a sender: one look at the store says whether anything is to be done.
public struct QueueOutlook: Sendable, Hashable {
    /// Whether a claim might take a write in hand, or park one that has expired.
    public var hasWork: Bool
    /// When the next write may be tried; nil where nothing waits for its time.
    public var nextDue: Timestamp?
    /// Of all sources, those of which a sender has a write in hand, or had one when it died.
    public var inHand: Set<String>
    /// Of all sources, those of which any entry is parked for a sign-in, or whose gate is closed for one: they are worth a
    /// try once the credentials have changed.
    public var wantingSignIn: Set<String>

    public init(hasWork: Bool, nextDue: Timestamp?, inHand: Set<String>, wantingSignIn: Set<String>) {
        (self.hasWork, self.nextDue) = (hasWork, nextDue)
        (self.inHand, self.wantingSignIn) = (inHand, wantingSignIn)
    }
}
