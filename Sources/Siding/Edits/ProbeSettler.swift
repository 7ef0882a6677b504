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
        case .unknown(let error, let waitsForLine, let wait):
            let attempts = write.entry.attempts + 1
            try transaction.execute(
                "UPDATE siding_outbox SET error = ?2, status = ?3, attempts = ?4, waits_for = ?5 WHERE id = ?1", id,
                try Store.json(error), error.status, attempts, waitsForLine ? "line" : nil)
            try transitions.question(id, error.message, transaction)
            try giveBack(at: transitions.now + wait(attempts), transaction)
        case .arrived(let answer): try arrive(answer, transaction)
        case .sendAgain(let moment, let why): try send(from: moment, why, transaction)
        case .delivered, .retry, .parked, .released: break
        }
    }

    /// An earlier attempt was delivered and its answer lost: completes the write with the found record as its answer.
    private func arrive(_ answer: WriteAnswer, _ transaction: borrowing Transaction) throws {
        let dropped = try DroppedMembers.of(write.entry.resource, transaction)
        try transaction.execute(
            """
            UPDATE siding_outbox SET status = ?2, answer = ?3, answer_type = ?4, error = NULL, unknown_since = NULL
            WHERE id = ?1
            """, id, answer.status, SQLiteValue.blob(answer.keptBody(without: dropped)), answer.contentType)
        try EditSettler(transitions: transitions).deliver(id, answer, isListed: true, transaction)
        try transitions.settle(id, as: .done, event: "found", detail: "the origin has it", transaction)
    }

    private func send(from moment: Timestamp, _ why: String, _ transaction: borrowing Transaction) throws {
        guard moment <= transitions.now else {
            try transitions.note(
                id, "probed", "\(why); it may still be on its way, and is asked for again", transaction)
            return try giveBack(at: moment, transaction)
        }
        try transaction.execute(
            "UPDATE siding_outbox SET unknown_since = NULL, first_sent_at = NULL, waits_for = NULL WHERE id = ?1", id)
        try transitions.note(id, "probed", "\(why); it is sent again", transaction)
        try giveBack(at: transitions.now, transaction)
        try lookForConflict(transaction)
    }

    /// Checks for conflicts now: while the write was in doubt, changes at the origin did not affect its edit.
    private func lookForConflict(_ transaction: borrowing Transaction) throws {
        guard let found = try EditRows.edit(of: id, transaction),
            let overlay = try EditProjection.load(found.resource, now: transitions.now, transaction)
        else { return }
        try ConflictWatch(overlay: overlay, transitions: transitions).check(found.key, transaction)
        try overlay.show(found.key, transaction)
    }

    /// Probes at least once a day: a longer wait was set before the clock was set back.
    private func giveBack(at moment: Timestamp, _ transaction: borrowing Transaction) throws {
        try transaction.execute(
            "UPDATE siding_outbox SET state = 'queued', owner = NULL, crashes = 0, not_before = ?2 WHERE id = ?1", id,
            min(moment, transitions.now + RetryAfter.longest).microseconds)
    }
}

extension WriteReplacer.WrittenContent {
    /// Checks that the body can carry the mark of the write's delivery probe.
    ///
    /// - Throws: ``StoreError/Kind/invalidWrite`` if the delivery probe needs a mark that the new body cannot carry.
    func checkCarriesMark(of entry: QueueEntry, _ transaction: borrowing Transaction) throws {
        let terms = try transaction.first("SELECT probe FROM siding_outbox WHERE id = ?1", entry.id) {
            Store.decode(ProbeTerms.self, $0.optionalText(0))
        }
        guard let mark = terms??.mark, (try? JSONDocument(body ?? []))?.kind != .object else { return }
        throw StoreError(.invalidWrite, "the body is no JSON object, which could carry \(mark) for its probe")
    }
}
