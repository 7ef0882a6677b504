internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Records that a write is in doubt, and later the result of its delivery probe. Works inside the recording transaction.
struct ProbeSettler {
    let write: ClaimedWrite
    let transitions: QueueTransitions

    private var id: String { write.entry.id }

    func settle(_ verdict: WriteSettlement.Verdict, _ transaction: borrowing Transaction) throws {
        switch verdict {
        case .unknown(let error, let waitsForNetwork, let wait):
            let attempts = write.entry.attempts + 1
            try OutboxRequestsTable.setError(error, of: id, transaction)
            try transitions.beginDoubt(id, error.message, transaction)
            try putBack(
                at: transitions.now + wait(attempts), attempts: attempts, waitsForNetwork: waitsForNetwork, transaction)
        case .arrived(let answer): try arrive(answer, transaction)
        case .sendAgain(let moment, let why): try send(from: moment, why, transaction)
        case .delivered, .retry, .parked, .released: break
        }
    }

    /// An earlier attempt was delivered and its answer lost: completes the write with the found record as its answer.
    private func arrive(_ answer: WriteAnswer, _ transaction: borrowing Transaction) throws {
        let dropped = try DroppedMembers.of(write.entry.resource, transaction)
        try OutboxRequestsTable.setAnswer(answer, body: answer.keptBody(without: dropped), of: id, transaction)
        try EditSettler(transitions: transitions).deliver(id, answer, isListed: true, transaction)
        try transitions.completeWrite(id, as: .done, event: "found", detail: "the origin has it", transaction)
    }

    private func send(from moment: Timestamp, _ why: String, _ transaction: borrowing Transaction) throws {
        guard moment <= transitions.now else {
            try transitions.note(
                id, "probed", "\(why); it may still be on its way, and is asked for again", transaction)
            return try putBack(at: moment, transaction)
        }
        try OutboxRequestsTable.setUnknownSince(nil, of: id, transaction)
        try OutboxTable.setFirstSent(nil, of: id, transaction)
        try transitions.note(id, "probed", "\(why); it is sent again", transaction)
        try putBack(at: transitions.now, transaction)
        try lookForConflict(transaction)
    }

    /// Checks for conflicts now: while the write was in doubt, changes at the origin did not affect its edit.
    private func lookForConflict(_ transaction: borrowing Transaction) throws {
        guard let edit = try PendingEdit.load(id, transaction),
            let overlay = try EditProjection.load(edit.resource, now: transitions.now, transaction)
        else { return }
        try ConflictWatch(overlay: overlay, transitions: transitions).check(edit.key, transaction)
        try overlay.show(edit.key, transaction)
    }

    /// Probes at least once a day: a longer wait was set before the clock was set back.
    private func putBack(
        at moment: Timestamp, attempts: Int? = nil, waitsForNetwork: Bool = false, _ transaction: borrowing Transaction
    ) throws {
        var entry = write.entry
        (entry.attempts, entry.crashes) = (attempts ?? entry.attempts, 0)
        entry.nextAttemptAt = min(moment, transitions.now + RetryAfter.longest)
        try OutboxTable.putBack(entry, waitsForNetwork: waitsForNetwork, transaction)
    }
}

extension WriteReplacer.WrittenContent {
    /// Checks that the body can carry the mark of the write's delivery probe.
    ///
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the delivery probe needs a mark that the new body cannot carry.
    func checkCarriesMark(of entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        guard let mark = try OutboxRequestsTable.load(entry.id, transaction)?.probe?.mark,
            (try? JSONDocument(body ?? []))?.kind != .object
        else { return }
        throw StoreError(.invalidWrite, "the body is no JSON object, which could carry \(mark) for its probe")
    }
}
