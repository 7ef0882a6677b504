// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Records the result of a claimed write, inside a transaction.
struct WriteResultRecorder {
    let write: ClaimedWrite
    /// Whether an earlier request of this claim may have arrived.
    let hasLostTry: Bool
    let transitions: QueueTransitions
    let jitter: Jitter

    private var id: String { write.entry.id }

    /// - Returns: the entry afterwards; nil if this sender no longer owns it.
    func record(_ result: WriteResult, _ transaction: borrowing Transaction) throws -> QueueEntry? {
        guard try OutboxTable.isClaimed(id, by: transitions.owner, token: write.entry.token, transaction) else {
            return nil
        }
        if result.isTry { try OutboxTable.incrementTries(of: id, transaction) }
        switch result.transition {
        case .delivered(let answer): try deliver(answer, isFound: false, transaction)
        // An earlier attempt was delivered and its answer lost; the found record is the answer.
        case .arrived(let answer): try deliver(answer, isFound: true, transaction)
        case .retry(let error, let isCounted, let waitsForNetwork, let wait):
            let attempts = write.entry.attempts + (isCounted ? 1 : 0)
            try record(error, nil, transaction)
            // The origin has not acted on this attempt; earlier ones may have arrived all the same.
            if error.isTurnedAway { try forgetSending(transaction) }
            try putBack(attempts: attempts, wait: wait(attempts), waitsForNetwork: waitsForNetwork, transaction)
            try transitions.addEvent(id, isCounted ? .failed : .deferred, error.message, transaction)
        case .unknown(let error, let waitsForNetwork, let wait):
            try OutboxRequestsTable.setError(error, of: id, transaction)
            try transitions.beginDoubt(id, error.message, transaction)
            try putBack(attempts: attempts, wait: wait(attempts), waitsForNetwork: waitsForNetwork, transaction)
        case .sendAgain(let moment, let why): try sendAgain(from: moment, why, transaction)
        case .learned(let answer): try learn(answer, transaction)
        case .parked(.conflict, let error, let answer):
            // A write that only asked for its record keeps the refusal that it had, with its answer.
            if write.recordQuestion == nil { try record(error, answer, transaction) }
            try resolveConflict(error, answer, theirs: result.theirs, transaction)
        case .parked(let reason, let error, let answer):
            try record(error, answer, transaction)
            // A 401 means that the origin has not acted on this attempt. It says nothing about earlier attempts, and a
            // success or a 5xx that a failure rule takes for a refusal proves nothing.
            if reason == .signIn, error.status == nil || error.isTurnedAway {
                try forgetSending(transaction)
            }
            try park(as: reason, error, transaction)
        case .released(let isUnsent):
            if isUnsent { try forgetSending(transaction) }
            try putBack(attempts: write.entry.attempts, wait: .zero, waitsForNetwork: false, transaction)
            let detail =
                isUnsent ? "its sender stopped before it was sent" : "its sender stopped before its answer came"
            try transitions.addEvent(id, .released, detail, transaction)
        }
        try transitions.record(
            result.outcome, of: write.entry.source, isOfWrite: write.probeToRun == nil && write.recordQuestion == nil,
            jitter: jitter, transaction)
        return try OutboxTable.entry(withPrefix: id, transaction)
    }

    /// - Parameter isFound: whether the answer is that of a delivery probe.
    private func deliver(_ answer: WriteAnswer, isFound: Bool, _ transaction: borrowing Transaction) throws {
        let dropped = try DroppedMembers.of(write.entry.resource, transaction)
        try OutboxRequestsTable.setAnswer(answer, body: answer.keptBody(without: dropped), of: id, transaction)
        try EditDelivery(transitions: transitions).deliver(id, answer, isListed: isFound, transaction)
        try transitions.completeWrites(
            [id], as: .done, event: isFound ? .found : .delivered,
            detail: isFound ? "the origin has it" : answer.message, transaction)
    }

