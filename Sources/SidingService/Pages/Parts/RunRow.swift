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
    let counts: RunCounts

    init(_ run: Run, _ format: MessageFormat) {
        id = String(run.id)
        href = PageLink.path("runs", String(run.id))
        command = run.command
        started = Moment(run.startedAt, format)
        took = run.endedAt.map { MessageFormat.duration($0 - run.startedAt) } ?? ""
        hasEnded = run.endedAt != nil
        outcome = Badge(run.outcome, isOver: run.endedAt != nil)
        counts = RunCounts(run.counters)
    }
}

/// The counters of a run, grouped for reading.
struct RunCounts: Sendable {
    let pages: String
    let requests: String
    let notModified: String
    let bytes: String
    let inserted: String
    let updated: String
    let unchanged: String
    let stale: String
    let deleted: String
    let blocked: String
    let quarantined: String
    let duplicates: String

    init(_ counters: RunCounters) {
        pages = MessageFormat.grouped(counters.pages)
        requests = MessageFormat.grouped(counters.requests)
        notModified = MessageFormat.grouped(counters.notModified)
        bytes = MessageFormat.size(counters.bytes)
        inserted = MessageFormat.grouped(counters.inserted)
        updated = MessageFormat.grouped(counters.updated)
        unchanged = MessageFormat.grouped(counters.unchanged)
        stale = MessageFormat.grouped(counters.stale)
        deleted = MessageFormat.grouped(counters.deleted)
        blocked = MessageFormat.grouped(counters.deletionsBlocked)
        quarantined = MessageFormat.grouped(counters.quarantined)
        duplicates = MessageFormat.grouped(counters.duplicates)
    }
}
