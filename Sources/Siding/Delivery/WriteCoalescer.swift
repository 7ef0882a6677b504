// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingChain
internal import SidingJSON
internal import SidingSQLite

/// Merges a new write into an unsent write to the same record.
struct WriteCoalescer {
    let write: WriteRequest
    let edit: WriteEdit
    let transitions: QueueTransitions

    enum Merging {
        /// Not merged: the write becomes an entry.
        case accept
        case folded(String)
        /// Neither this entry, which creates the record, nor the new write, which deletes it, needs to be sent.
        case cancels(String)
    }

    private typealias Target = (edit: PendingEdit, request: StoredRequest)

    /// Decides whether the new write is merged, and merges it.
    func outcome(
        lane: String, key: String, parents: Set<String>, _ transaction: borrowing Transaction
    ) throws -> Merging {
        guard edit.coalesces, write.key == nil, edit.change != .create,
            let target = try target(in: lane, key, transaction)
        else { return .accept }
        let entry = target.edit.entry.id
        guard try parents.isSubset(of: OutboxDependenciesTable.parents(of: entry, transaction).union([entry])) else {
            return .accept
        }
        // A record whose id the program chose may be at the origin already.
        if edit.change == .delete {
            return target.edit.terms.change == .create && target.edit.temporaryID != nil ? .cancels(entry) : .accept
        }
        guard let body = try body(of: target) else { return .accept }
        try fold(body, into: entry, target.request, transaction)
        return .folded(entry)
    }

    /// The newest entry of the lane, if it concerns the record, was never claimed, and may be changed. An entry that replaced
    /// another is excluded, because the other may have been claimed.
    private func target(
        in lane: String, _ key: String, _ transaction: borrowing Transaction
    ) throws -> Target? {
        guard let newest = try OutboxTable.laneEnd(of: lane, transaction), newest.state == .queued,
            newest.attempts == 0, newest.crashes == 0, newest.source == write.source,
            newest.resource == edit.resource, newest.recordKey == key, newest.token == 0, newest.firstSentAt == nil,
            newest.replaces == nil,
            let found = try PendingEdit.load(newest.id, transaction), found.terms.coalesces,
            let request = try OutboxRequestsTable.load(newest.id, transaction)
        else { return nil }
        return (found, request)
    }

    /// One body for both writes; nil if there is none.
    private func body(of target: Target) throws -> JSONDocument? {
        guard let earlier = target.edit.body else { return nil }
        let later = try Store.document(write.body ?? [])
        // If only one of them wraps its record, no body can express both.
        if let path = edit.record, (earlier.value(at: path) == nil) != (later.value(at: path) == nil) { return nil }
        let isAlike =
            try target.request.method == write.method.rawValue && target.request.url == write.url.description
            && target.request.headers == HeaderFieldsText.json(write.headerFields)
        switch (target.edit.terms.change, edit.change) {
        case (.merge, .merge) where isAlike:
            return try? JSONMergePatch.combine(JSONMergePatch(earlier), JSONMergePatch(later)).document
        case (.replace, .replace) where isAlike: return later
        case (.replace, .merge) where target.request.url == write.url.description:
            return JSONMergePatch(later).applied(to: earlier)
        case (.create, .merge): return unnamed(JSONMergePatch(later).applied(to: earlier), target)
        case (.create, .replace): return unnamed(later, target)
        default: return nil
        }
    }

    /// Removes the temporary id from a create: the origin assigns the real one.
    private func unnamed(_ document: JSONDocument, _ target: Target) -> JSONDocument {
        let (terms, record) = (target.edit.terms, target.edit.terms.record(in: document))
        guard let temporary = target.edit.temporaryID, let path = terms.keyPaths.first,
            terms.keyPaths.count == 1, record.value(at: path)?.string == temporary,
            let patch = JSONDocument(nesting: .null, at: path)
        else { return document }
        return terms.body(document, carrying: JSONMergePatch(patch).applied(to: record))
    }

    /// The entry was never sent, so it can keep its key.
    private func fold(
        _ body: JSONDocument, into entry: String, _ unsent: StoredRequest, _ transaction: borrowing Transaction
    ) throws {
        var request = unsent
        request.body = Array(body.bytes)
        try OutboxRequestsTable.update(request, of: entry, transaction)
        try OutboxTable.extendExpiry(of: entry, to: write.expiry.map { transitions.now + $0 }, transaction)
        try transitions.addEvent(entry, .coalesced, "with a later change of the same record", transaction)
        try EditProjection.rebuildRecords(of: [entry], now: transitions.now, transaction)
    }
}