    /// The delivery probe did not find the write: sends it as if for the first time, once that is final.
    private func sendAgain(from moment: Timestamp, _ why: String, _ transaction: borrowing Transaction) throws {
        let isFinal = moment <= transitions.now
        let next = isFinal ? "it is sent again" : "it may still be on its way; the origin is asked again"
        try transitions.addEvent(id, .probed, "\(why); \(next)", transaction)
        try putBack(
            attempts: write.entry.attempts, wait: max(moment - transitions.now, .zero), waitsForNetwork: false,
            transaction)
        if isFinal {
            try OutboxRequestsTable.setUnknownSince(nil, of: id, transaction)
            try OutboxTable.setFirstSent(nil, of: id, transaction)
        }
    }

    /// Stores what was fetched before an edit: the next claim compares it with the edit, and sends that under the ETag.
    private func learn(_ answer: WriteAnswer?, _ transaction: borrowing Transaction) throws {
        if write.entry.tries == 0 { try OutboxRequestsTable.clearError(of: id, transaction) }
        if let answer, var edit = try PendingEdit.load(id, transaction),
            var projection = try EditProjection.load(edit.resource, now: transitions.now, transaction)
        {
            edit.terms.answersPart = false
            if let record = try EditDelivery.record(in: answer, edit, key: edit.key, &projection, transaction),
                let copy = try ServerCopiesTable.load(projection.resource, edit.key, transaction),
                let known = copy.state.living
            {
                try learn(record, answer, over: known, of: copy, edit, &projection, transaction)
            } else {
                _ = try saveTheirs(answer, edit, &projection, transaction)
            }
        }
        try putBack(attempts: write.entry.attempts, wait: .zero, waitsForNetwork: false, transaction)
        let found = answer == nil ? "the origin did not show it" : "it was fetched"
        try transitions.addEvent(id, .probed, "no ETag of the record was known: \(found)", transaction)
    }

    /// Takes over what the record has of the members of the copy, so that the copy keeps the form that listings give it, and what
    /// they leave out is no change.
    ///
    /// After an own delivery that no listing has followed, the copy is what that should have made, and the record may not have it
    /// yet, or in other words: then its ETag alone is taken.
    private func learn(
        _ record: JSONDocument, _ answer: WriteAnswer, over known: JSONDocument, of copy: ServerCopy,
        _ edit: PendingEdit, _ projection: inout EditProjection, _ transaction: borrowing Transaction
    ) throws {
        let listed = projection.table.row.completedAt ?? Timestamp(microseconds: 0)
        let delivered = try OutboxEditsTable.delivered(
            to: edit.resource, from: listed, to: transitions.now, transaction)
        var body = delivered[edit.key] == nil ? known.updated(from: record) : known
        if let path = edit.terms.etagPath, let etag = record.value(at: path), body.value(at: path) != etag,
            let patch = JSONDocument(nesting: etag, at: path)
        {
            body = JSONMergePatch(patch).applied(to: body)
        }
        var learned = copy
        (learned.state.body, learned.etag) = (body, answer.etag)
        if learned.state != copy.state {
            (learned.cause, learned.request) = (.write, try edit.insertRequest(answer, projection, transaction))
        }
        try projection.setBase(of: edit.key, to: learned, transaction)
        try ConflictWatch(transitions: transitions).check(edit.key, &projection, transaction)
        try projection.rebuild(edit.key, transaction)
    }

