// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// `/`: how fresh each resource is and why, its last syncs, and the queue.
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
        let chart: RunChart?
        /// Where the form for a sync is sent; nil while one is under way.
        let sync: String?
    }

    struct Target: Sendable {
        let name: String
        let badge: Badge
        let why: String
        let behind: String
        let published: Moment?
    }

    let title = "Overview"
    let command = ShellCommand.text("status")
    let headline: Headline
    let resources: [Resource]
    let waiting: [QueueScreen.Count]
    let sources: [String]
    let targets: [Target]
    let lastRun: RunRow?
    let network: String
    let database: String
    let token: String

    static func load(_ served: ServedStore, formToken: String) async throws -> OverviewScreen {
        let resources = served.resources()
        let overview = try await served.overview()
        let syncs = try await served.store.pastSyncs(of: resources.map(\.name), limit: RunChart.mostSyncs)
        var parked = QueueSelection(states: [.parked])
        parked.exceptReasons = [.held]
        // Without parked entries, all that wait would be looked at for nothing.
        let entries =
            overview.parked > 0 ? try await served.store.entries(parked, limit: Headline.mostNames) : []
        return OverviewScreen(overview, syncs, entries, served.storeFailure(), formToken)
    }

    private init(
        _ overview: Overview, _ syncs: [String: [PastSync]], _ parked: [QueueEntry], _ failure: StoreError?,
        _ token: String
    ) {
        let format = MessageFormat(now: overview.now, isAbsolute: false)
        headline = failure.map { Headline($0) } ?? Headline(overview, parked)
        resources = overview.resources.map { line in
            Resource(line, RunChart(of: line.name, syncs[line.name] ?? [], format), format)
        }
        waiting = overview.queue.counts.map { QueueScreen.Count($0) }
        sources =
            overview.gateLines
            + overview.limits.map { Overview.line($0, now: overview.now) }
        targets = overview.targets.map { Target($0, format) }
        lastRun = overview.lastRun.map { RunRow($0, format) }
        (network, database) = (overview.networkLine, overview.databaseLine)
        self.token = token
    }
}

extension OverviewScreen.Resource {
    fileprivate init(_ line: Overview.ResourceLine, _ chart: RunChart?, _ format: MessageFormat) {
        let quarantined = line.state?.quarantined ?? 0
        (name, href, badge) = (line.name, PageLink.path("records", line.name), Badge(line))
        // The state itself is in the cell before.
        let state = Overview.state(of: line, format)
        let why = state.hasPrefix(badge.text) ? state.dropFirst(badge.text.count) : state[...]
        self.why = String(why.drop { " ,;:".contains($0) })
        records = MessageFormat.grouped(line.state?.records ?? 0)
        self.quarantined = quarantined > 0 ? MessageFormat.grouped(quarantined) : nil
        quarantineHref = PageLink.path("quarantine", query: [("resource", line.name)])
        completed = (line.state?.completedAt).map { Moment($0, format) }
        self.chart = chart
        sync = line.isRunning ? nil : PageLink.path("records", line.name, "sync")
    }
}

extension OverviewScreen.Target {
    fileprivate init(_ state: PublicationState, _ format: MessageFormat) {
        (name, badge) = (state.target.name, Badge(state, now: format.now))
        let failures = state.failures.map { entry in
            (entry.resource.map { "\($0): " } ?? "") + PublicationState.line(entry.failure, format)
        }
        let oldest = state.oldestChangeAt.map { "the oldest change waits \(format.span(since: $0))" }
        why = failures.isEmpty ? oldest ?? "" : failures.joined(separator: "; ")
        behind = MessageFormat.grouped(state.behind)
        published = state.publishedAt.map { Moment($0, format) }
    }
}
