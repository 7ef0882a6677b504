internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// `/`: how fresh each resource is and why, the queue, the last runs.
struct OverviewScreen: Screen {
    static let template = "overview"

    struct Resource: Sendable {
        let name: String
        let href: String
        let badge: Badge
        let why: String
        let records: String
        let quarantined: String?
        let quarantineHref: String
        let completed: Moment?
    }

    let title = "Overview"
    let headline: Badge
    let resources: [Resource]
    let waiting: [QueueScreen.Count]
    let sources: [String]
    let lastRun: RunRow?
    let network: String
    let database: String
    let charts: [RunChart]
    let runs: [RunRow]

    static func load(_ served: ServedStore) async throws -> OverviewScreen {
        OverviewScreen(
            try await Overview.gather(served.resources(), served.store, maxAge: nil, now: served.now),
            try await served.store.runs(limit: RunChart.most), served.storeFailure())
    }

    private init(_ overview: Overview, _ runs: [Run], _ failure: StoreError?) {
        let format = MessageFormat(now: overview.now, isAbsolute: false)
        headline =
            failure.map { Badge(.bad, "Nothing can be stored: \(PlainText.oneLine($0.message))") }
            ?? Self.headline(overview)
        resources = overview.resources.map { line in
            let badge = Badge(line)
            let state = Overview.state(of: line, format)
            let quarantined = line.state?.quarantined ?? 0
            return Resource(
                name: line.name, href: PageLink.path("records", line.name), badge: badge,
                why: state == badge.text ? "" : state, records: MessageFormat.grouped(line.state?.records ?? 0),
                quarantined: quarantined > 0 ? MessageFormat.grouped(quarantined) : nil,
                quarantineHref: PageLink.path("quarantine", query: [("resource", line.name)]),
                completed: (line.state?.completedAt).map { Moment($0, format) })
        }
        waiting = overview.queue.counts.map { QueueScreen.Count($0) }
        sources =
            overview.gateLines
            + overview.limits.map { Overview.line($0, now: overview.now) }
        lastRun = overview.lastRun.map { RunRow($0, format) }
        (network, database) = (overview.networkLine, overview.databaseLine)
        charts = runs.isEmpty ? [] : [.durations(runs), .changes(runs)]
        self.runs = runs.map { RunRow($0, format) }
    }

    /// Whether anything needs a look, in a sentence.
    private static func headline(_ overview: Overview) -> Badge {
        let badges = overview.resources.map { Badge($0) }
        var parts: [String] = []
        for word in ["failing", "incomplete", "waiting", "unfinished", "stale", "not synced"] {
            let count = badges.count { $0.text == word }
            if count > 0 { parts.append("\(MessageFormat.count(count, "resource")) \(word)") }
        }
        let parked = overview.parked
        if parked > 0 { parts.append("\(MessageFormat.count(parked, "entry", plural: "entries")) parked") }
        guard !parts.isEmpty else {
            let nothing = overview.resources.isEmpty ? "No resource is declared." : "Everything is up to date."
            return Badge(overview.resources.isEmpty ? .quiet : .good, nothing)
        }
        let isBad = parked > 0 || badges.contains { $0.kind == Badge.Kind.bad.rawValue }
        return Badge(isBad ? .bad : .waiting, parts.joined(separator: ", ") + ".")
    }
}
