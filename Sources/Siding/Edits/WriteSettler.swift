internal import SidingChain
internal import SidingSQLite

/// Records the result of a claimed write, inside a transaction.
struct WriteSettler {
    let write: ClaimedWrite
    let transitions: QueueTransitions
    let jitter: Jitter

    private var id: String { write.entry.id }

    /// Records the result, and the outcome for the source.
    ///
    /// - Returns: the entry afterwards; nil if this sender no longer owns it.
    func settle(_ settlement: WriteSettlement, _ transaction: borrowing Transaction) throws -> QueueEntry? {
        guard try OutboxTable.isClaimed(id, by: transitions.owner, token: write.token, transaction) else { return nil }
        if settlement.isTry { try OutboxTable.incrementTries(of: id, transaction) }
        switch settlement.verdict {
        case .delivered(let answer): try deliver(answer, transaction)
        case .retry(let error, let isCounted, let waitsForNetwork, let wait):
            let attempts = write.entry.attempts + (isCounted ? 1 : 0)
            try record(error, nil, transaction)
            try putBack(attempts: attempts, wait: wait(attempts), waitsForNetwork: waitsForNetwork, transaction)
            try transitions.note(id, isCounted ? "failed" : "deferred", error.message, transaction)
        case .unknown, .arrived, .sendAgain:
            try ProbeSettler(write: write, transitions: transitions).settle(settlement.verdict, transaction)
        case .parked(.conflict, let error, let answer):
            try record(error, answer, transaction)
            try settleConflict(error, answer, transaction)
        case .parked(let reason, let error, let answer):
            try record(error, answer, transaction)
            // A 401 means that the origin has not acted on this attempt. It says nothing about earlier attempts, and a refusal
            // recognised by a failure rule proves nothing.
            if reason == .signIn, error.status == nil || error.status == 401 { try forgetSending(transaction) }
            try park(as: reason, error, transaction)
        case .released(let isUnsent):
            if isUnsent { try forgetSending(transaction) }
            try putBack(attempts: write.entry.attempts, wait: .zero, waitsForNetwork: false, transaction)
            let detail =
                isUnsent ? "its sender stopped before it was sent" : "its sender stopped before its answer came"
            try transitions.note(id, "released", detail, transaction)
        }
        try transitions.record(settlement.outcome, of: write.entry.source, jitter: jitter, transaction)
        return try OutboxTable.entry(withPrefix: id, transaction)
    }

    /// Records that the first byte is about to be sent.
    ///
    /// - Returns: false if this sender no longer owns the entry.
    func markSent(_ transaction: borrowing Transaction) throws -> Bool {
        try OutboxTable.markSent(
            id, by: transitions.owner, token: write.token, at: transitions.now, transaction)
    }

    private func deliver(_ answer: WriteAnswer, _ transaction: borrowing Transaction) throws {
        let dropped = try DroppedMembers.of(write.entry.resource, transaction)
        try OutboxRequestsTable.setAnswer(answer, body: answer.keptBody(without: dropped), of: id, transaction)
        try EditSettler(transitions: transitions).deliver(id, answer, transaction)
        try transitions.completeWrite(id, as: .done, event: "delivered", detail: "\(answer.status)", transaction)
    }

    /// Applies the conflict policy of the edit; writes that are not edits are parked.
    private func settleConflict(
        _ error: RecordedError, _ answer: WriteAnswer?, _ transaction: borrowing Transaction
    ) throws {
        switch try ConflictSettler(transitions: transitions).nextStep(on: write.entry, answer, transaction) {
        case .park: try park(as: .conflict, error, transaction)
        case .drop:
            try transitions.completeWrite(
                id, as: .dropped, event: "dropped", detail: "\(error.message); the origin is to win", transaction)
        case .again:
            let attempts = write.entry.attempts + 1
            let wait = Backoff(base: .seconds(2), cap: .seconds(60), isSpread: true).wait(
                after: attempts, jitter: jitter)
            try putBack(attempts: attempts, wait: wait, waitsForNetwork: false, transaction)
            try transitions.note(id, "conflict", "\(error.message); it is sent again", transaction)
        }
    }

    private func record(_ error: RecordedError, _ answer: WriteAnswer?, _ transaction: borrowing Transaction) throws {
        let dropped = try DroppedMembers.of(answer == nil ? nil : write.entry.resource, transaction)
        try OutboxRequestsTable.setError(
            error, answer, body: answer?.keptBody(without: dropped), of: id, transaction)
        // Nothing of this attempt was sent, so the earlier state is restored.
        if error.isUnsent { try forgetSending(transaction) }
    }

    private func park(
        as reason: ParkReason, _ error: RecordedError, _ transaction: borrowing Transaction
    ) throws {
        var entry = write.entry
        entry.crashes = 0
        _ = try transitions.park(entry, as: reason, error.message, transaction)
    }

    /// No wait is longer than a day: a longer one was set before the clock was set back.
    private func putBack(
        attempts: Int, wait: Duration, waitsForNetwork: Bool, _ transaction: borrowing Transaction
    ) throws {
        var entry = write.entry
        (entry.attempts, entry.crashes) = (attempts, 0)
        entry.nextAttemptAt = transitions.now + min(wait, RetryAfter.longest)
        try OutboxTable.putBack(entry, waitsForNetwork: waitsForNetwork, transaction)
    }

    private func forgetSending(_ transaction: borrowing Transaction) throws {
        try OutboxTable.setFirstSent(write.firstSentAt, of: id, transaction)
    }
}

extension WriteAnswer {
    /// The part of the body that is kept with the entry.
    func keptBody(without dropped: DroppedMembers) -> [UInt8] {
        Array(dropped.removed(from: body).prefix(Self.bodyLimit))
    }
}
