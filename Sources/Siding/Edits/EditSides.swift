internal import SidingJSON

/// An edit and the origin, each as it would have the record: what they began with, and what each made of it.
struct EditSides {
    let edit: PendingEdit
    let base: RecordState
    let mine: RecordState
    let theirs: RecordState

    /// Edits that came before count as made on every side: they are ours, and go first.
    ///
    /// - Parameters:
    ///   - edits: the record's, in their order.
    ///   - now: what the origin has.
    /// - Returns: nil where `entry` is none of them.
    init?(of entry: String, among edits: [PendingEdit], now: RecordState) {
        guard let index = edits.firstIndex(where: { $0.entry.id == entry }) else { return nil }
        let earlier = edits[..<index]
        edit = edits[index]
        base = earlier.reduce(edit.base ?? now) { $1.applied(to: $0) }
        mine = edit.applied(to: base)
        theirs = earlier.reduce(now) { $1.applied(to: $0) }
    }

    /// Member by member; nil where one side has no record.
    var difference: ThreeWayDifference? {
        guard let mine = mine.living, let theirs = theirs.living else { return nil }
        return ThreeWayDifference(base: base.living, mine: mine, theirs: theirs)
    }

    /// Why the edit may not simply be sent, in words; nil where it may.
    var disagreement: String? {
        guard let before = base.living else { return nil }
        guard let after = theirs.living else {
            return edit.terms.change == .delete ? nil : "the origin has deleted the record"
        }
        guard edit.terms.change != .delete else {
            return edit.terms.ifMatch && !before.isEquivalent(to: after) ? "the origin has changed the record" : nil
        }
        guard let difference else { return nil }
        let places = difference.rows.filter { $0.isConflict || isUndone($0) }.map(\.path.description)
        guard !places.isEmpty else { return nil }
        let shown = places.prefix(3).map { PlainText.oneLine($0, limit: 60) }.joined(separator: ", ")
        return "the origin has changed \(shown)\(places.count > 3 ? " and more" : "")"
    }

    /// What a whole record that is sent for a certain state would take back.
    private func isUndone(_ row: ThreeWayDifference.Row) -> Bool {
        edit.terms.change == .replace && edit.terms.ifMatch && row.change == .theirs
    }

    /// The body with the changes of both; nil where both changed the same, or a body cannot say it.
    var mergedBody: [UInt8]? {
        guard let merged = difference?.merged else { return nil }
        switch edit.terms.change {
        case .replace: return Array(edit.terms.body(edit.body, carrying: merged).bytes)
        case .merge: return edit.body.map { Array($0.bytes) }
        case .create, .delete: return nil
        }
    }
}
