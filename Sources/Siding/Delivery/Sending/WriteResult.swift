// SPDX-License-Identifier: Apache-2.0
package import SidingChain

/// The result of sending a write: the new state of the entry, and the outcome for its source.
package struct WriteResult: Sendable {
    package var transition: Transition
    package var outcome: SourceOutcome
    /// Whether the write was tried, or put off before anything was asked.
    package var isTry = true
    /// Whether a request of this claim, before the one with this result, may have arrived.
    package var hasLostTry = false
    /// The whole record as the origin has it, fetched after a conflict.
    package var theirs: WriteAnswer?

    package init(_ transition: Transition, _ outcome: SourceOutcome) {
        (self.transition, self.outcome) = (transition, outcome)
    }

    /// Whether no request of this claim can have reached the origin.
    var isUnsent: Bool {
        guard !hasLostTry else { return false }
        return switch transition {
        case .retry(let error, _, _, _), .parked(_, let error, _): error.isUnsent
        case .released(let isUnsent): isUnsent
        case .learned: true
        case .delivered, .unknown, .arrived, .sendAgain: false
        }
    }

    /// The new state of the entry.
    package enum Transition: Sendable {
        /// Delivered: the origin has it.
        case delivered(WriteAnswer)
        /// Back to the queue, to be tried again after `wait`, given the number of counted attempts.
        case retry(
            RecordedError, isCounted: Bool, waitsForNetwork: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
        /// In doubt, back to the queue: a delivery probe asks the origin after `wait`.
        case unknown(RecordedError, waitsForNetwork: Bool, wait: @Sendable (_ attempts: Int) -> Duration)
        /// The delivery probe found it at the origin.
        case arrived(WriteAnswer)
        /// The delivery probe did not find it. From `from` on it is sent again as if for the first time; until then probing
        /// continues.
        case sendAgain(from: Timestamp, because: String)
        /// The record was fetched instead, nil if the origin does not show it: the write is due with what is known now.
        case learned(WriteAnswer?)
        /// Parked until an operator acts.
        case parked(ParkReason, RecordedError, WriteAnswer?)
        /// Back to the queue as if not tried, except that it may have arrived unless `isUnsent`.
        case released(isUnsent: Bool)
    }
}
