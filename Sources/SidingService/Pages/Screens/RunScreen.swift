// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection

/// `/runs/ID`: what a run did to each resource.
struct RunScreen: Screen {
    static let template = "run"

    struct Resource: Sendable {
        let name: String
        let href: String
        let outcome: Badge
        /// Its counters that are not 0.
        let numbers: [Fact]
        let error: String?
        let hint: String?
        let notes: [String]
        let entry: Fact?
    }

    let title: String
    let command: String?
    let run: RunRow
    let resources: [Resource]

    /// - Throws: ``NotFound``.
    static func load(_ id: String, _ served: ServedStore) async throws -> RunScreen {
        guard let number = Int64(id) else { throw NotFound("there is no run '\(id.prefix(50))'") }
        guard let run = try await served.store.run(number) else {
            throw try await NotFound.run(number, in: served.store)
        }
        return RunScreen(run, MessageFormat(now: served.now, isAbsolute: false))
    }

    private init(_ run: Run, _ format: MessageFormat) {
        title = "Run \(run.id)"
        command = ShellCommand.text("runs", "show", String(run.id))
        self.run = RunRow(run, format)
        resources = run.resources.map { result in
            Resource(
                name: result.resource, href: PageLink.path("records", result.resource),
                outcome: Badge(result.outcome, isOver: run.outcome != nil),
                numbers: [Fact("took", MessageFormat.duration(result.duration))] + result.counters.facts,
                error: result.error?.message, hint: result.error?.hint, notes: result.notes,
                entry: result.entry.map {
                    Fact("queued as", String($0.prefix(8)), href: PageLink.path("queue", $0))
                })
        }
    }
}
