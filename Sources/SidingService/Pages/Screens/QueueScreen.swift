internal import Siding
internal import SidingChain
internal import SidingInspection

/// `/queue`: the entries, oldest first, by state, reason, age, source and resource.
struct QueueScreen: Screen {
    static let template = "queue"
    private static let most = 50

    /// The number of entries in a state, as a link to them.
    struct Count: Sendable {
        let badge: Badge
        let count: String
        let href: String

        init(_ count: QueueCount) {
            badge = Badge(count.state, count.reason)
            self.count = MessageFormat.grouped(count.count)
            href = PageLink.path(
                "queue", query: [("state", count.state.rawValue), ("reason", count.reason?.rawValue)])
        }
    }

    struct Row: Sendable {
        let shortID: String
        let href: String
        let badge: Badge
        let doubt: Bool
        let queued: Moment
        let tries: String
        let next: String
        let subject: String
        let request: String
        let lastError: String

        init(_ entry: QueueEntry, _ format: MessageFormat, _ gates: [SourceGate]) {
            let text = EntryText(entry, format, gates: gates)
            shortID = entry.shortID
            href = PageLink.path("queue", entry.id)
            badge = Badge(entry.state, entry.reason)
            doubt = entry.mayHaveArrived
            queued = Moment(entry.createdAt, format)
            tries = String(entry.tries)
            next = entry.state == .queued || entry.state == .sending ? text.next : ""
            (subject, request, lastError) = (text.subject, text.request, text.lastError)
        }
    }

    let title = "Queue"
    let counts: [Count]
    let menus: [Menu]
    let rows: [Row]
    let isFiltered: Bool
    let isFirst: Bool
    let first: String
    let nextPage: String?

    static func load(_ served: ServedStore, _ query: Parameters) async throws -> QueueScreen {
        let filter = try QueueFilter(query)
        let after = try query.filled("after")
        let entries = try await served.entries(
            filter.selection(now: served.now), after: after, limit: most + 1)
        let shown = entries.prefix(most)
        let format = MessageFormat(now: served.now, isAbsolute: false)
        let next = entries.count > most ? shown.last?.id : nil
        let gates = try await served.store.gates()
        let counts = try await served.store.queueShares().counts.map(Count.init)
        return QueueScreen(
            counts: counts, menus: filter.menus(served.resources()),
            rows: shown.map { Row($0, format, gates) }, isFiltered: !filter.parameters.isEmpty,
            isFirst: after == nil, first: PageLink.path("queue", query: filter.parameters),
            nextPage: next.map { PageLink.path("queue", query: filter.parameters + [("after", $0)]) })
    }
}
