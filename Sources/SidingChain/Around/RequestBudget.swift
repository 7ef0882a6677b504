package import HTTPTypes

/// Bounds how many requests go out within a span of time, for all who share it.
///
/// Siding's SQLite store has one for each source with ``/Siding/Source/limits``. A place is taken before a request goes out
/// and settled when its end is known; what is never settled, as the process died or no answer came, stays taken for as long
/// as the origin may count the request.
package protocol RequestBudget: Sendable {
    /// Takes a place for one request to `url`, or refuses at once.
    ///
    /// - Throws: ``Failure/Reason/waitingForOrigin``, not sent, with ``BudgetSpent`` beneath where there is none.
    func take(_ url: HTTPURL) async throws(Failure) -> BudgetPlace

    /// Says what became of the request that `place` was taken for.
    func settle(_ place: BudgetPlace, _ ending: BudgetEnding) async
}

/// A place in a budget; empty where nothing bounds the request.
package struct BudgetPlace: Sendable, Hashable {
    /// What was taken of one rule of the budget.
    package struct Slot: Sendable, Hashable {
        package var id: Int64
        /// Which rule, as the budget counts them.
        package var rule: Int

        package init(id: Int64, rule: Int) {
            (self.id, self.rule) = (id, rule)
        }
    }

    package var slots: [Slot]

    package init(slots: [Slot] = []) {
        self.slots = slots
    }
}

/// What became of a request that had a place.
package enum BudgetEnding: Sendable, Hashable {
    /// No byte of it can have reached the origin: the place is free again.
    case unsent
    /// The origin answered, with these fields.
    case answered(HTTPFields)
}

/// Why a request has no place, and until when.
package struct BudgetSpent: Error, Sendable, Hashable, CustomStringConvertible {
    /// From when on there may be one, in seconds since 1970. Not before that; later where others are quicker.
    package var until: Double
    /// Whether no request to the source would have one, whatever its path.
    package var isOfAll: Bool
    /// For a person.
    package var description: String

    package init(until: Double, isOfAll: Bool, _ description: String) {
        (self.until, self.isOfAll, self.description) = (until, isOfAll, description)
    }

    /// The failure of a request that has no place.
    package var failure: Failure {
        Failure(.waitingForOrigin, phase: .notSent, detail: description, underlying: self)
    }
}

/// A budget, and how long a call waits for a place in it.
package struct BudgetUse: Sendable {
    /// Limits by the minute never put a listing off: a place is free again a minute after the answer.
    package static let longestPatience = Duration.seconds(90)

    package var requests: any RequestBudget
    /// How long one try waits; it fails at once where the place would come later.
    package var patience: Duration

    package init(_ requests: any RequestBudget, patience: Duration = Self.longestPatience) {
        self.requests = requests
        self.patience = patience
    }
}
