/// What a request wants before it goes out.
public struct SlotRequest: Sendable, Hashable {
    public var source: String
    /// Those that fit the request.
    public var limits: [RateLimit]
    /// How long the request may be under way.
    public var hold: Duration

    public init(source: String, limits: [RateLimit], hold: Duration) {
        (self.source, self.limits, self.hold) = (source, limits, hold)
    }
}

/// Whether a request may go out.
public enum SlotAnswer: Sendable, Hashable {
    /// It may; the slots, as many as limits were asked, in their order.
    case taken([Int64])
    /// It may not before `until`, and perhaps not then; `limit` is the one that has a slot last.
    case spent(limit: RateLimit, until: Timestamp, because: BudgetShortage)
}

/// Why a limit has no room.
public enum BudgetShortage: Sendable, Hashable, CaseIterable {
    /// So many went out as its rate allows.
    case rate
    /// The origin said that nothing is left.
    case origin
    /// What is under way may take all that the origin has left: the next answer tells.
    case underWay
    /// Requests that ended without an answer that tells what is left may have taken all of it.
    case unheard
}

/// What became of the request that had a slot.
public struct SlotSettlement: Sendable, Hashable {
    public enum Ending: Sendable, Hashable {
        /// It did not go out.
        case unsent
        /// It was answered; the origin may have said how many requests are left, until when. Where the limit is by what the
        /// origin says, and it said nothing, the request counts as spent until a later one's answer tells.
        case answered(remaining: Int?, until: Timestamp?)
    }

    public var slot: Int64
    public var source: String
    public var limit: RateLimit
    public var ending: Ending

    public init(slot: Int64, of source: String, _ limit: RateLimit, _ ending: Ending) {
        (self.slot, self.source, self.limit, self.ending) = (slot, source, limit, ending)
    }
}

/// How a budget stands.
public struct BudgetReport: Sendable, Hashable {
    public var source: String
    /// The pattern of its limit.
    public var match: String
    /// Nil where only the origin counts.
    public var rate: RequestRate?
    /// How many requests count right now.
    public var used: Int
    /// How many the origin has left, and until when that holds.
    public var remaining: Int?
    public var resetAt: Timestamp?
    /// Where nothing may go out: from when on something may. Nil where it only waits for what is under way.
    public var freeAt: Timestamp?
    /// Why nothing may go out now; nil where something may.
    public var shortage: BudgetShortage?
}
