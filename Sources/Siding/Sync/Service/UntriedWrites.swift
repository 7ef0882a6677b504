// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// Finds the writes that a service ends without a try, so that its log and its events have them, too: those that expired, that
/// conflict with a page, or that their conflict policy dropped.
final class UntriedWrites: Sendable {
    private struct Ending: Hashable {
        let entry: String
        let state: QueueEntry.State

        init(_ entry: QueueEntry) { (self.entry, state) = (entry.id, entry.state) }
    }

    private struct State {
        /// When the last look began.
        var lookedAt: Timestamp
        /// Those that were told since before that look.
        var told: Set<Ending> = []
    }

    /// A commit that was under way as a look began may have an earlier moment.
    private static let overlap = Duration.seconds(60)

    private let state: Mutex<State>

    init(since moment: Timestamp) {
        state = Mutex(State(lookedAt: moment))
    }

    /// Notes that a write was told after its try.
    func add(tried entry: QueueEntry) {
        _ = state.withLock { $0.told.insert(Ending(entry)) }
    }

    /// The writes that ended since the last look, and were not told.
    func find(in store: Store, at now: Timestamp) async throws(StoreError) -> [QueueEntry] {
        let since = state.withLock { min($0.lookedAt, now) } + (.zero - Self.overlap)
        let ended = try await store.writesParked(since: since) + store.writesDropped(since: since)
        return state.withLock { state in
            let untold = ended.filter { !state.told.contains(Ending($0)) }
            state.told = Set(ended.map(Ending.init))
            state.lookedAt = now
            return untold
        }
    }
}
