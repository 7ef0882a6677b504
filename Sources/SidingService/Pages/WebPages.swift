// SPDX-License-Identifier: Apache-2.0
internal import Mustache
internal import Siding
internal import SidingChain
internal import SidingInspection

/// The web pages, one screen each, rendered on the server.
///
/// They show what the commands print with `--json`, through the same functions, and have no state of their own.
struct WebPages: Sendable {
    private let served: ServedStore
    private let templates: MustacheLibrary

    init(_ served: ServedStore) throws {
        self.served = served
        templates = try WebFiles.library()
    }

    /// - Parameters:
    ///   - path: the decoded components of the path; none for the overview.
    ///   - formToken: the token that each form has to send (protection from cross-site requests).
    ///   - done: what an action did.
    /// - Returns: its HTML.
    /// - Throws: ``NotFound``, ``ServiceProblem`` and ``StoreError``.
    func page(
        _ path: [String], _ query: Parameters, formToken: String, done: String? = nil
    ) async throws -> String {
        html(try await screen(path, query, formToken), in: path.first, done: done)
    }

    /// - Parameters:
    ///   - section: the first component of the path; nil for the overview.
    ///   - done: what an action did.
    func html(_ screen: any Screen, in section: String?, done: String? = nil) -> String {
        let frame = PageFrame(
            title: screen.title, sections: Section.all(section), done: done,
            command: screen.command,
            shown: Moment(served.now, MessageFormat(now: served.now, isAbsolute: true)),
            content: render(screen, type(of: screen).template))
        return render(frame, "layout")
    }

    private func render(_ values: any Sendable, _ template: String) -> String {
        templates.render(values, withTemplate: template) ?? ""
    }

    private func screen(_ path: [String], _ query: Parameters, _ token: String) async throws -> any Screen {
        let rest = path.dropFirst()
        switch (path.first, rest.count) {
        case (nil, _): return try await OverviewScreen.load(served, formToken: token)
        case ("runs", 0): return try await RunsScreen.load(served, query)
        case ("runs", 1): return try await RunScreen.load(path[1], served)
        case ("queue", 0): return try await QueueScreen.load(served, query, formToken: token)
        // No id begins so: ids have no ‘o’.
        case ("queue", 1) where path[1] == "drop":
            return try await ConfirmScreen.droppingSeveral(query, served, formToken: token)
        case ("queue", 1): return try await EntryScreen.load(path[1], served, formToken: token)
        case ("queue", 2) where path[2] == "drop":
            return try await ConfirmScreen.dropping(path[1], served, formToken: token)
        case ("queue", 2) where path[2] == "resolve":
            return try await ConfirmScreen.resolving(path[1], query, served, formToken: token)
        case ("records", 0): return try await RecordsScreen.load(served)
        case ("records", 1):
            guard let key = try query.value("key") else {
                return try await ResourceScreen.load(path[1], query, served, formToken: token)
            }
            return try await RecordScreen.load(path[1], key: key, served)
        case ("records", 2): return try await RecordScreen.load(path[1], key: path[2], served)
        case ("quarantine", 0): return try await QuarantineScreen.load(served, query)
        case ("quarantine", 1): return try await QuarantinedScreen.load(path[1], served, formToken: token)
        case ("quarantine", 2) where path[2] == "drop":
            return try await ConfirmScreen.droppingQuarantined(path[1], served, formToken: token)
        default: throw ServiceProblem.noPage
        }
    }
}

/// What is around every screen.
private struct PageFrame: Sendable {
    let title: String
    let sections: [Section]
    /// What an action did, on the page that it leads to.
    let done: String?
    let command: String?
    /// When the screen was made.
    let shown: Moment
    let content: String
}

/// A link of the navigation.
private struct Section: Sendable {
    let name: String
    let href: String
    let isCurrent: Bool

    /// - Parameter current: the first component of the present path.
    static func all(_ current: String?) -> [Section] {
        [("Overview", nil), ("Runs", "runs"), ("Queue", "queue"), ("Records", "records"), ("Quarantine", "quarantine")]
            .map { name, first in
                Section(name: name, href: first.map { PageLink.path($0) } ?? "/", isCurrent: first == current)
            }
    }
}
