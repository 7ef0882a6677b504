// SPDX-License-Identifier: Apache-2.0
public import SidingChain

/// When a service syncs a resource again.
///
/// A schedule has no state: it says the next moment from the last one, so that a process that was started anew, or slept, knows
/// what is due. Moments that passed meanwhile count as one.
public protocol SyncSchedule: Sendable {
    /// The first moment after `last` at which the resource is due.
    ///
    /// - Parameter last: the end of the last sync.
    func next(after last: Timestamp) -> Timestamp
}

/// A sync at regular intervals.
public struct IntervalSchedule: SyncSchedule, Hashable {
    /// The time from the end of one sync to the beginning of the next.
    public var interval: Duration

    /// Counted from the end of the last sync.
    public init(every interval: Duration) {
        self.interval = interval
    }

    /// The end of the last sync and the interval.
    public func next(after last: Timestamp) -> Timestamp { last + interval }

    /// For a resource that has neither a schedule nor a `maxAge`.
    static let usual = IntervalSchedule(every: .seconds(900))
}
