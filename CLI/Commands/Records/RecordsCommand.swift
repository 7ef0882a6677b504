// SPDX-License-Identifier: Apache-2.0
import SidingJSON
import SidingInspection
import ArgumentParser
import Siding
import SidingChain

/// `siding records`: shows stored records, their history and provenance, and restores deleted ones.
struct RecordsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "records", abstract: "Show stored records.",
        subcommands: [
            RecordsListCommand.self, RecordsGetCommand.self, RecordsCountCommand.self, RecordsHistoryCommand.self,
            RecordsWhyCommand.self, RecordsUndeleteCommand.self, RecordsForgetCommand.self,
        ])
}

/// `siding records list RESOURCE`: lists records by key.
struct RecordsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the records of a resource in the order of their keys.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Option(help: "The maximum number of records; 0 for all. The default is 100 on a terminal, else all.") var limit:
        Int?
    @Option(help: "Start after this key.") var after: String?
    @Flag(help: "Tombstones instead of live records.") var deleted = false

    /// The records per read transaction; short ones, so that a long listing blocks no writer.
    private static let batch = 500

    func run() async throws {
        try await options.withStore { _, store in
            let terminal = options.terminal
            var left = limit.map { $0 == 0 ? Int.max : $0 } ?? (terminal.isOutput && !options.json ? 100 : Int.max)
            var key = after
            var shown = 0
            while left > 0 {
                let records = try await store.records(
                    of: resource, after: key, limit: min(left, Self.batch), deleted: deleted)
                guard let last = records.last else { break }
                show(records, terminal)
                key = last.key
                shown += records.count
                left -= records.count
                if records.count < Self.batch { break }
            }
            let total = try await store.count(of: resource)
            let all = deleted ? total.deleted : total.count
            if shown < all, after == nil, !options.json {
                options.printMessage("\(shown) of \(all); --limit 0 shows all")
            }
        }
    }

    private func show(_ records: [Record], _ terminal: Terminal) {
        if options.json {
            for record in records { Output.write(Shapes.record(record).bytes + [0x0A]) }
            return
        }
        for record in records {
            let line = "\(PlainText.oneLine(record.key, limit: 60))  \(OneLineJSON.text(record.body))"
            Output.line(terminal.isOutput ? DisplayWidth.cut(line, to: terminal.width) : line)
        }
    }
}

/// `siding records get RESOURCE KEY`: prints one record.
struct RecordsGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Print one record: its JSON, byte for byte.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Argument(help: "The record's key.") var key: String

    func run() async throws {
        try await options.withStore { _, store in
            guard let record = try await store.record(of: resource, key: key) else {
                throw NotFound.record(key, of: resource)
            }
            if options.json {
                Output.line(Shapes.record(record).text)
            } else if options.terminal.isOutput {
                Output.line(OneLineJSON.text(record.body))
            } else {
                Output.write(record.body + [0x0A])
            }
        }
    }
}

/// `siding records count [RESOURCE…]`: counts live records and tombstones.
struct RecordsCountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "count", abstract: "Count the records of resources.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resources; all of them by default.") var resources: [String] = []

    func run() async throws {
        try await options.withStore { _, store in
            let names = resources.isEmpty ? try await store.resourceStates().map(\.resource) : resources
            var table = Table(["resource", ">records", ">deleted"])
            for name in names {
                let count = try await store.count(of: name)
                if options.json {
                    Output.line(["resource": count.resource, "count": count.count, "deleted": count.deleted])
                } else {
                    table.add([count.resource, String(count.count), String(count.deleted)])
                }
            }
            if !options.json { table.print(options.terminal) }
        }
    }
}
