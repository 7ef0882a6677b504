internal import SidingChain
internal import SidingSQLite

/// A person's word on entries.
extension Store {
    /// Carries a person's word out on every entry that `selection` means: on each wholly or not at all, and all at once. What
    /// is refused to one entry changes nothing about the others.
    ///
    /// - Parameter isRehearsal: nothing is changed, and what would be is answered. What dead senders left is not taken up, so
    ///   it counts as being sent.
    /// - Throws: ``StoreError/Kind/invalidWrite`` for a change that no write may be kept with, ``StoreError/Kind/notFound``
    ///   and ``StoreError/Kind/ambiguous`` for ids.
    public func carryOut(
        _ decision: QueueDecision, on selection: QueueSelection, isRehearsal: Bool = false
    ) async throws(StoreError) -> [QueueChange] {
        if case .replace(let change) = decision { try change.check() }
        let hand = try await hand(isRehearsal: isRehearsal)
        let changes = try await write { transaction in
            try transaction.part(isKept: !isRehearsal) {
                try QueueSelecting.entries(selection, transaction).map { entry in
                    try hand.carryOut(decision, on: entry, transaction)
                }
            }
        }
        if !isRehearsal, changes.contains(where: { $0.entry.recordKey != nil }) { changeSignal.fire() }
        return changes
    }

    /// Carries out a person's word on every entry that `selection` means, all at once.
    public func perform(
        _ action: QueueAction, on selection: QueueSelection
    ) async throws(StoreError) -> [QueueChange] {
        try await carryOut(.act(action), on: selection)
    }

    /// A person's hand, after what dead senders left was taken up; a rehearsal takes nothing up.
    private func hand(isRehearsal: Bool) async throws(StoreError) -> QueueHand {
        let takenUp = isRehearsal ? [] : try await reap()
        return QueueHand(transitions: try transitions(), isAlive: owner.isAlive, takenUp: takenUp)
    }
}
