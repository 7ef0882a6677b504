// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// The three sides of a merge for one edit: base, local (`mine`) and remote (`theirs`).
struct EditSides {
    let edit: PendingEdit
    let base: RecordState
    let mine: RecordState
    let theirs: RecordState

    /// The sides of the pending edit of an entry, nil if it has none. Earlier pending edits are applied to all three, because
    /// they are sent first.
    init?(of entry: QueueEntry, _ database: borrowing some Queryable & ~Copyable) throws {
        guard let name = entry.resource, let key = entry.recordKey,
            let resource = try ResourcesTable.id(of: name, database)
        else { return nil }
        let edits = try PendingEdit.all(of: name, key, database)
        guard let index = edits.firstIndex(where: { $0.entry.id == entry.id }) else { return nil }
        let now = try ServerCopiesTable.load(resource, key, database)?.state ?? .nothing
        let earlier = edits[..<index]
        edit = edits[index]
        base = earlier.reduce(edit.base ?? now) { $1.applied(to: $0) }
        mine = edit.applied(to: base)
        theirs = earlier.reduce(now) { $1.applied(to: $0) }
    }

    var difference: ThreeWayDifference? {
        guard let mine = mine.living, let theirs = theirs.living else { return nil }
        return ThreeWayDifference(base: base.living, mine: mine, theirs: theirs)
    }

    var disagreement: String? {
        guard let before = base.living else { return nil }
        guard let after = theirs.living else {
            return edit.terms.change == .delete ? nil : "the origin has deleted the record"
        }
        guard edit.terms.change != .delete else {
            let isSame = edit.terms.withoutETag(before).isEquivalent(to: edit.terms.withoutETag(after))
            return edit.terms.ifMatch && !isSame ? "the origin has changed the record" : nil
        }
        guard let difference else { return nil }
        // The ETag changes with each own write, too.
        let places = difference.rows.filter { $0.path != edit.terms.etagPath && ($0.isConflict || isUndone($0)) }
            .map(\.path.description)
        guard !places.isEmpty else { return nil }
        let shown = places.prefix(3).map { PlainText.oneLine($0, limit: 60) }.joined(separator: ", ")
        return "the origin has changed \(shown)\(places.count > 3 ? " and more" : "")"
    }

    /// Whether sending the whole record would undo this remote change, though the edit asks for `If-Match`.
    private func isUndone(_ row: ThreeWayDifference.Row) -> Bool {
        edit.terms.change == .replace && edit.terms.ifMatch && row.change == .theirs
    }

    /// The body after a three-way merge; nil if both sides changed the same member, or the edit is a create or a delete.
    var mergedBody: [UInt8]? {
        guard let merged = difference?.merged else { return nil }
        switch edit.terms.change {
        case .replace: return Array(edit.terms.body(edit.body, carrying: merged).bytes)
        case .merge: return edit.body.map { Array($0.bytes) }
        case .create, .delete: return nil
        }
    }
}
