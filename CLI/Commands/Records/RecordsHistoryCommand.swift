import ArgumentParser
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
                throw CommandError.noRecord(key, of: resource)
            }
            if options.json {
                for version in history.versions { Output.line(Self.object(resource, key, version).text) }
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

    private static func object(_ resource: String, _ key: String, _ version: RecordVersion) -> JSONObject {
        [
            "resource": resource, "key": key, "body": JSONText(version.body),
            // Microseconds, so that the time can be passed to --as-of.
            "from": version.from.rfc3339(fractionDigits: 6), "to": version.to?.rfc3339(fractionDigits: 6),
            "run": version.run != 0 ? version.run : nil, "change": version.change.rawValue,
            "pending": version.pending > 0 ? version.pending : nil,
            "differences": version.differences?.map { Self.object($0) },
        ]
    }

    private static func object(_ difference: MemberDifference) -> JSONObject {
        [
            "path": difference.path.description, "old": difference.old.map { JSONText($0.bytes) },
            "new": difference.new.map { JSONText($0.bytes) },
        ]
    }

    // MARK: For people

    /// A line for each member that differs; a version without any has one.
    private func table(_ history: RecordHistory) -> Table {
        var table = Table(["from", "to", ">run", "change", "member", "old", "new"])
        for version in history.versions {
            var head = [
                moment(version.from), version.to.map(moment) ?? "now", version.run == 0 ? "" : String(version.run),
                Self.change(version),
            ]
            for difference in version.differences ?? [] {
                table.add(head + [difference.path.description, Self.text(difference.old), Self.text(difference.new)])
                head = ["", "", "", ""]
            }
            if version.differences?.isEmpty ?? true { table.add(head + [Self.remark(version), "", ""]) }
        }
        return table
    }

    private func moment(_ moment: Timestamp) -> String {
        options.utc ? moment.rfc3339(fractionDigits: 6) : options.messageFormat.time(moment)
    }

    private static func change(_ version: RecordVersion) -> String {
        version.pending == 0 ? version.change.rawValue : "\(version.change.rawValue), \(version.pending) pending"
    }

    private static func remark(_ version: RecordVersion) -> String {
        switch (version.change, version.differences) {
        case (.updated, nil): "(what it was before is not kept)"
        case (.updated, _): "(the same values)"
        case (.inserted, _), (.deleted, _), (.revived, _): ""
        }
    }

    private static func text(_ value: JSONDocument?) -> String {
        value.map { OneLineJSON.text(Array($0.bytes)) } ?? "-"
    }
}

extension CommandError {
    static func noRecord(_ key: String, of resource: String) -> CommandError {
        CommandError(
            .notFound, "not_found", "'\(resource)' has no record '\(PlainText.oneLine(key, limit: 100))'",
            hint: "'siding records list \(resource)' shows the keys")
    }
}
