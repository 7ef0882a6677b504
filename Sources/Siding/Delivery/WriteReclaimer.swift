// SPDX-License-Identifier: Apache-2.0
internal import SidingSQLite

/// Reclaims writes that their sender will never complete, inside a transaction. Repeating it is harmless: the first call
/// changes the state.
struct WriteReclaimer {
    let transitions: QueueTransitions

    /// - Parameter owner: a sender that is known to be unable to complete it.
    /// - Returns: the entry afterwards; nil if `owner` has not claimed it.
    func reclaim(_ id: String, from owner: String, _ transaction: borrowing Transaction) throws -> QueueEntry? {
        guard var entry = try OutboxTable.claimedWrite(id, by: owner, transaction) else { return nil }
        entry.crashes += 1
        try transitions.addEvent(entry.id, .crashed, "its sender died", transaction)
        if entry.unknownSince == nil, entry.mayHaveArrived,
            try IdempotencyKeysTable.load(entry.id, transaction)?.isHonoured != true
        {
            let why = "it may have arrived before its sender died"
            guard try hasProbe(entry, transaction) else {
                return try transitions.park(entry, as: .uncertain, why, transaction)
            }
            try transitions.beginDoubt(entry.id, why, transaction)
            entry.unknownSince = transitions.now
        }
        if entry.crashes >= RetryRules.crashes {
            return try transitions.park(entry, as: .poison, "its sender crashed \(entry.crashes) times", transaction)
        }
        (entry.state, entry.nextAttemptAt) = (.queued, transitions.now)
        try OutboxTable.putBack(entry, waitsForNetwork: nil, transaction)
        return entry
    }

    private func hasProbe(_ entry: QueueEntry, _ transaction: borrowing Transaction) throws -> Bool {
        if try OutboxRequestsTable.load(entry.id, transaction)?.probe != nil { return true }
        guard let (method, url) = try? entry.target(), let key = entry.recordKey else { return false }
        return try OutboxEditsTable.load(entry.id, transaction)?.terms?.showRecord(key, at: url, method) ?? false
    }
}
