internal import Siding
internal import SidingChain
internal import SidingInspection

/// A run, or the part of one that concerns a resource, as a line of a table.
struct RunRow: Sendable {
    let id: String
    let href: String
    let command: String
    let started: Moment
    let took: String
    let hasEnded: Bool
    let outcome: Badge
    let counts: [String: String]

    init(_ run: Run, _ format: MessageFormat) {
        id = String(run.id)
        href = PageLink.path("runs", String(run.id))
        command = run.command
        started = Moment(run.startedAt, format)
        took = run.endedAt.map { MessageFormat.duration($0 - run.startedAt) } ?? ""
        hasEnded = run.endedAt != nil
        outcome = Badge(run.outcome, isOver: run.endedAt != nil)
        counts = run.counters.shown
    }
}

extension RunCounters {
    /// The counters by the names that templates have for them, grouped for reading.
    var shown: [String: String] {
        let counts = [
            "pages": pages, "requests": requests, "notModified": notModified, "inserted": inserted, "updated": updated,
            "unchanged": unchanged, "stale": stale, "deleted": deleted, "blocked": deletionsBlocked,
            "quarantined": quarantined, "duplicates": duplicates,
        ]
        return counts.mapValues { MessageFormat.grouped($0) }
            .merging(["bytes": MessageFormat.size(bytes)]) { count, _ in count }
    }
}
