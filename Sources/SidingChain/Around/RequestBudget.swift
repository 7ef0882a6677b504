// SPDX-License-Identifier: Apache-2.0
package import HTTPTypes

/// Limits the number of requests and bytes in a time span, for all who share it.
///
/// Siding's SQLite store has one for each source with ``/Siding/Source/limits``. Take a reservation before a request is sent,
/// and end it when the outcome is known. A reservation that is never ended, because the process died or no response came,
/// remains for as long as the origin may count the request.
package protocol RequestBudget: Sendable {
    /// Takes a reservation for one request to `url`, or refuses at once.
    ///
    /// - Throws: ``Failure/Reason/waitingForOrigin``, not sent, with `BudgetSpent` as underlying error, if the budget is
    ///   exhausted.
    func take(_ url: HTTPURL) async throws(Failure) -> BudgetPlace

    /// Records the outcome of the request of `place`.
    func end(_ place: BudgetPlace, _ ending: BudgetEnding) async

    /// Records the bytes that an attempt to `url` carried, after its response was read or it failed.
    func spend(_ bytes: Int, at url: HTTPURL) async
}

extension RequestBudget {
    package func spend(_ bytes: Int, at url: HTTPURL) async {}
}

/// A reservation in a budget; empty if no limit applies to the request.
package struct BudgetPlace: Sendable, Hashable {
    /// The reservation in one rule of the budget.
    package struct Slot: Sendable, Hashable {
        package var id: Int64
        /// The rule's number within the budget.
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

/// The outcome of a request with a reservation.
package enum BudgetEnding: Sendable, Hashable {
    /// No byte can have reached the origin: the reservation is released.
    case unsent
    /// The origin responded with these header fields.
    case answered(HTTPFields)
}

/// Why a budget is exhausted, and until when.
package struct BudgetSpent: Error, Sendable, Hashable, CustomStringConvertible {
    /// The earliest time for the next request, in seconds since 1970; it may be later if other requests come first.
    package var until: Double
    /// Whether this applies to all requests to the source, whatever their path.
    package var isOfAll: Bool
    /// A message for people.
    package var description: String

    package init(until: Double, isOfAll: Bool, _ description: String) {
        (self.until, self.isOfAll, self.description) = (until, isOfAll, description)
    }

    /// The failure of a request without a reservation.
    package var failure: Failure {
        Failure(.waitingForOrigin, phase: .notSent, detail: description, underlying: self)
    }
}

/// A budget, and how long a call waits for a reservation.
package struct BudgetUse: Sendable {
    package var requests: any RequestBudget
    /// How long one attempt waits; it fails at once if the wait would be longer.
    package var maximumWait: Duration

    package init(_ requests: any RequestBudget, maximumWait: Duration) {
        self.requests = requests
        self.maximumWait = maximumWait
    }
}
