// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// `/quarantine`: the records that broke their contract, oldest first.
struct QuarantineScreen: Screen {
    static let template = "quarantine"
    private static let most = 50

    struct Row: Sendable {
        let id: String
        let href: String
        let resource: String
        let key: String
        let reason: String
        let since: Moment
        let run: Fact
    }

    let title = "Quarantine"
    let command = ShellCommand.text("quarantine", "list")
    let menus: [Menu]
    let rows: [Row]
    let isFiltered: Bool
    let isFirst: Bool
    let first: String
    let next: String?

    static func load(_ served: ServedStore, _ query: Parameters) async throws -> QuarantineScreen {
        let resource = try query.filled("resource")
        let after = try query.number("after")
        let records = try await served.quarantined(
            QuarantineSelection(resources: resource.map { [$0] } ?? [], limit: most + 1), after: after)
        let shown = records.prefix(most)
        let format = MessageFormat(now: served.now, isAbsolute: false)
        let next = records.count > most ? shown.last.map { String($0.id) } : nil
        let names = served.resources().map { (value: $0.name, text: $0.name) }
        return QuarantineScreen(
            menus: [Menu("resource", "Resource", all: "all", names, chosen: resource)],
            rows: shown.map { Row($0, format) }, isFiltered: resource != nil,
            isFirst: after == nil, first: PageLink.path("quarantine", query: [("resource", resource)]),
            next: next.map { PageLink.path("quarantine", query: [("resource", resource), ("after", $0)]) })
    }
}

extension QuarantineScreen.Row {
    fileprivate init(_ record: QuarantinedRecord, _ format: MessageFormat) {
        id = String(record.id)
        href = PageLink.path("quarantine", id)
        (resource, key, reason) = (record.resource, record.key ?? "none", record.reason)
        since = Moment(record.createdAt, format)
        run = Fact("run", String(record.run), href: PageLink.path("runs", String(record.run)))
    }
}
