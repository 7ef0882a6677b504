// SPDX-License-Identifier: Apache-2.0
package import SidingChain
internal import SidingSQLite

/// The open entries of one source in one state, for one reason.
package struct QueueShare: Sendable, Hashable {
    package var source: String
    package var state: QueueEntry.State
    package var reason: ParkReason?
    package var count: Int
    /// When the oldest of them was created.
    package var oldest: Timestamp
    /// Since when the oldest of them is parked, or if they are not parked, queued.
    package var since: Timestamp

    /// The age of a queued entry that an operator should know of, unless a hook has another.
    package static let tooLong = Duration.seconds(3_600)

    /// Whether they are parked for a reason other than `held`.
    package var needsDecision: Bool { state == .parked && reason != .held }

    /// Whether the oldest of them is not parked, and has been queued for too long.
    package func isQueuedTooLong(at now: Timestamp) -> Bool { state != .parked && now - since >= Self.tooLong }
}

/// The number of entries in one state, for one reason.
package struct QueueCount: Sendable, Hashable {
    package var state: QueueEntry.State
    package var reason: ParkReason?
    package var count: Int
}

extension [QueueShare] {
    /// The entries of all sources by state and reason, in this order.
    package var counts: [QueueCount] {
        Dictionary(grouping: self) { QueueCount(state: $0.state, reason: $0.reason, count: 0) }
            .map { QueueCount(state: $0.state, reason: $0.reason, count: $1.map(\.count).reduce(0, +)) }
            .sorted { ($0.state.rawValue, $0.reason?.rawValue ?? "") < ($1.state.rawValue, $1.reason?.rawValue ?? "") }
    }
}

extension Store {
    /// The open entries by source, state and reason, in this order.
    package func queueShares() async throws(StoreError) -> [QueueShare] {
        try await read { try OutboxTable.shares($0) }
    }
}
