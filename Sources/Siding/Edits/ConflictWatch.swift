internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Checks the pending edits of a record after its server copy changed, and applies the conflict policy of each.
struct ConflictWatch {
    let overlay: EditProjection
    let transitions: QueueTransitions

    /// Only affects edits that wait in the queue, and parked ones with the policy `merge`, which may succeed now.
    func check(_ key: String, _ transaction: borrowing Transaction) throws {
        for edit in try PendingEdit.all(of: overlay.name, key, transaction) where edit.base != nil {
            guard isOpen(edit) else { continue }
            // Read again for each edit, because handling an earlier one may have changed the others.
            if let sides = try EditSides.load(edit.entry, transaction) { try decide(sides, transaction) }
        }
    }

    private func isOpen(_ edit: PendingEdit) -> Bool {
        // An edit that may have arrived must not change, or its delivery probe could not recognise it.
        (edit.entry.state == .queued && edit.entry.unknownSince == nil)
            || (edit.entry.state == .parked && edit.entry.reason == .conflict && edit.terms.conflict == .merge)
    }

    private func decide(_ sides: EditSides, _ transaction: borrowing Transaction) throws {
        let entry = sides.edit.entry
        switch sides.edit.terms.conflict {
        case .mine: return
        case .merge:
            if let body = sides.mergedBody { return try send(body, of: sides.edit, transaction) }
            fallthrough
        case .hold:
            guard entry.state == .queued, let why = sides.disagreement else { return }
            _ = try transitions.park(entry, as: .conflict, why, transaction)
        case .theirs:
            guard let why = sides.disagreement else { return }
            try transitions.completeWrite(
                entry.id, as: .dropped, event: "dropped", detail: "\(why), which is to win", transaction)
        }
    }

    /// Changes the body of an unsent write, under a new key.
    private func send(_ body: [UInt8], of edit: PendingEdit, _ transaction: borrowing Transaction) throws {
        let isSame = edit.body.map { Array($0.bytes) } == body
        if !isSame {
            try Self.rekey(edit.entry.id, body: body, transaction)
            try transitions.note(edit.entry.id, "merged", "with what the origin has now", transaction)
        }
        if edit.entry.state == .parked {
            _ = try transitions.requeue(edit.entry, because: .released, transaction)
        }
    }

    /// Gives the entry a new key: a changed request must not be sent under the old one.
    static func rekey(_ entry: String, body: [UInt8]? = nil, _ transaction: borrowing Transaction) throws {
        try IdempotencyKeysTable.replaceKey(of: entry, transaction)
        if let body, var request = try OutboxRequestsTable.load(entry, transaction) {
            request.body = body
            try OutboxRequestsTable.update(request, of: entry, transaction)
        }
        try OutboxRequestsTable.setUnknownSince(nil, of: entry, transaction)
        try OutboxEditsTable.clearBase(ofEntry: entry, transaction)
        try OutboxTable.setFirstSent(nil, of: entry, transaction)
    }
}

/// Decides what happens to an edit that the origin refused because of a conflict.
struct ConflictSettler {
    /// A policy that sends again gives up after this many attempts.
    static let mostTries = 3

    let transitions: QueueTransitions

    enum NextStep {
        case park, drop, again
    }

    /// Stores the server copy that the answer contains, and decides by the edit's policy.
    func nextStep(
        on entry: QueueEntry, _ answer: WriteAnswer?, _ transaction: borrowing Transaction
    ) throws -> NextStep {
        guard let edit = try PendingEdit.load(entry.id, transaction),
            let overlay = try EditProjection.load(edit.resource, now: transitions.now, transaction)
        else { return .park }
        let knows = try keepTheirs(answer, edit, overlay, transaction)
        switch edit.terms.conflict {
        case .hold: return .park
        case .theirs: return .drop
        case .mine: return try again(entry, body: nil, transaction)
        case .merge:
            guard knows, let body = try EditSides.load(edit.entry, transaction)?.mergedBody else { return .park }
            return try again(entry, body: body, transaction)
        }
    }

    private func again(_ entry: QueueEntry, body: [UInt8]?, _ transaction: borrowing Transaction) throws -> NextStep {
        guard entry.attempts + 1 < Self.mostTries else { return .park }
        try ConflictWatch.rekey(entry.id, body: body, transaction)
        return .again
    }

    /// Stores the server copy from the answer to a refused edit.
    ///
    /// - Returns: whether the answer contained the server copy. If not, the refused ETag is at least known to be old.
    private func keepTheirs(
        _ answer: WriteAnswer?, _ edit: PendingEdit, _ overlay: EditProjection, _ transaction: borrowing Transaction
    ) throws -> Bool {
        let key = edit.key
        let said = try answer.flatMap { try EditSettler.record(in: $0, edit, key: key, overlay, transaction) }
        let known = try ServerCopiesTable.load(overlay.resource, key, transaction)?.state ?? .nothing
        let theirs = EditSettler.state(saying: said, over: known, edit.terms)
        guard said != nil, theirs.living != nil else {
            try ServerCopiesTable.clearETag(of: key, in: overlay.resource, transaction)
            return false
        }
        let request = try edit.insertRequest(answer, overlay, transaction)
        let etag = edit.terms.answersPart == true ? nil : answer?.etag
        try overlay.setBase(of: key, theirs, etag: etag, request: request, transaction)
        try ConflictWatch(overlay: overlay, transitions: transitions).check(key, transaction)
        try overlay.show(key, transaction)
        return true
    }
}
