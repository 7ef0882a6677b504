public import HTTPTypes

/// Bounds how many requests go out within a span of time, for all who share it.
///
/// Siding's SQLite store has one for each source with ``/Siding/Source/limits``. A place is taken before a request goes out
/// and settled when its end is known; what is never settled, as the process died or no answer came, stays taken for as long
/// as the origin may count the request.
public protocol RequestBudget: Sendable {
    /// Takes a place for one request to `url`, or refuses at once.
    ///
    /// - Throws: ``Failure/Reason/waitingForOrigin``, not sent, with ``BudgetSpent`` beneath where there is none.
    func take(_ url: HTTPURL) async throws(Failure) -> BudgetPlace

    /// Says what became of the request that `place` was taken for.
    func settle(_ place: BudgetPlace, _ ending: BudgetEnding) async
}

/// A place in a budget; empty where nothing bounds the request.
public struct BudgetPlace: Sendable, Hashable {
    /// What was taken of one rule of the budget.
    public struct Slot: Sendable, Hashable {
        public var id: Int64
        /// Which rule, as the budget counts them.
        public var rule: Int

        public init(id: Int64, rule: Int) {
            (self.id, self.rule) = (id, rule)
        }
    }

    public var slots: [Slot]

    public init(slots: [Slot] = []) {
        self.slots = slots
    }
}

/// What became of a request that had a place.
public enum BudgetEnding: Sendable, Hashable {
    /// No byte of it can have reached the origin: the place is free again.
    case unsent
    /// The origin answered, with these fields.
    case answered(HTTPFields)
}

/// Why a request has no place, and until when.
public struct BudgetSpent: Error, Sendable, Hashable, CustomStringConvertible {
    /// From when on there may be one, in seconds since 1970. Not before that; later where others are quicker.
    public var until: Double
    /// Whether no request to the source would have one, whatever its path.
    public var isOfAll: Bool
    /// For a person.
    public var description: String

    public init(until: Double, isOfAll: Bool, _ description: String) {
        (self.until, self.isOfAll, self.description) = (until, isOfAll, description)
    }

    /// The failure of a request that has no place.
    public var failure: Failure {
        Failure(.waitingForOrigin, phase: .notSent, detail: description, underlying: self)
    }
}

/// A budget, and how long a call waits for a place in it.
public struct BudgetUse: Sendable {
    /// Limits by the minute never put a listing off: a place is free again a minute after the answer.
    public static let longestPatience = Duration.seconds(90)

    public var requests: any RequestBudget
    /// How long one try waits; it fails at once where the place would come later.
    public var patience: Duration

    public init(_ requests: any RequestBudget, patience: Duration = Self.longestPatience) {
        self.requests = requests
        self.patience = patience
    }
}