    /// Stores the server copy, and applies the conflict policy of the edit. Writes that are not edits are parked.
    ///
    /// - Parameters:
    ///   - answer: the refusal, which may show the record or a part of it.
    ///   - theirs: the whole record; nil if it was not fetched.
    private func resolveConflict(
        _ error: RecordedError, _ answer: WriteAnswer?, theirs: WriteAnswer?, _ transaction: borrowing Transaction
    ) throws {
        guard var edit = try PendingEdit.load(id, transaction),
            var projection = try EditProjection.load(edit.resource, now: transitions.now, transaction)
        else { return try park(as: .conflict, error, transaction) }
        if theirs != nil { edit.terms.answersPart = false }
        let isUnchanged = try isUnchanged(theirs, edit, &projection, transaction)
        let knows = try saveTheirs(theirs ?? answer, edit, &projection, transaction)
        let conflicts = try OutboxTable.conflicts(of: id, transaction) + 1
        if isUnchanged, try resolveUnchanged(edit, error, answer, conflicts: conflicts, transaction) { return }
        var merged: [UInt8]?
        switch edit.terms.conflict {
        case .theirs:
            return try transitions.completeWrites(
                [id], as: .dropped, event: .dropped,
                detail: "\(error.message); the config prefers the origin's record", transaction)
        case .mine where conflicts < RetryRules.conflictAttempts: break
        case .merge where conflicts < RetryRules.conflictAttempts && knows:
            merged = try EditSides(of: edit.entry, transaction)?.mergedBody
            if merged == nil { fallthrough }
        case .hold, .mine, .merge: return try park(as: .conflict, error, transaction)
        }
        try sendAnew(error.message, body: merged, conflicts: conflicts, transaction)
    }

    /// The number of counted attempts, with this one.
    private var attempts: Int { write.entry.attempts + 1 }

    /// Sends the edit again for the server copy that was stored.
    ///
    /// - Parameters:
    ///   - body: nil for the present one.
    ///   - conflicts: the number of conflicts of the edit, with this one.
    private func sendAnew(
        _ why: String, body: [UInt8]? = nil, conflicts: Int, _ transaction: borrowing Transaction
    ) throws {
        try ConflictWatch.rekey(id, body: body, transaction)
        // Counted by itself: other failures, in between or before, neither use up these tries nor give more of them.
        try OutboxTable.set(conflicts: conflicts, of: id, transaction)
        let wait = RetryRules.conflictBackoff.wait(after: conflicts, jitter: jitter)
        try putBack(attempts: attempts, wait: wait, waitsForNetwork: false, transaction)
        try transitions.addEvent(id, .conflict, "\(why); it is sent again", transaction)
    }

    /// Whether a record that was fetched after a refused `If-Match` is as the edit knows it, apart from its ETag: then nobody has
    /// changed it, and there is nothing to merge or to prefer. What the record does not show may have been changed, so an edit of it,
    /// or of a resource that stores only parts, is not among them.
    private func isUnchanged(
        _ theirs: WriteAnswer?, _ edit: PendingEdit, _ projection: inout EditProjection,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        guard edit.terms.ifMatch, write.headerFields[.ifMatch] != nil, let theirs,
            let base = try EditSides(of: edit.entry, transaction)?.base.living,
            let record = try EditDelivery.record(in: theirs, edit, key: edit.key, &projection, transaction)
        else { return false }
        let shown = Set(record.members?.map(\.name) ?? [])
        guard try DroppedMembers.of(edit.entry.resource, transaction).isEmpty,
            edit.document?.members?.allSatisfy({ shown.contains($0.name) }) ?? true
        else { return false }
        return edit.terms.withoutETag(base).isEquivalent(to: edit.terms.withoutETag(record))
    }

    /// Sends the edit of such a record once under its new ETag, whatever the conflict policy; if a later try is refused, too,
    /// parks it.
    ///
    /// - Parameter conflicts: the number of conflicts of the edit, with this one.
    /// - Returns: false if there is no new ETag, and the policy does not drop the edit.
    private func resolveUnchanged(
        _ edit: PendingEdit, _ error: RecordedError, _ answer: WriteAnswer?, conflicts: Int,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        let etag = try ServerCopiesTable.etag(
            of: edit.key, in: edit.resource, at: edit.terms.etagPath, transaction)
        let isNew = etag != nil && etag != write.headerFields[.ifMatch]
        guard isNew || edit.terms.conflict == .theirs else { return false }
        var error = error
        error.message += "; the record there is unchanged" + (isNew ? ", only its ETag differs" : "")
        if isNew, conflicts == 1 {
            try sendAnew(error.message, conflicts: conflicts, transaction)
        } else {
            try record(error, answer, transaction)
            try park(as: .conflict, error, transaction)
        }
        return true
    }

