// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingInspection

/// What an operator may do with an entry now, the usual first.
struct EntryActions: Sendable {
    struct Choice: Sendable {
        let text: String
        /// What it does, in a line.
        let effect: String
        /// Where its form is sent; nil for an action that has a page of its own.
        var post: String?
        /// The page that shows first what it would do.
        var link: String?
        /// At most one of an entry's.
        var isPrimary = false
    }

    let choices: [Choice]
    var isEmpty: Bool { choices.isEmpty }

    /// The actions that the store would not refuse.
    static func load(_ report: EntryReport, in store: Store) async throws -> EntryActions {
        let entry = report.entry
        let resolutions = resolutions(of: report).map { how in
            Choice(
                text: how.title + "…", effect: how.effect,
                link: PageLink.path("queue", entry.id, "resolve", query: [("how", how.rawValue)]))
        }
        // The origin only lacks the record's ETag then.
        let isUndisputed = entry.lastError?.status == 428
        var choices = isUndisputed ? [] : resolutions
        let released = entry.state == .parked && entry.reason.isReleased
        for action in released ? [QueueAction.release, .retry] : [.retry, .hold] {
            guard try await isAllowed(action, on: entry.id, in: store) else { continue }
            choices.append(
                Choice(
                    text: action.title, effect: action.effect(on: entry),
                    post: PageLink.path("queue", entry.id, action.rawValue)))
        }
        choices += isUndisputed ? resolutions : []
        if !choices.isEmpty { choices[0].isPrimary = true }
        if try await isAllowed(.drop, on: entry.id, in: store) {
            choices.append(
                Choice(
                    text: QueueAction.drop.title, effect: QueueAction.drop.effect(on: entry),
                    link: PageLink.path("queue", entry.id, "drop")))
        }
        return EntryActions(choices: choices)
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
        return report.conflict?.change == .delete ? [.mine, .theirs] : [.merge, .mine, .theirs]
    }
}

extension ParkReason? {
    /// Whether a parked entry waits for nothing but to be let go; others were refused or are in doubt.
    var isReleased: Bool {
        switch self {
        case .held, .poison, .expired, .dependency, nil: true
        case .uncertain, .rejected, .conflict, .invalid, .signIn, .keyExpired: false
        }
    }
}

/// Actions in the words of the pages.
extension QueueAction {
    var title: String {
        switch self {
        case .retry: "Try now"
        case .hold: "Hold"
        case .release: "Release"
        case .drop: "Drop…"
        }
    }

    /// What it does to an entry, in a line.
    func effect(on entry: QueueEntry) -> String {
        switch (self, entry.kind) {
        case (.retry, .write) where entry.state == .parked && entry.mayHaveArrived:
            "Sends it again. If it did arrive, the origin may have it twice."
        case (.retry, .write) where entry.unknownSince != nil: "Asks the origin now whether it arrived."
        case (.retry, .write) where entry.reason == .conflict:
            "Looks at the record again; while the conflict stands, nothing is sent."
        case (.retry, .write): "Sends it unchanged, now, even if its source is to be left alone for a while."
        case (.retry, .fetch): "Fetches the page now, even if its source is to be left alone for a while."
        case (.hold, _): "Keeps it here until somebody releases it."
        case (.release, _): "Puts it back into the queue: its turn comes as its source allows."
        case (.drop, .write): "Never sends it. Entries that depend on it are parked."
        case (.drop, .fetch): "Gives the page up: the next sync starts its listing over."
        }
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

    /// What it does, in a line.
    var effect: String {
        switch self {
        case .mine: "The write is sent again, over the origin's record."
        case .theirs: "The write is dropped: the origin's record stays."
        case .merge: "A whole record is sent instead, which you see and may edit first."
        case .arrived:
            "The write is marked as delivered, and entries that wait for it continue. Look at the origin first."
        }
    }
}
