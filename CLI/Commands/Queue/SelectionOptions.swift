// SPDX-License-Identifier: Apache-2.0
public import ArgumentParser
public import Siding
import SidingChain
import SidingInspection
import SidingManifest

/// The options that select queue entries.
struct SelectionOptions: ParsableArguments {
    @Argument(help: "Ids or unique prefixes of at least 4 characters; '-' reads them from standard input.")
    var ids: [String] = []

    @Option(help: ArgumentHelp("Entries of this resource; may be repeated.", valueName: "name"))
    var resource: [String] = []

    @Option(help: ArgumentHelp("Entries of this source; may be repeated.", valueName: "name"))
    var source: [String] = []

    @Option(help: ArgumentHelp("Entries of this lane; may be repeated.", valueName: "lane"))
    var lane: [String] = []

    @Option(help: ArgumentHelp("Entries in this state; may be repeated.", valueName: "state"))
    var state: [QueueEntry.State] = []

    @Option(help: ArgumentHelp("Entries parked for this reason; may be repeated.", valueName: "reason"))
    var reason: [ParkReason] = []

    @Option(help: ArgumentHelp("Entries older than this.", valueName: "duration"))
    var olderThan: DurationArgument?

    /// Whether anything narrows the selection.
    var isNarrow: Bool { narrowsBeyondSources || !source.isEmpty }

    /// Whether anything but ``source`` narrows the selection.
    var narrowsBeyondSources: Bool {
        !(ids.isEmpty && resource.isEmpty && lane.isEmpty && state.isEmpty && reason.isEmpty) || olderThan != nil
    }

    /// Whether ids are read from standard input.
    var readsStandardInput: Bool { ids.contains("-") }

    /// The selection, including ids from standard input, which can be read only once.
    ///
    /// - Throws: ``CommandError`` with code 66 if a source or resource is neither in the config nor in the queue, or if standard input
    ///   should give ids and is empty: an empty selection would mean all entries.
    func selection(now: Timestamp, _ workspace: Workspace, _ store: Store) async throws -> QueueSelection {
        let all = ids.flatMap { $0 == "-" ? Self.standardInput() : [$0] }
        guard !all.isEmpty || ids.isEmpty else {
            throw CommandError.notFound("standard input names no entry")
        }
        var selection = QueueSelection(
            ids: all, resources: resource, sources: source, lanes: lane, states: state,
            reasons: reason)
        selection.createdBefore = olderThan.map { now + (.zero - $0.duration) }
        let unknown = try await store.unknownName(
            in: selection, sources: workspace.config.sources.map(\.name),
            resources: workspace.config.resources.map(\.name))
        if let unknown { throw workspace.notFound(unknown.kind, unknown.name, among: unknown.known) }
        return selection
    }

    private static func standardInput() -> [String] {
        var ids: [String] = []
        while let line = readLine() { ids += line.split(separator: " ").map(String.init) }
        return ids
    }
}

extension QueueEntry.State: ExpressibleByArgument {}
extension ParkReason: ExpressibleByArgument {}
