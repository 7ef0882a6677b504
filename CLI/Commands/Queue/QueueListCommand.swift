// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingJSON

/// `siding queue list`: lists entries, oldest first.
struct QueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List open entries, oldest first.",
        discussion: """
            Marks: * being sent, h held, ? may have arrived, ! parked for another reason. --state done and --state dropped \
            list completed entries.
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var selection: SelectionOptions
    @Option(
        help: "The maximum number of entries, oldest first; 0 for all. The default is 1000 on a terminal, else all.")
    var limit: Int?

    /// The default limit on a terminal.
    private static let usualLimit = 1_000

    private var most: Int? {
        guard let limit else { return options.terminal.isOutput && !options.json ? Self.usualLimit : nil }
        return limit == 0 ? nil : limit
    }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit is 0 or more.") }
    }

    func run() async throws {
        try await options.withStore { workspace, store in
            let format = options.messageFormat
            let chosen = try await selection.selection(now: format.now, workspace, store)
            let entries = try await store.entries(chosen, limit: most)
            if options.json {
                for entry in entries { Output.line(Shapes.entry(entry).text) }
            } else if entries.isEmpty {
                if options.terminal.isOutput { options.printMessage("nothing waits") }
            } else {
                var table = Table(["", "id", "age", ">tries", "next try", "for", "request", "last error"])
                let gates = try await store.gates()
                for entry in entries { table.add(row(entry, format, gates)) }
                table.print(options.terminal)
                let total = entries.count == most ? try await store.count(chosen) : entries.count
                let rest =
                    total > entries.count ? "; \(MessageFormat.grouped(entries.count)) shown, --limit 0 shows all" : ""
                options.printMessage(MessageFormat.count(total, "entry", plural: "entries") + rest)
            }
        }
    }

    private func row(_ entry: QueueEntry, _ format: MessageFormat, _ gates: [SourceGate]) -> [String] {
        let text = EntryText(entry, format, gates: gates)
        let age = options.utc ? entry.createdAt.rfc3339 : format.age(entry.createdAt)
        return [
            text.mark, entry.shortID, age, String(entry.tries), text.next, text.subject, text.request, text.lastError,
        ]
    }
}
