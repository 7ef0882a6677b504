import ArgumentParser
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
            guard let entry = try await store.entries(QueueSelection(ids: [id])).first else {
                throw CommandError(.notFound, "not_found", "no queue entry begins with '\(id)'")
            }
            let content = try await store.content(of: entry.id)
            let sent = entry.kind == .fetch ? try await store.bodyOfFetch(entry.id) : content?.body
            if body { return Output.write(sent ?? []) }
            if curl {
                let resource = workspace.config.resources.first { $0.name == entry.resource }
                let type = entry.kind == .fetch && sent != nil ? resource?.bodyType : nil
                return Output.line(CurlCommand(entry, content, body: sent, type: type).text)
            }
            let format = options.messageFormat
            let gate = try await store.gates().first { $0.source == entry.source }
            let explanation = QueueExplanation(entry, gate: gate, now: format.now)
            let history = try await store.history(of: entry.id)
            let conflict = entry.state.isSettled ? nil : try await store.conflict(of: entry.id)
            if options.json {
                Output.line(Shapes.entry(entry, explanation, history, content, conflict).text)
            } else {
                print(entry, content, sent, explanation, history, format)
                if let conflict { ConflictTable(conflict).print(options.terminal) }
            }
        }
    }

    private func print(
        _ entry: QueueEntry, _ content: WriteContent?, _ body: [UInt8]?, _ explanation: QueueExplanation,
        _ history: [QueueEvent],
        _ format: MessageFormat
    ) {
        let state = entry.reason.map { "\(entry.state.rawValue): \($0.rawValue)" } ?? entry.state.rawValue
        var fields: [(String, String)] = [
            ("id", entry.id), ("kind", entry.kind.rawValue), ("state", state),
            ("request", "\(entry.method) \(entry.url)"), ("resource", entry.resource ?? ""), ("source", entry.source),
            ("since", format.time(entry.createdAt)), ("tries", String(entry.tries)),
        ]
        if let content { fields += Self.fields(entry, content, format) }
        fields.append(("body", body.map { "\(MessageFormat.size($0.count)); --body prints it" } ?? ""))
        fields += [("why", explanation.why), ("next", explanation.next)]
        for (name, value) in fields where !value.isEmpty {
            Output.line("\(name.padding(to: 10))\(PlainText.oneLine(value, limit: 4_000))")
        }
        if let hint = entry.lastError?.hint { Output.line("\("hint".padding(to: 10))\(hint)") }
        Output.line("history")
        for event in history {
            let detail = event.detail.map { ": \($0)" } ?? ""
            Output.line("  \(format.time(event.at).padding(to: 14)) \(PlainText.oneLine(event.event + detail))")
        }
    }

    /// The fields that only writes have.
    private static func fields(_ entry: QueueEntry, _ content: WriteContent, _ format: MessageFormat) -> [(
        String, String
    )] {
        let behind = content.head.flatMap { $0 == entry.id || entry.state.isSettled ? nil : $0 }
        let key = content.keyField.map { "\($0): \(content.key)\(content.isKeyed ? ", which the origin honours" : "")" }
        let answer = content.answer.map { answer in
            let text = String(decoding: answer.body.prefix(2_000), as: UTF8.self)
            return "\(answer.status) \(text)"
        }
        let certainty = entry.mayHaveArrived ? "may have arrived " : ""
        return [
            ("write", entry.operation ?? ""), ("lane", entry.isAloneInLane ? "" : entry.lane),
            ("behind", behind.map { String($0.prefix(8)) } ?? ""),
            ("after", content.parents.map { String($0.prefix(8)) }.joined(separator: ", ")), ("key", key ?? ""),
            ("headers", content.headerFields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")),
            ("sent", entry.firstSentAt.map { certainty + format.time($0) } ?? ""), ("answer", answer ?? ""),
            ("probe", content.probe.map { "GET \($0) finds out whether it arrived" } ?? ""),
        ]
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
            let key = content.isKeyQuoted ? "\"\(content.key)\"" : content.key
            parts.append("-H \(Self.quoted("\(field): \(key)"))")
        }
        if let body {
            let isText = String(validating: body, as: UTF8.self) != nil && !body.contains(0) && body.count <= 65_536
            // A body that does not fit into an argument goes through a pipe: siding queue show ID --body | curl …
            parts.append(
                isText ? "--data-raw \(Self.quoted(String(decoding: body, as: UTF8.self)))" : "--data-binary @-")
        }
        text = parts.joined(separator: " ") + "   # add the credentials of source '\(entry.source)'"
    }

    private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }
}

extension String {
    /// The text padded with spaces to `width` columns.
    func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(width - DisplayWidth.of(self), 0))
    }
}
