// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// Operator actions on entries.
extension Store {
    /// How many entries a transaction changes.
    private static let batches = Batches.Limits(first: 200, rows: 50...2_000)

    /// Carries out an operator action on every selected entry, a batch per transaction, and on each entry completely or not at
    /// all. A refusal for one entry does not affect the others. An entry that another process changes meanwhile, so that it is
    /// no longer selected, is refused.
    ///
    /// - Parameter isRehearsal: changes nothing and returns the predicted results. Entries of dead senders are not reclaimed,
    ///   so they count as being sent.
    /// - Parameter actor: who asked for it, beside the process, for the history; nil for the process itself.
    /// - Throws: ``StoreError/Kind/invalidWrite`` for a change that the queue may not keep, ``StoreError/Kind/notFound`` and
    ///   ``StoreError/Kind/ambiguous`` for ids. If the store itself fails, earlier batches stay carried out.
    package func carryOut(
        _ decision: OperatorAction, on selection: QueueSelection, isRehearsal: Bool = false, by actor: String? = nil
    ) async throws(StoreError) -> [QueueChange] {
        if case .replace(let change) = decision { try WriteSafety.check(change) }
        let reclaimed = isRehearsal ? [] : try await reclaim()
        var transitions = try transitions()
        if let actor { transitions.who = "\(actor), \(transitions.who)" }
        let actions = OperatorActions(
            transitions: transitions, isAlive: owner.isAlive, reclaimed: Set(reclaimed.map(\.id)))
        let found = try await entries(selection)
        // Only a trial run can predict a resolution; for all else, reading is enough.
        if isRehearsal, let foretold = try await read({ try actions.preview(decision, on: found, $0) }) {
            return foretold
        }
        // Dropping the oldest entry of a lane makes the next one ready to be sent. The newest are dropped first, so that no
        // sender claims one of them between two transactions.
        let isDrop = decision == .act(.drop)
        let meant = isDrop ? found.reversed() : found
        // Also if a later batch fails.
        defer { if !isRehearsal, found.contains(where: { $0.recordKey != nil }) { changeSignal.fire() } }
        let changes = try await inBatches(of: meant, Self.batches) { batch, transaction in
            guard isRehearsal else {
                return try actions.carryOut(decision, on: batch, by: selection, transaction)
            }
            return try transaction.part(isKept: false) {
                try actions.carryOut(decision, on: batch, by: selection, transaction)
            }
        }
        return isDrop ? changes.reversed() : changes
    }

    package func perform(
        _ action: QueueAction, on selection: QueueSelection
    ) async throws(StoreError) -> [QueueChange] {
        try await carryOut(.act(action), on: selection)
    }

    /// The local and remote versions of a record with a pending edit; nil for a write that is not an edit, or is completed.
    package func conflict(of entry: String) async throws(StoreError) -> ConflictReport? {
        try await read { snapshot in
            try EditSides(of: OutboxTable.entry(withPrefix: entry, snapshot), snapshot).map {
                try ConflictReport($0, snapshot)
            }
        }
    }
}
