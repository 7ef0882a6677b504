public import SidingChain

/// A request that the queue retains.
public struct QueueEntry: Sendable, Hashable {
    /// 26 random characters; shown by the first 8, found by any unique prefix of 4 or more.
    public var id: String
    public var kind: Kind
    public var state: State
    /// Why it is parked.
    public var reason: ParkReason?
    public var source: String
    public var resource: String?
    public var lane: String
    public var method: String
    /// Without credentials.
    public var url: String
    /// The page's place in its listing, for a fetch.
    public var pageNumber: Int?
    /// Failed tries that count.
    public var attempts: Int
    /// How often it was tried since it was queued, or let go by a person, also where that does not count.
    public var tries = 0
    /// How often its sender died.
    public var crashes: Int
    public var createdAt: Timestamp
    /// Not tried on its own before this moment.
    public var nextAttemptAt: Timestamp
    public var lastError: RecordedError?
    public var settledAt: Timestamp?
    /// Whether it is the oldest unsettled entry of its lane: the others wait for it.
    public var isHead: Bool
    /// How many unsettled entries it was told to wait for.
    public var waitsOn: Int
    /// The name of the configured write that it came from.
    public var operation: String?
    /// The key of the record of ``resource`` that a write is about; a temporary id while the origin has not made one.
    public var recordKey: String?
    /// When the try ended of which nobody knows whether it arrived, where the origin is to be asked; nil where all is known
    /// or nobody can be asked.
    public var unknownSince: Timestamp?
    /// Set where the entry was forgotten: only its key is kept until then, so that it is not used again.
    public var keyKeptUntil: Timestamp?

    /// Whose request it is: a page of ours, or the user's own.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        case fetch, write
    }

    /// queued → sending → done; or parked, for a person; or dropped, by a person.
    public enum State: String, Sendable, Codable, CaseIterable {
        case queued, sending, parked, done, dropped

        /// Whether nothing more happens to the entry.
        public var isSettled: Bool { self == .done || self == .dropped }
    }

    public init(
        id: String, kind: Kind, state: State, reason: ParkReason? = nil, source: String, resource: String?,
        lane: String,
        method: String, url: String, pageNumber: Int? = nil, attempts: Int = 0, crashes: Int = 0, createdAt: Timestamp,
        nextAttemptAt: Timestamp, lastError: RecordedError? = nil, settledAt: Timestamp? = nil,
        isHead: Bool = true, waitsOn: Int = 0, operation: String? = nil, recordKey: String? = nil,
        unknownSince: Timestamp? = nil
    ) {
        self.id = id
        self.kind = kind
        self.state = state
        self.reason = reason
        self.source = source
        self.resource = resource
        self.lane = lane
        self.method = method
        self.url = url
        self.pageNumber = pageNumber
        self.attempts = attempts
        self.crashes = crashes
        self.createdAt = createdAt
        self.nextAttemptAt = nextAttemptAt
        self.lastError = lastError
        self.settledAt = settledAt
        self.isHead = isHead
        self.waitsOn = waitsOn
        self.operation = operation
        self.recordKey = recordKey
        self.unknownSince = unknownSince
    }

    /// Whether nobody knows if the origin has it: it is asked about, or a person has to look.
    public var mayHaveArrived: Bool { unknownSince != nil || reason?.isDoubt == true }

    /// The part of the id that people see.
    public var shortID: String { String(id.prefix(8)) }
}

extension ParkReason {
    /// Whether it is parked because it may have arrived: who lets it go on all the same has looked.
    var isDoubt: Bool { self == .uncertain || self == .keyExpired }
}

/// One line of an entry's history.
public struct QueueEvent: Sendable, Hashable {
    public var at: Timestamp
    /// The process that did it.
    public var who: String
    /// `retained`, `claimed`, `failed`, `held`, `released`, `answered`, `dropped`, …
    public var event: String
    public var detail: String?

    public init(at: Timestamp, who: String, event: String, detail: String?) {
        (self.at, self.who, self.event, self.detail) = (at, who, event, detail)
    }
}

extension QueueEntry {
    /// Whether the entry has a lane to itself.
    package var isAloneInLane: Bool { lane == Self.ownLane(of: id) }

    /// The lane of a write that names none.
    static func ownLane(of id: String) -> String { "entry:\(id)" }

    /// Whether the entry may not go on without a person's word. Other parked fetches are tried by each sync.
    package var waitsForPerson: Bool { state == .parked && (reason == .held || reason == .poison) }

    /// Whether it waits for its time, and that has come. A wait that is longer than any can be was set before the clock was
    /// set back: it is over.
    package func isDue(at now: Timestamp) -> Bool {
        state == .queued && (nextAttemptAt <= now || nextAttemptAt > now + RetryAfter.longest)
    }
}
