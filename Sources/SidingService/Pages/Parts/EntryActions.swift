internal import Siding
internal import SidingInspection

/// What an operator may do with an entry now.
struct EntryActions: Sendable {
    /// An action that is done at once.
    struct Button: Sendable {
        let action: String
        let text: String
    }

    /// An action whose effect is shown first.
    struct Decision: Sendable {
        let href: String
        let text: String
    }

    let buttons: [Button]
    let decisions: [Decision]
    let isEmpty: Bool

    private static let atOnce: [(action: QueueAction, text: String)] = [
        (.retry, "Try now"), (.hold, "Hold"), (.release, "Release"),
    ]

    /// The actions that the store would not refuse.
    static func load(_ report: EntryReport, in store: Store) async throws -> EntryActions {
        let id = report.entry.id
        var buttons: [Button] = []
        for (action, text) in atOnce where try await isAllowed(action, on: id, in: store) {
            buttons.append(Button(action: action.rawValue, text: text))
        }
        var decisions = resolutions(of: report).map { how in
            Decision(
                href: PageLink.path("queue", id, "resolve", query: [("how", how.rawValue)]), text: how.title + "…")
        }
        if try await isAllowed(.drop, on: id, in: store) {
            decisions.append(Decision(href: PageLink.path("queue", id, "drop"), text: "Drop…"))
        }
        return EntryActions(
            buttons: buttons, decisions: decisions, isEmpty: buttons.isEmpty && decisions.isEmpty)
    }

    private static func isAllowed(_ action: QueueAction, on id: String, in store: Store) async throws -> Bool {
        let changes = try await store.carryOut(.act(action), on: QueueSelection(ids: [id]), isRehearsal: true)
        return changes.first.map { $0.refusal == nil } ?? false
    }

    /// The resolutions that may fit; the confirmation shows whether they do.
    private static func resolutions(of report: EntryReport) -> [Resolution] {
        let entry = report.entry
        guard entry.kind == .write, !entry.state.isCompleted, entry.state != .sending else { return [] }
        if entry.mayHaveArrived { return [.arrived] }
        let isConflict = entry.state == .parked && entry.reason == .conflict
        guard isConflict || report.conflict?.disagreement != nil else { return [] }
        return report.conflict?.change == .delete ? [.mine, .theirs] : [.mine, .theirs, .merge]
    }
}

/// A resolution as forms name it.
enum Resolution: String, CaseIterable {
    case mine, theirs, merge, arrived

    var title: String {
        switch self {
        case .mine: "Send mine"
        case .theirs: "Keep theirs"
        case .merge: "Merge"
        case .arrived: "It has arrived"
        }
    }

    /// What it does, for the confirmation.
    var effect: String {
        switch self {
        case .mine: "The write is sent again, over the origin's record."
        case .theirs: "The write is dropped: the origin's record stays."
        case .merge: "The whole record below is sent instead."
        case .arrived:
            "The write is marked as delivered, and entries that wait for it continue. Look at the origin first."
        }
    }
}
