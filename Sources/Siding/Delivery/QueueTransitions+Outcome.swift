// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite

extension Store {
    /// Records the outcome of a request for its source, shared by all processes. If it ends an outage, entries that waited for
    /// the network become due.
    ///
    /// - Returns: the health of the source afterwards.
    @discardableResult
    package func record(_ outcome: SourceOutcome, of source: String) async throws(StoreError) -> SourceHealth {
        let (jitter, transitions) = (jitter, try transitions())
        // Most outcomes change nothing, and a commit costs an fsync.
        let unchanged = try await read { snapshot -> SourceHealth? in
            let before = try SourcesTable.load(source, snapshot)
            var after = before
            let isNews =
                try after.record(outcome, jitter: jitter, now: transitions.now) || after != before
                || transitions.letsIn(outcome, after, snapshot)
            return isNews ? nil : before
        }
        if let unchanged { return unchanged }
        return try await write {
            try transitions.record(outcome, of: source, isOfWrite: false, jitter: jitter, $0)
        }
    }
}

extension QueueTransitions {
    /// The same inside a transaction. A write that was parked for a sign-in may be let in.
    ///
    /// - Parameter isOfWrite: whether a write was sent.
    @discardableResult
    func record(
        _ outcome: SourceOutcome, of source: String, isOfWrite: Bool, jitter: Jitter,
        _ transaction: borrowing Transaction
    ) throws -> SourceHealth {
        let before = try SourcesTable.load(source, transaction)
        var after = before
        let isOutageOver = after.record(outcome, isOfWrite: isOfWrite, jitter: jitter, now: now)
        if after != before { try SourcesTable.save(after, now, transaction) }
        if isOutageOver { try OutboxTable.endWaitsForLine(of: source, now, transaction) }
        if try letsIn(outcome, after, transaction) {
            try requeue(OutboxTable.neverLetIn(source, transaction), because: .letIn, transaction)
        }
        return after
    }

    /// Whether `outcome` is a reason to retry writes parked for a sign-in: another request was answered, no gate is closed, and
    /// there are such writes. Checks the rows, not the old gate, which an operator may have opened, or which may have closed
    /// for another reason meanwhile.
    func letsIn(
        _ outcome: SourceOutcome, _ after: SourceHealth, _ database: borrowing some Queryable & ~Copyable
    ) throws -> Bool {
        guard outcome.isAnswer, after.gate == nil else { return false }
        return try !OutboxTable.neverLetIn(after.source, database).isEmpty
    }
}