    /// Stores the server copy from the answer to a refused edit.
    ///
    /// - Returns: whether the answer contained the server copy. If not, the refused ETag is known to be old.
    private func saveTheirs(
        _ answer: WriteAnswer?, _ edit: PendingEdit, _ projection: inout EditProjection,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        let key = edit.key
        let said = try answer.flatMap { try EditDelivery.record(in: $0, edit, key: key, &projection, transaction) }
        let known = try ServerCopiesTable.load(projection.resource, key, transaction)?.state ?? .nothing
        let isPart = said.map { edit.terms.isPart($0, of: known, before: known) } ?? true
        let theirs = EditDelivery.state(saying: said, isPart: isPart, over: known)
        // A refusal that only names the record is not the record, unless the config says that answers have a part of it.
        guard said != nil, !isPart || edit.terms.answersPart == true, theirs.living != nil else {
            let path = edit.terms.etagPath
            let etag = try ServerCopiesTable.etag(of: key, in: edit.resource, at: path, transaction)
            // A page may have brought another ETag while this was under way.
            guard etag == write.headerFields[.ifMatch] else { return false }
            try ServerCopiesTable.setETag(
                path.map { _ in ServerCopy.noETag }, of: key, in: projection.resource, transaction)
            try PageValidators.forget(showing: key, in: projection.table, transaction)
            return false
        }
        let request = try edit.insertRequest(answer, projection, transaction)
        let etag = edit.terms.answersPart == true ? nil : answer?.etag
        try projection.setBase(
            of: key, to: ServerCopy(state: theirs, etag: etag, cause: .write, request: request), transaction)
        try ConflictWatch(transitions: transitions).check(key, &projection, transaction)
        try projection.rebuild(key, transaction)
        return true
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
        entry.nextAttemptAt = transitions.now + min(wait, RetryRules.longestWait)
        try OutboxTable.putBack(entry, waitsForNetwork: waitsForNetwork, transaction)
    }

    /// This attempt has not arrived: restores what was known before the claim, unless an earlier request of it may have.
    private func forgetSending(_ transaction: borrowing Transaction) throws {
        guard !hasLostTry else { return }
        try OutboxTable.setFirstSent(write.entry.firstSentAt, of: id, transaction)
    }
}

extension JSONDocument {
    /// The same members with the values that they have in `other`, at any depth; those that it lacks stay.
    fileprivate func updated(from other: JSONDocument) -> JSONDocument {
        if let own = members, other.members != nil {
            return own.reduce(self) { updated, member in
                guard let value = other.value(at: JSONPath(member: member.name)) else { return updated }
                return updated.setting([member.name], to: member.value.updated(from: value))
            }
        }
        if let own = elements, let others = other.elements, own.count == others.count {
            return JSONDocument(array: zip(own, others).map { $0.updated(from: $1) })
        }
        return other
    }
}

extension WriteAnswer {
    /// How the origin took the write: "201".
    fileprivate var message: String {
        status == 202 ? "202: the origin accepted it, and carries it out later" : "\(status)"
    }

    /// The part of the body that is kept with the entry.
    func keptBody(without dropped: DroppedMembers) -> [UInt8] {
        Array(dropped.removed(from: body).prefix(Self.bodyLimit))
    }
}

extension RecordedError {
    /// Whether the origin answered that it has not acted. A status alone may be that of a token endpoint, behind a lost try.
    fileprivate var isTurnedAway: Bool {
        phase == Failure.Phase.answered.rawValue && status.map { HTTPFailure(status: $0).isTurnedAway } ?? false
    }
}
