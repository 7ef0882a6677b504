// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingInspection

/// `/queue/ID`: why an entry waits, what happens next, what was sent and answered, and what an operator may do.
struct EntryScreen: Screen {
    static let template = "entry"
    private static let longestBody = 16_384

    struct Event: Sendable {
        let at: Moment
        let event: String
        let detail: String?
        let who: String
    }

    struct Answer: Sendable {
        let status: String
        let body: BodyExcerpt?
    }

    let title: String
    let command: String?
    let subject: String
    let id: String
    let href: String
    let badge: Badge
    let doubt: Bool
    let why: String
    let next: String
    let hint: String?
    let facts: [Fact]
    let request: String
    let headers: [Fact]
    let body: BodyExcerpt?
    let answer: Answer?
    let conflict: ConflictRows?
    let history: [Event]
    let actions: EntryActions
    let token: String

    /// - Throws: ``NotFound``, ``StoreError/Kind/notFound`` and ``StoreError/Kind/ambiguous``.
    static func load(_ id: String, _ served: ServedStore, formToken: String) async throws -> EntryScreen {
        let report = try await EntryReport.load(id, in: served.store, now: served.now)
        let gate = try await served.store.gates().closed(report.entry.source, at: served.now)
        return EntryScreen(
            report, gate, MessageFormat(now: served.now, isAbsolute: false),
            try await EntryActions.load(report, in: served.store), formToken)
    }

    private init(
        _ report: EntryReport, _ gate: SourceGate?, _ format: MessageFormat, _ actions: EntryActions, _ token: String
    ) {
        let entry = report.entry
        command = ShellCommand.text("queue", "show", entry.shortID)
        title = "Entry \(entry.shortID)"
        subject = EntrySubject.text(entry)
        (id, href) = (entry.id, PageLink.path("queue", entry.id))
        badge = Badge(entry.state, entry.reason)
        doubt = entry.mayHaveArrived
        why = report.explanation.why
        next = NextStep(entry, gate: gate, format).text(report.explanation)
        hint = entry.lastError?.hint
        facts = Self.facts(report, format)
        request = EntryText(entry, format).request
        headers = (report.content?.headerFields ?? [:]).map { Fact($0.name.rawName, $0.value) }
        body = report.body.map { BodyExcerpt($0, limit: Self.longestBody) }
        answer = report.content?.answer.map { answer in
            Answer(
                status: [String(answer.status), answer.contentType].compactMap(\.self).joined(separator: ", "),
                body: answer.body.isEmpty ? nil : BodyExcerpt(answer.body, limit: Self.longestBody))
        }
        conflict = report.conflict.flatMap { ConflictRows($0, format) }
        history = report.history.map {
            Event(at: Moment($0.at, format), event: $0.event.rawValue, detail: $0.detail, who: $0.who)
        }
        (self.actions, self.token) = (actions, token)
    }

    /// The lines that have no place of their own on the screen, with links where they lead to a screen.
    private static func facts(_ report: EntryReport, _ format: MessageFormat) -> [Fact] {
        let elsewhere = ["state", "request", "headers", "answer"]
        var facts = EntryText(report.entry, format).lines(report.content).filter { !elsewhere.contains($0.name) }
            .map { line in
                switch line.name {
                case "resource": Fact(line.name, line.text, href: PageLink.path("records", line.text))
                case "behind": Fact(line.name, line.text, href: PageLink.path("queue", line.text))
                case "since": Fact(line.name, "", moment: Moment(report.entry.createdAt, format))
                default: Fact(line.name, line.text)
                }
            }
        if let resource = report.entry.resource, let key = report.entry.recordKey {
            facts.append(Fact("record", key, href: PageLink.record(key, of: resource)))
        }
        if let replaced = report.entry.replaces {
            facts.append(Fact("replaces", String(replaced.prefix(8)), href: PageLink.path("queue", replaced)))
        }
        return facts
    }
}
