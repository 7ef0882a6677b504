// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain
import SidingJSON

/// `siding records history RESOURCE KEY`: lists the versions of a record, newest first.
struct RecordsHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the versions of a record, newest first, and the changes between them.",
        discussion: "Only resources with 'history' in the config keep versions.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The resource.") var resource: String
    @Argument(help: "The record's key.") var key: String
    @Option(help: "The maximum number of versions; all by default.") var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
    }

    func run() async throws {
        try await options.withStore { _, store in
            guard let history = try await store.history(of: resource, key: key, limit: limit) else {
                throw NotFound.record(key, of: resource)
            }
            if options.json {
                for version in history.versions {
                    Output.line(Shapes.version(version, resource: resource, key: key).text)
                }
            } else {
                table(history).print(options.terminal)
            }
            if history.since == nil {
                options.printMessage(
                    "'\(resource)' keeps no history: set 'history: true' in its config, and it begins with the next sync"
                )
            }
        }
    }

    // MARK: For people

    /// A line for each member that differs; a version without any has one.
    private func table(_ history: RecordHistory) -> Table {
        var table = Table(["from", "to", ">run", "change", "member", "old", "new"])
        for version in history.versions {
            var head = [
                moment(version.from), version.to.map(moment) ?? "now", version.run == 0 ? "" : String(version.run),
                VersionText(version).change,
            ]
            for difference in version.differences ?? [] {
                table.add(head + [difference.path.description, Self.text(difference.old), Self.text(difference.new)])
                head = ["", "", "", ""]
            }
            if version.differences?.isEmpty ?? true { table.add(head + [VersionText(version).remark, "", ""]) }
        }
        return table
    }

    private func moment(_ moment: Timestamp) -> String {
        options.utc ? moment.rfc3339(fractionDigits: 6) : options.messageFormat.time(moment)
    }

    private static func text(_ value: JSONDocument?) -> String {
        value.map { OneLineJSON.text(Array($0.bytes)) } ?? "-"
    }
}
