internal import SidingChain
internal import SidingSQLite

/// Decides what happens to an edit that the origin refused because of a conflict.
struct ConflictSettler {
    /// A policy that sends again gives up after this many attempts.
    static let mostTries = 3

    let transitions: QueueTransitions

    enum Verdict {
        case park, drop, again
    }

    /// Stores the server copy that the answer contains, and decides by the edit's policy.
    func verdict(
        on entry: QueueEntry, _ answer: WriteAnswer?, _ transaction: borrowing Transaction
    ) throws -> Verdict {
        guard let found = try EditRows.edit(of: entry.id, transaction),
            let overlay = try EditProjection.load(found.resource, now: transitions.now, transaction)
        else { return .park }
        let knows = try keepTheirs(answer, found.edit, found.key, overlay, transaction)
        switch found.edit.terms.conflict {
        case .hold: return .park
        case .theirs: return .drop
        case .mine: return try again(entry, body: nil, transaction)
        case .merge:
            let sides = try EditRows.sides(
                of: entry.id, on: found.key, in: overlay.resource, named: overlay.name, transaction)
            guard knows, let body = sides?.mergedBody else { return .park }
            return try again(entry, body: body, transaction)
        }
    }

    private func again(_ entry: QueueEntry, body: [UInt8]?, _ transaction: borrowing Transaction) throws -> Verdict {
        guard entry.attempts + 1 < Self.mostTries else { return .park }
        try ConflictWatch.rekey(entry.id, body: body, transaction)
        return .again
    }

    /// Stores the server copy from the answer to a refused edit.
    ///
    /// - Returns: whether the answer contained the server copy. If not, the refused ETag is at least known to be old.
    private func keepTheirs(
        _ answer: WriteAnswer?, _ edit: PendingEdit, _ key: String, _ overlay: EditProjection,
        _ transaction: borrowing Transaction
    ) throws -> Bool {
        let said = try answer.flatMap { try EditSettler.record(in: $0, edit, key: key, overlay, transaction) }
        let known = try ServerCopy.load(overlay.resource, key, transaction)?.state ?? .nothing
        let theirs = EditSettler.state(saying: said, over: known, edit.terms)
        guard said != nil, theirs.living != nil else {
            try transaction.execute(
                "UPDATE siding_server_copies SET etag = NULL WHERE resource = ?1 AND key = ?2", overlay.resource, key)
            return false
        }
        let request = try RequestRow.insert(answer, to: edit, overlay, transaction)
        let etag = edit.terms.answersPart == true ? nil : answer?.etag
        try overlay.setBase(of: key, theirs, etag: etag, request: request, transaction)
        try ConflictWatch(overlay: overlay, transitions: transitions).check(key, transaction)
        try overlay.show(key, transaction)
        return true
    }
}
