// SPDX-License-Identifier: Apache-2.0
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
    /// The first resources that it synced.
    let resources: [Fact]
    /// How many more there are, in words.
    let others: String?

    /// As many names as fit on two lines.
    private static let mostNames = 4

    /// - Parameter resource: counts this one alone.
    init(_ run: Run, of resource: String? = nil, _ format: MessageFormat) {
        let part = run.resources.first { $0.resource == resource }
        id = String(run.id)
        href = PageLink.path("runs", String(run.id))
        command = run.command
        started = Moment(run.startedAt, format)
        took = run.endedAt.map { MessageFormat.duration($0 - run.startedAt) } ?? ""
        hasEnded = run.endedAt != nil
        outcome = Badge(part.map(\.outcome) ?? run.outcome, isOver: run.outcome != nil)
        counts = (part?.counters ?? run.counters).shown
        resources = run.resources.prefix(Self.mostNames).map {
            Fact("resource", $0.resource, href: PageLink.path("records", $0.resource))
        }
        let more = run.resources.count - resources.count
        others = more > 0 ? "and \(more) more" : nil
    }
}

extension RunCounters {
    /// The counters that are not 0 by the names that templates have for them, grouped for reading.
    var shown: [String: String] {
        let counts = [
            "pages": pages, "requests": requests, "notModified": notModified, "inserted": inserted, "updated": updated,
            "unchanged": unchanged, "stale": stale, "deleted": deleted, "blocked": deletionsBlocked,
            "quarantined": quarantined, "duplicates": duplicates,
        ]
        return counts.filter { $0.value != 0 }.mapValues { MessageFormat.grouped($0) }
            .merging(bytes == 0 ? [:] : ["bytes": MessageFormat.size(bytes)]) { count, _ in count }
    }

    /// The same with their names for people, in the order of reading.
    var facts: [Fact] {
        let names = [
            ("pages", "pages"), ("requests", "requests"), ("304s", "notModified"), ("over the network", "bytes"),
            ("inserted", "inserted"), ("updated", "updated"), ("unchanged", "unchanged"), ("stale", "stale"),
            ("deleted", "deleted"), ("deletions blocked", "blocked"), ("quarantined", "quarantined"),
            ("duplicates", "duplicates"),
        ]
        let shown = shown
        return names.compactMap { name, count in shown[count].map { Fact(name, $0) } }
    }
}
