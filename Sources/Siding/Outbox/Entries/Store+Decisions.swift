internal import SidingChain
internal import SidingSQLite
internal import SidingSynchronization

/// A person's word on entries.
extension Store {
    /// How many entries one transaction changes at most: other writers get the lock in between.
    static let entriesPerTransaction = 250
    /// The pause between two transactions. A process that waits for the writer lock looks every 4 milliseconds
    /// (``WriterLock``), so without a pause it would hardly ever find the lock free.
    private static let pauseForOthers = Duration.milliseconds(5)

    /// Carries a person's word out on every entry that `selection` means, a batch of entries per transaction: on each entry
    /// wholly or not at all. What is refused to one entry changes nothing about the others, and an entry that another
    /// process changes meanwhile, so that it is not meant any more, is refused.
    ///
    /// - Parameter isRehearsal: nothing is changed, and what would be is answered. What dead senders left is not taken up, so
    ///   it counts as being sent.
    /// - Throws: ``StoreError/Kind/invalidWrite`` for a change that no write may be kept with, ``StoreError/Kind/notFound``
    ///   and ``StoreError/Kind/ambiguous`` for ids. Where the store itself fails, the batches before stay carried out.
    public func carryOut(
        _ decision: QueueDecision, on selection: QueueSelection, isRehearsal: Bool = false
    ) async throws(StoreError) -> [QueueChange] {
        if case .replace(let change) = decision { try change.check() }
        let hand = try await hand(isRehearsal: isRehearsal)
        if isRehearsal, let foretold = try await foretell(decision, on: selection, by: hand) { return foretold }
        let found = try await entries(selection)
        // Dropping the oldest of a lane makes the next one ready to be sent: the newest go first, so that no sender takes
        // one of them between two transactions.
        let isDrop = if case .act(.drop) = decision { true } else { false }
        let meant = isDrop ? found.reversed() : found
        var changes: [QueueChange] = []
        changes.reserveCapacity(meant.count)
        while changes.count < meant.count {
            if !changes.isEmpty { try? await Task.sleep(for: Self.pauseForOthers) }
            let batch = meant[changes.count...].prefix(Self.entriesPerTransaction)
            changes += try await write { transaction in
                try transaction.part(isKept: !isRehearsal) {
                    try batch.map { try hand.carryOut(decision, onMeant: $0, by: selection, transaction) }
                }
            }
        }
        if !isRehearsal, changes.contains(where: { $0.entry.recordKey != nil }) { changeSignal.fire() }
        return isDrop ? changes.reversed() : changes
    }

    /// Carries out a person's word on every entry that `selection` means.
    public func perform(
        _ action: QueueAction, on selection: QueueSelection
    ) async throws(StoreError) -> [QueueChange] {
        try await carryOut(.act(action), on: selection)
    }

    /// What `decision` would do, found out by reading alone; nil where only a trial can tell.
    private func foretell(
        _ decision: QueueDecision, on selection: QueueSelection, by hand: QueueHand
    ) async throws(StoreError) -> [QueueChange]? {
        try await read { snapshot in
            var changes: [QueueChange] = []
            for entry in try QueueSelecting.entries(selection, snapshot) {
                guard let change = try hand.foretell(decision, on: entry, snapshot) else { return nil }
                changes.append(change)
            }
            return changes
        }
    }

    /// A person's hand, after what dead senders left was taken up; a rehearsal takes nothing up.
    private func hand(isRehearsal: Bool) async throws(StoreError) -> QueueHand {
        let takenUp = isRehearsal ? [] : try await reap()
        return QueueHand(
            transitions: try transitions(), isAlive: owner.isAlive, takenUp: Set(takenUp.map(\.id)))
    }
}

extension QueueHand {
    /// Carries `decision` out on an entry as it is now, where `selection` still means it.
    ///
    /// - Parameter found: the entry as it was when the selection was looked up.
    func carryOut(
        _ decision: QueueDecision, onMeant found: QueueEntry, by selection: QueueSelection,
        _ transaction: borrowing Transaction
    ) throws -> QueueChange {
        guard let entry = try QueueSelecting.entry(found.id, transaction) else {
            return QueueChange(entry: found, refusal: "it was forgotten meanwhile")
        }
        // A drop parks what waited for the dropped entry, which may be meant as well.
        let isParkedByDrop = decision == .act(.drop) && entry.state == .parked && entry.reason == .dependency
        guard selection.fits(entry) || isParkedByDrop else {
            return QueueChange(entry: entry, refusal: "it was changed meanwhile, and is \(entry.state.rawValue) now")
        }
        return try carryOut(decision, on: entry, transaction)
    }
}
