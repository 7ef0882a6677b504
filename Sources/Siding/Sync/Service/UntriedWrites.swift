// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSynchronization

/// Finds the writes that end without a try while a service runs, so that its log and its events have them, too: those that expired,
/// that conflict with a page, or that their conflict policy dropped.
final class UntriedWrites: Sendable {
    private struct Ending: Hashable {
        let entry: String
        let state: QueueEntry.State

        init(_ entry: QueueEntry) { (self.entry, state) = (entry.id, entry.state) }
    }

    private struct Memory {
        /// When the last look began; nil before the first one.
        var lookedAt: Timestamp?
        /// What was told and the last look has seen, and what was told since.
        var told: Set<Ending> = []
        var added: Set<Ending> = []
    }

    /// A commit that was under way as a look began may have an earlier moment.
    private static let overlap = Duration.seconds(60)

    private let memory = Mutex(Memory())

    /// Notes that a write is told.
    ///
    /// - Returns: false if it was told before.
    @discardableResult
    func add(_ entry: QueueEntry) -> Bool {
        memory.withLock { memory in
            guard entry.state == .parked || entry.state == .dropped else { return true }
            let ending = Ending(entry)
            return !memory.told.contains(ending) && memory.added.insert(ending).inserted
        }
    }

    /// The writes that ended since the last look, and were not told. The first look finds none.
    func find(in store: Store, at now: Timestamp) async throws(StoreError) -> [QueueEntry] {
        let last = memory.withLock { $0.lookedAt }
        // Where the clock was set back, the time between is looked at by nobody, and nothing of before is told again.
        guard let last, last <= now else {
            memory.withLock { $0.lookedAt = now }
            return []
        }
        let since = last + (.zero - Self.overlap)
        let ended = try await store.writesParked(since: since) + store.writesDropped(since: since)
        return memory.withLock { memory in
            let untold = ended.filter { !memory.told.contains(Ending($0)) && !memory.added.contains(Ending($0)) }
            memory.told = Set(ended.map(Ending.init)).union(memory.added)
            (memory.added, memory.lookedAt) = ([], now)
            return untold
        }
    }
}
