// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingInspection
import ArgumentParser
import Siding
import SidingChain

/// `siding runs`: shows what each sync did.
struct RunsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "runs", abstract: "Show past runs.",
        subcommands: [RunsListCommand.self, RunsShowCommand.self])
}

/// `siding runs list`: lists the newest runs.
struct RunsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "List the newest runs.")

    @OptionGroup var options: GlobalOptions
    @Option(help: "The maximum number of runs to list.") var limit = 20

    func validate() throws {
        if limit < 1 { throw ValidationError("--limit must be at least 1.") }
    }

    func run() async throws {
        try await options.withStore { _, store in
            let format = options.messageFormat
            var table = Table([
                ">run", "when", "took", "outcome", ">pages", ">304", ">bytes", ">new", ">changed", ">same", ">deleted",
                ">blocked", "command",
            ])
            for run in try await store.runs(limit: limit) {
                if options.json {
                    Output.line(Shapes.run(run).text)
                    continue
                }
                let total = run.counters
                table.add([
                    String(run.id), format.time(run.startedAt),
                    run.endedAt.map { MessageFormat.duration($0 - run.startedAt) } ?? "",
                    run.outcome?.rawValue ?? "running", String(total.pages), String(total.notModified),
                    MessageFormat.size(total.bytes), String(total.inserted), String(total.updated),
                    String(total.unchanged), String(total.deleted), String(total.deletionsBlocked), run.command,
                ])
            }
            if !options.json { table.print(options.terminal) }
        }
    }
}

/// `siding runs show ID`: shows one run by resource.
struct RunsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show one run, resource by resource.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The run's number, as 'siding runs list' shows it.") var id: Int64

    func run() async throws {
        try await options.withStore { _, store in
            guard let run = try await store.run(id) else {
                throw try await NotFound.run(id, in: store)
            }
            if options.json { Output.line(Shapes.run(run).text) } else { print(run) }
        }
    }

    private func print(_ run: Run) {
        let format = options.messageFormat
        Output.line("run \(run.id): \(PlainText.oneLine(run.command)), \(run.outcome?.rawValue ?? "running")")
        Output.line(
            "started \(format.time(run.startedAt))"
                + (run.endedAt.map { ", took \(MessageFormat.duration($0 - run.startedAt))" } ?? ""))
        for result in run.resources { print(result) }
    }

    private func print(_ result: RunResource) {
        let counters = result.counters
        let outcome = result.outcome == .notModified ? "not modified" : result.outcome?.rawValue ?? "unfinished"
        Output.line("\(PlainText.oneLine(result.resource)): \(outcome)")
        Output.line(
            "  pages \(counters.pages), requests \(counters.requests), 304s \(counters.notModified), "
                + "\(MessageFormat.size(counters.bytes)) over the network, \(MessageFormat.duration(result.duration))")
        Output.line(
            "  inserted \(counters.inserted), updated \(counters.updated), unchanged \(counters.unchanged), "
                + "stale \(counters.stale), deleted \(counters.deleted), quarantined \(counters.quarantined), "
                + "duplicates \(counters.duplicates)"
                + (counters.deletionsBlocked > 0 ? ", deletions blocked \(counters.deletionsBlocked)" : ""))
        for note in result.notes { Output.line("  \(PlainText.oneLine(note))") }
        if let entry = result.entry { Output.line("  queued as \(entry.prefix(8))") }
        if let error = result.error {
            Output.line("  \(PlainText.oneLine(error.message, limit: 2_000))")
            if let hint = error.hint { Output.line("  \(hint)") }
        }
    }
}
