// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain

/// `/runs`: the runs, newest first.
struct RunsScreen: Screen {
    static let template = "runs"
    private static let most = 50

    let title = "Runs"
    let command = ShellCommand.text("runs", "list")
    let menus: [Menu]
    let isFiltered: Bool
    let runs: [RunRow]
    let isFirst: Bool
    let first: String
    let next: String?

    static func load(_ served: ServedStore, _ query: Parameters) async throws -> RunsScreen {
        let resource = try query.filled("resource")
        let before = try query.number("before")
        let runs = try await served.store.runs(limit: most + 1, before: before ?? .max, of: resource)
        let shown = runs.prefix(most)
        let format = MessageFormat(now: served.now, isAbsolute: false)
        let next = runs.count > most ? shown.last.map { String($0.id) } : nil
        let names = served.resources().map { (value: $0.name, text: $0.name) }
        return RunsScreen(
            menus: [Menu("resource", "Resource", all: "all", names, chosen: resource)], isFiltered: resource != nil,
            runs: shown.map { RunRow($0, of: resource, format) }, isFirst: before == nil,
            first: PageLink.path("runs", query: [("resource", resource)]),
            next: next.map { PageLink.path("runs", query: [("resource", resource), ("before", $0)]) })
    }
}
