// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// `/queue`: the entries, oldest first, by state, reason, age, source and resource.
struct QueueScreen: Screen {
    static let template = "queue"
    static let most = 50

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
        let tries: String?
        let next: String
        let subject: String
        let source: String
        let request: String
        let url: String
        let lastError: String

        init(_ entry: QueueEntry, _ format: MessageFormat, _ gates: [SourceGate]) {
            let text = EntryText(entry, format, gates: gates)
            shortID = entry.shortID
            href = PageLink.path("queue", entry.id)
            badge = Badge(entry.state, entry.reason)
            doubt = entry.mayHaveArrived
            queued = Moment(entry.createdAt, format)
            tries = entry.tries > 0 ? String(entry.tries) : nil
            next = entry.state == .queued || entry.state == .sending ? text.next : ""
            let hasName = entry.operation != nil || entry.kind == .fetch
            subject = hasName ? EntrySubject.text(entry) : text.subject
            (source, request, url) = (entry.source, EntrySubject.request(entry), entry.url)
            lastError = text.lastError
        }
    }

    /// What may be done with all parked entries of the page at once, where they wait for one reason.
    struct Bulk: Sendable {
        struct Choice: Sendable {
            let text: String
            let action: String
        }

        let title: String
        let ids: [String]
        let choices: [Choice]
        /// Where the form for a drop goes first; its ids are in its address.
        let drop = PageLink.path("queue", "drop")
        let remark: String?
    }

    let title = "Queue"
    let command = ShellCommand.text("queue", "list")
    let counts: [Count]
    let menus: [Menu]
    let rows: [Row]
    let bulk: Bulk?
    /// Whether they are parked, for whatever reason.
    let isOfParked: Bool
    let isFiltered: Bool
    let isFirst: Bool
    let first: String
    let nextPage: String?
    let token: String

    static func load(_ served: ServedStore, _ query: Parameters, formToken: String) async throws -> QueueScreen {
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
            rows: shown.map { Row($0, format, gates) }, bulk: filter.reason.flatMap { Bulk(Array(shown), $0) },
            isOfParked: filter.state == .parked && !entries.isEmpty, isFiltered: !filter.parameters.isEmpty,
            isFirst: after == nil, first: PageLink.path("queue", query: filter.parameters),
            nextPage: next.map { PageLink.path("queue", query: filter.parameters + [("after", $0)]) },
            token: formToken)
    }
}

extension QueueScreen.Bulk {
    /// Nil if no entry is parked for the reason.
    fileprivate init?(_ entries: [QueueEntry], _ reason: ParkReason) {
        let parked = entries.filter { $0.state == .parked }
        guard !parked.isEmpty else { return nil }
        let doubtful = parked.count(where: \.mayHaveArrived)
        let count = MessageFormat.count(parked.count, "entry", plural: "entries")
        title = "All \(count) of this page"
        ids = parked.map(\.id)
        let action: QueueAction = Optional(reason).isReleased ? .release : .retry
        choices = doubtful == parked.count ? [] : [Choice(text: action.title, action: action.rawValue)]
        remark =
            doubtful == 0
            ? nil
            : "\(MessageFormat.count(doubtful, "entry", plural: "entries")) may have arrived: "
                + "whether to send again is decided on the page of each."
    }
}
