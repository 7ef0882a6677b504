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
}

extension Store {
    /// The open entries by source, state and reason, in this order.
    package func queueShares() async throws(StoreError) -> [QueueShare] {
        try await read { try OutboxTable.shares($0) }
    }
}
