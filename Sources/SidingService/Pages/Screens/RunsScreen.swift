internal import Siding
internal import SidingChain

/// `/runs`: the runs, newest first.
struct RunsScreen: Screen {
    static let template = "runs"
    private static let most = 50

    let title = "Runs"
    let runs: [RunRow]
    let isFirst: Bool
    let next: String?

    static func load(_ served: ServedStore, _ query: Parameters) async throws -> RunsScreen {
        let before = try query.number("before")
        let runs = try await served.store.runs(limit: most + 1, before: before ?? .max)
        let shown = runs.prefix(most)
        let format = MessageFormat(now: served.now, isAbsolute: false)
        let next = runs.count > most ? shown.last.map { String($0.id) } : nil
        return RunsScreen(
            runs: shown.map { RunRow($0, format) }, isFirst: before == nil,
            next: next.map { PageLink.path("runs", query: [("before", $0)]) })
    }
}
