// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import HTTPTypes
import Siding
import SidingChain
import SidingJSON
import SidingManifest

/// `siding queue show ID`: explains an entry: why it waits, what happens next, and its history.
struct QueueShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Explain an entry: why it waits, what happens next, and its history.")

    @OptionGroup var options: GlobalOptions
    @Argument(help: "The entry's id, or a unique prefix of at least 4 characters.") var id: String
    @Flag(help: "Print the request as a curl command without credentials.") var curl = false
    @Flag(help: "Print only the body, unchanged.") var body = false

    func run() async throws {
        try await options.withStore { workspace, store in
            let format = options.messageFormat
            let report = try await EntryReport.load(id, in: store, now: format.now)
            let (entry, content, sent) = (report.entry, report.content, report.body)
            if body { return Output.write(sent ?? []) }
            if curl {
                let resource = workspace.config.resources.first { $0.name == entry.resource }
                let type = entry.kind == .fetch && sent != nil ? resource?.bodyType : nil
                return Output.line(CurlCommand(entry, content, body: sent, type: type).text)
            }
            if options.json {
                Output.line(report.object.text)
            } else {
                print(report, format)
                if let conflict = report.conflict { ConflictTable(report: conflict).print(options.terminal, format) }
            }
        }
    }

    private func print(_ report: EntryReport, _ format: MessageFormat) {
        let (entry, content, explanation) = (report.entry, report.content, report.explanation)
        var fields = EntryText(entry, format).lines(content)
        fields.append(("body", report.body.map { "\(MessageFormat.size($0.count)); --body prints it" } ?? ""))
        fields += [("why", explanation.why), ("next", explanation.next)]
        for (name, value) in fields where !value.isEmpty {
            Output.line("\(name.padding(to: 10))\(PlainText.oneLine(value, limit: 4_000))")
        }
        if let hint = entry.lastError?.hint { Output.line("\("hint".padding(to: 10))\(hint)") }
        Output.line("history")
        for event in report.history {
            let detail = event.detail.map { $0 == event.event.rawValue ? "" : ": \($0)" } ?? ""
            let line = PlainText.oneLine("\(event.event.rawValue)\(detail) (\(event.who))")
            Output.line("  \(format.time(event.at).padding(to: 14)) \(line)")
        }
    }
}

/// An entry's request as a `curl` command, quoted for the shell and without credentials.
struct CurlCommand {
    let text: String

    /// - Parameter type: the media type of a fetch's body; a write has its own among its header fields.
    init(_ entry: QueueEntry, _ content: WriteContent?, body: [UInt8]?, type: String?) {
        var parts = ["curl -sS -X \(entry.method) \(Self.quoted(entry.url))"]
        for field in content?.headerFields ?? [:] { parts.append("-H \(Self.quoted("\(field.name): \(field.value)"))") }
        if let type { parts.append("-H \(Self.quoted("Content-Type: \(type)"))") }
        if let content, let field = content.keyField {
            parts.append("-H \(Self.quoted("\(field): \(content.key)"))")
        }
        if let body {
            let isText = String(validating: body, as: UTF8.self) != nil && !body.contains(0) && body.count <= 65_536
            // A body that does not fit into an argument goes through a pipe: siding queue show ID --body | curl …
            parts.append(
                isText ? "--data-raw \(Self.quoted(String(decoding: body, as: UTF8.self)))" : "--data-binary @-")
        }
        text = parts.joined(separator: " ") + "   # add the credentials of source '\(entry.source)'"
    }

    private static func quoted(_ text: String) -> String { "'" + text.escaping(["'": "'\\''"]) + "'" }
}

extension String {
    /// The text padded with spaces to `width` columns.
    func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - DisplayWidth.of(self), 0))
    }
}
