// SPDX-License-Identifier: Apache-2.0
internal import Siding
internal import SidingChain
internal import SidingInspection
internal import SidingJSON

/// Whether anything needs a look, in a sentence that leads there.
struct Headline: Sendable {
    /// `2 resources failing: issues, tasks`
    struct Part: Sendable {
        let text: String
        let href: String
        /// The first of those that it counts.
        let names: [Fact]
        /// How many more there are, in words.
        let others: String?
        /// What separates it from the one before.
        let separator: String
    }

    let kind: String
    /// Said alone where there are no parts.
    let text: String
    let parts: [Part]

    static let mostNames = 3

    init(_ failure: StoreError) {
        (kind, parts) = (Badge.Kind.bad.rawValue, [])
        text = "Nothing can be stored: \(PlainText.oneLine(failure.message))"
    }

    /// - Parameter parked: the first entries that wait for a decision.
    init(_ overview: Overview, _ parked: [QueueEntry]) {
        let lines = overview.resources.map { (name: $0.name, badge: Badge($0)) }
        var parts: [Part] = []
        for word in ["failing", "incomplete", "waiting", "unfinished", "stale", "not synced"] {
            let names = lines.filter { $0.badge.text == word }.map(\.name)
            guard let first = names.first else { continue }
            let facts = names.map { Fact("resource", $0, href: PageLink.path("runs", query: [("resource", $0)])) }
            parts.append(
                Part(
                    "\(MessageFormat.count(names.count, "resource")) \(word)",
                    href: names.count == 1 ? PageLink.path("runs", query: [("resource", first)]) : "#resources", facts,
                    of: names.count, isFirst: parts.isEmpty))
        }
        let targets = overview.targets.map { (name: $0.target.name, badge: Badge($0, now: overview.now)) }
        for word in ["failing", "waiting", "behind"] {
            // Changes of the last hour are no news.
            let names = targets.filter { $0.badge.text == word && $0.badge.kind != Badge.Kind.quiet.rawValue }.map(
                \.name)
            guard !names.isEmpty else { continue }
            parts.append(
                Part(
                    "\(MessageFormat.count(names.count, "target")) \(word)", href: "#targets",
                    names.map { Fact("target", $0, href: "#targets") }, of: names.count, isFirst: parts.isEmpty))
        }
        if overview.parked > 0 {
            let facts = parked.map { entry in
                Fact("entry", EntrySubject.text(entry), href: PageLink.path("queue", entry.id))
            }
            parts.append(
                Part(
                    "\(MessageFormat.count(overview.parked, "entry", plural: "entries")) parked",
                    href: PageLink.path("queue", query: [("state", "parked")]), facts, of: overview.parked,
                    isFirst: parts.isEmpty))
        }
        self.parts = parts
        let isBad = overview.parked > 0 || (lines + targets).contains { $0.badge.kind == Badge.Kind.bad.rawValue }
        let kind: Badge.Kind =
            if !parts.isEmpty { isBad ? .bad : .waiting } else { overview.resources.isEmpty ? .quiet : .good }
        self.kind = kind.rawValue
        text =
            !parts.isEmpty
            ? "" : overview.resources.isEmpty ? "No resource is declared." : "Everything is up to date."
    }
}

extension Headline.Part {
    fileprivate init(_ text: String, href: String, _ names: [Fact], of count: Int, isFirst: Bool) {
        (self.text, self.href) = (text, href)
        self.names = names.prefix(Headline.mostNames).map { $0 }
        let more = count - self.names.count
        others = more > 0 ? "and \(more) more" : nil
        separator = isFirst ? "" : "; "
    }
}

/// What an entry is about, in a few words.
enum EntrySubject {
    /// `tasks.update 11`, `page 3 of issues`, or the request without its host.
    static func text(_ entry: QueueEntry) -> String {
        if entry.kind == .fetch, let resource = entry.resource { return "page \(entry.pageNumber ?? 1) of \(resource)" }
        guard let operation = entry.operation else { return request(entry) }
        return PlainText.oneLine([operation, entry.recordKey].compactMap(\.self).joined(separator: " "), limit: 60)
    }

    /// `PATCH /tasks/11`: the host is that of the source, which is the same for many.
    static func request(_ entry: QueueEntry, limit: Int = 80) -> String {
        "\(entry.method) \(PlainText.oneLine(path(of: entry.url), limit: limit))"
    }

    private static func path(of url: String) -> String {
        let rest = url.split(separator: "://", maxSplits: 1).last ?? ""
        let path = rest.drop { $0 != "/" && $0 != "?" }
        return path.isEmpty ? "/" : String(path)
    }
}
