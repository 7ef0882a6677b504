// SPDX-License-Identifier: Apache-2.0
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Checks the pending edits of a record whose server copy changed, and applies the conflict policy of each: when the change
/// comes, and before one of them is sent.
struct ConflictWatch {
    let transitions: QueueTransitions

    /// Checks the record of an entry's edit, if it has one, and shows it anew.
    static func check(
        _ entry: QueueEntry, _ transitions: QueueTransitions, _ transaction: borrowing Transaction
    ) throws {
        guard let name = entry.resource, let key = entry.recordKey,
            var projection = try EditProjection.load(name, now: transitions.now, transaction)
        else { return }
        try ConflictWatch(transitions: transitions).check(key, &projection, transaction)
        try projection.rebuild(key, transaction)
    }

    /// Only affects edits that wait in the queue, and parked ones with the policy `merge`, which may succeed now.
    func check(_ key: String, _ projection: inout EditProjection, _ transaction: borrowing Transaction) throws {
        for edit in try PendingEdit.all(of: projection.name, key, transaction) where edit.base != nil {
            guard isOpen(edit) else { continue }
            // Read again for each edit, because handling an earlier one may have changed the others.
            if let sides = try EditSides(of: edit.entry, transaction) { try decide(sides, &projection, transaction) }
        }
    }

    private func isOpen(_ edit: PendingEdit) -> Bool {
        // An edit that may have arrived must not change: it would be a second write.
        (edit.entry.state == .queued && !edit.entry.hasUnansweredTry)
            || (edit.entry.state == .parked && edit.entry.reason == .conflict && edit.terms.conflict == .merge)
    }

    private func decide(
        _ sides: EditSides, _ projection: inout EditProjection, _ transaction: borrowing Transaction
    ) throws {
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
            try transitions.complete(
                [entry.id], as: .dropped, event: .dropped,
                detail: "\(why), and the config prefers the origin's record", transaction)
            try projection.rebuild(sides.edit.key, transaction)
        }
    }

    /// Changes the body of an unsent write, under a new key.
    private func send(_ body: [UInt8], of edit: PendingEdit, _ transaction: borrowing Transaction) throws {
        let isSame = edit.body.map { Array($0.bytes) } == body
        if !isSame {
            try Self.rekey(edit.entry.id, body: body, transaction)
            try transitions.addEvent(edit.entry.id, .merged, "with the origin's present record", transaction)
        }
        if edit.entry.state == .parked {
            try OutboxRequestsTable.clearError(of: edit.entry.id, transaction)
            try transitions.requeue([edit.entry], because: .released, transaction)
        }
    }

    /// Sends the entry under a new key from now on: a changed request must not be sent under the old one.
    static func rekey(_ entry: String, body: [UInt8]? = nil, _ transaction: borrowing Transaction) throws {
        let digest = try RequestDigest.of(entry: entry, transaction)
        try IdempotencyKeysTable.replaceSentKey(of: entry, digest: digest, transaction)
        if let body, var request = try OutboxRequestsTable.load(entry, transaction) {
            request.body = body
            try OutboxRequestsTable.update(request, of: entry, transaction)
        }
        try OutboxRequestsTable.setUnknownSince(nil, of: entry, transaction)
        try OutboxEditsTable.setBase(nil, ofEntry: entry, transaction)
        try OutboxTable.setFirstSent(nil, of: entry, transaction)
    }
}
